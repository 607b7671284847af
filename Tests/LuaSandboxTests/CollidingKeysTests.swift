import Foundation
import LuaSandbox
import Testing

/// Keys that Lua looks for in one place: floats that differ in their last bits alone. Each of them
/// takes as long as there are others, so many calls fill the table, each within its time.
@Suite("keys that collide", .serialized) struct CollidingKeysTests {
  private static func filling(_ attack: String) -> String {
    """
    local t, n, most = {}, 0, 16384
    local function key(i) return 1.0 + i * 2.0 ^ -52 end
    return {
      on_start = function()
        if n < most then
          for i = 1, 64 do n = n + 1; t[key(n)] = 1 end
          return "filling"
        end
        \(attack)
        return "done"
      end,
    }
    """
  }

  private func attack(_ text: String) throws -> (outcome: Box.Outcome, time: Duration) {
    let box = try Box()
    #expect(box.load(Self.filling(text)).status == LUASANDBOX_OK)
    for _ in 0..<400 {
      let before = processorTime()
      let outcome = box.call()
      let time = processorTime() - before
      if outcome.value != "filling" || time > EveryFunctionTests.most { return (outcome, time) }
    }
    Issue.record("the table was never full")
    return (box.call(), .zero)
  }

  @Test("a full table that gets another key over and over ends the run, in time")
  func putAnew() throws {
    let (outcome, time) = try attack(
      "for i = 1, 50 do t[key(i)] = nil; n = n + 1; t[key(n)] = 1 end")
    #expect(outcome.status == LUASANDBOX_FUEL, "\(outcome.text)")
    #expect(outcome.line > 0 && time < EveryFunctionTests.most, "\(time)")
  }

  @Test("walking through one ends the run, in time", arguments: ["pairs(t)", "next(t)"])
  func walk(_ step: String) throws {
    let (outcome, time) = try attack("for i = 1, 50 do \(step) end")
    #expect(outcome.status == LUASANDBOX_FUEL, "\(outcome.text)")
    #expect(outcome.line > 0 && time < EveryFunctionTests.most, "\(time)")
  }

  @Test("a table has at most 16384 keys beside those that count from 1")
  func most() throws {
    for fine in ["for i = 1, 16384 do t['k' .. i] = i end", "for i = 1, 40000 do t[i] = i end"] {
      #expect(try Box().load("local t = {} \(fine)").status == LUASANDBOX_OK)
    }
    let outcome = try Box().load("local t = {}\nfor i = 1, 16385 do t['k' .. i] = i end")
    #expect(outcome.status == LUASANDBOX_MEMORY && outcome.line == 2)
    #expect(outcome.text.contains("16384 keys in one table"))
  }

  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
