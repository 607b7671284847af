import PathPolicy
import PolicyTesting
import Testing

@Suite("the gate before a policy goes live") struct GateTests {
  private func fault(_ test: String?, policy: String = Bench.policy) -> String? {
    func script(_ file: String, _ text: String) -> PolicyScript {
      PolicyScript(name: "p", file: file, source: Array(text.utf8))
    }
    let head = "local t = require \"policy.test\"\n"
    return TestGate.fault(
      of: script("p.lua", policy), tests: test.map { [script("p_test.lua", head + $0)] } ?? []
    )?.located
  }

  private static let late = """
    t.case("in time", function(sim)
      sim.path {} sim.path { status = "unsatisfied" } sim.advance "2s"
      sim.expect_count("alert.raised", 1)
    end)
    """

  @Test func `a policy whose tests pass, or that has none, may go live`() {
    #expect(fault(nil) == nil)
    #expect(fault(Self.late) == nil)
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
