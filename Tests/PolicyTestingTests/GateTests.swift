import PathPolicy
import PolicyTesting
import Testing

@Suite("the gate before a policy goes live") struct GateTests {
  private func fault(
    _ test: String, policy: String = Bench.policy, isOver: @escaping () -> Bool = { false }
  ) -> String? {
    func script(_ file: String, _ text: String) -> PolicyScript {
      PolicyScript(name: "p", file: file, source: Array(text.utf8))
    }
    let head = "local t = require \"policy.test\"\n"
    return TestGate.fault(
      of: script("p.lua", policy), by: script("p_test.lua", head + test), isOver: isOver
    )?.located
  }

  private static let late = """
    t.case("in time", function(sim)
      sim.path {} sim.path { status = "unsatisfied" } sim.advance "2s"
      sim.expect_count("alert.raised", 1)
    end)
    """

  @Test func `a policy whose tests pass may go live`() {
    #expect(fault(Self.late) == nil)
  }

  @Test func `what there is no time for is not begun`() {
    let wrong = "t.case('x', function(sim) sim.path {} t.check(false) end)\n"
    #expect(fault(wrong) != nil)
    #expect(fault(wrong) { true } == nil)
    var left = 2
    let isOver = { () -> Bool in
      left -= 1
      return left < 0
    }
    let good = "t.case('a', function(sim) sim.path {} t.check(true) end)\n"
    let third = good + good.replacing("'a'", with: "'b'") + wrong
    #expect(fault(third, isOver: isOver) == nil)
    #expect(fault(third) != nil)
    var asked = 0
    let property = "t.property('x', { runs = 20 }, function(sim) sim.path {} t.check(true) end)"
    #expect(
      fault(property) {
        asked += 1
        return false
      } == nil)
    #expect(asked == 21)
  }

  @Test func `a wrong delay is a fault that names the test, its line and what differs`() {
    let slow = Bench.policy.replacing("\"2s\"", with: "\"20s\"")
    #expect(
      fault(Self.late, policy: slow)
        == "p_test.lua:4: its test 'in time' fails: alert.raised is counted otherwise; "
        + "alert.raised: wanted 1, got 0")
  }

  @Test func `a test that is broken or has no end is a fault too`() {
    #expect(fault("t.cse('x')")?.hasPrefix("p_test.lua:2: t has no 'cse'") == true)
    #expect(
      fault("t.case('x', function(sim) while true do end end)")?.contains("endless loop") == true)
  }
}
