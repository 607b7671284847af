import PathCore
import PathPolicy
import PathTestKit
import Testing

/// `ev.previous`: the event before, without its own previous, whatever happened to the Lua state
/// between the two.
@Suite struct PreviousEventTests {
  private static let told = """
    local p = { api = 1, settle = SETTLE, config = { a = 1 } }
    function p.on_path(ctx, ev)
      local function has(t) for key in pairs(t) do if key == "previous" then return true end end end
      local before = ev.previous
      ctx.log(ev.sequence, before and before.sequence, before and before.previous,
        before and has(before), before == ctx.path("internet").previous)
      if ev.sequence == 3 then error("of its own") end
    end
    return p
    """

  @Test(arguments: ["'0s'", "function(ctx, ev) return ev.previous and '0s' or '1ms' end"])
  func `it has no previous of its own after a fault or a reload`(settle: String) {
    let text = Self.told.replacing("SETTLE", with: settle)
    let rig = Rig(text)
    func goOn(_ times: Int) {
      for _ in 0..<times {
        rig.online()
        rig.simulator.advance(.seconds(1))
        rig.offline()
      }
    }
    goOn(3)
    rig.load(["p": text + "\n-- edited"], reason: .reload)
    goOn(3)
    #expect(rig.faults.map(\.message) == ["of its own"])
    // What the handler that failed logged did not count.
    let expected = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map { number in
      number == 1 ? "1 nil nil nil true" : "\(number) \(number - 1) nil nil true"
    }
    #expect(rig.logged == expected)
  }

  @Test func `a settle that puts an equal table in the state's place leaves the state its own`() {
    let rig = Rig(
      """
      return { api = 1, config = { a = 1 }, state = { a = 1 },
        settle = function(ctx) ctx.state = ctx.config return "0s" end,
        on_path = function(ctx) ctx.state.a = ctx.state.a + 1 ctx.log(ctx.state.a) end }
      """)
    rig.online()
    #expect(rig.faults == [] && rig.logged == ["2"])
    // Now the table is not equal any more.
    rig.offline()
    #expect(rig.faults.first?.message.hasPrefix("settle only says") == true)
  }

  @Test func `what ends while the state is written out is the policy's, not a line of Netvane's`() {
    let message = Rig.fault(
      onPath: """
        local t, s = {}, {}
        for i = 1, 60000 do t[i] = true end
        for i = 1, 60000 do t[i] = nil end
        for i = 1, 30000 do s[i] = t end
        ctx.state = s
        """)
    #expect(says(message, "p.lua:1", "it used up its 1000000 units of fuel"), "\(message ?? "")")
  }

  @Test func `a state that is too large is told so, whatever fuel is left`() {
    let message = Rig.fault(onPath: "local t = {} for i = 1, 20000 do t[i] = i end ctx.state = t")
    #expect(says(message, "p.lua:1", "ctx.state may have 64 KiB, not 180005 bytes"))
  }
}
