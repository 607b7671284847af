import PathCore
import PathPolicy
import PathTestKit
import Testing

/// Where a policy may not act: while it loads, in `settle`, and with a `ctx` whose call is over.
struct SettleAndLoadTests {
  static let effects = [
    "print('x')", "print()", "print(nil)", "ctx.log('x')", "require('m').act()",
  ]

  @Test(arguments: effects) func `an effect at load is refused`(_ effect: String) {
    let said = Rig.rejection(
      "\n\(effect)\nreturn { api = 1 }",
      modules: ["m": "return { act = function() print('x') end }"])
    if effect.hasPrefix("print") {
      #expect(says(said, "p.lua:2", "there are no effects at load"), "\(said ?? "accepted")")
    } else if effect.hasPrefix("ctx") {
      #expect(says(said, "p.lua:2", "nil value (global 'ctx')"), "\(said ?? "accepted")")
    } else {
      #expect(says(said, "lib/m.lua:1", "no effects at load"), "\(said ?? "accepted")")
    }
  }

  @Test(arguments: [
    "ctx.alert.raise { key = 'a', title = 'b' }", "ctx.alert.resolve 'a'", "ctx.log 'x'",
    "print 'x'", "ctx.timer.start('a', '1s')", "ctx.timer.start_once('a', '1s')",
    "ctx.timer.cancel 'a'", "ctx.publish('a', 1)",
  ]) func `settle decides nothing else`(_ verb: String) {
    let rig = Rig("return { api = 1, settle = function(ctx, ev)\n\(verb)\nreturn '1s' end }")
    rig.online()
    rig.offline()
    #expect(says(rig.faults.first?.located, "p.lua:2", "settle only says how long"))
  }

  @Test func `settle may look`() {
    let rig = Rig(
      """
      local p = { api = 1, config = { x = "7s" }, state = { n = 2 } }
      function p.settle(ctx, ev)
        assert(not ctx.alert.active("a") and not ctx.timer.active("t"))
        assert(ctx.path("internet").status == "satisfied" or ev.status == "satisfied")
        assert(ctx.state.n == 2 and ctx.time.hour)
        return ctx.config.x
      end
      function p.on_path(ctx, ev) ctx.publish("status", ev.status) end
      return p
      """)
    rig.online()
    rig.offline(settling: .milliseconds(6999))
    #expect(rig.value("status")?.text == "satisfied")
    rig.simulator.advance(.milliseconds(1))
    #expect(rig.value("status")?.text == "unsatisfied")
    #expect(rig.faults == [])
  }

  @Test func `a settle function may ask for a day, and is refused more, as a constant is`() {
    func settling(_ time: String) -> Rig {
      let rig = Rig(
        """
        local p = { api = 1 }
        function p.settle(ctx, ev)
          return ev.status == "satisfied" and "0s" or "\(time)" end
        function p.on_path(ctx, ev) ctx.publish("status", ev.status) end
        return p
        """)
      rig.online()
      rig.offline(settling: .zero)
      return rig
    }
    let day = settling("24h")
    day.simulator.advance(.seconds(86_399))
    #expect(day.value("status")?.text == "satisfied")
    day.simulator.advance(.seconds(1))
    #expect(day.value("status")?.text == "unsatisfied" && day.faults == [])
    for time in ["24h1ms", "366d"] {
      #expect(
        settling(time).faults.first?.located
          == "p.lua:2: settle must return a duration of at most a day, not '\(time)'")
      #expect(
        Rig.rejection("return { api = 1, settle = '\(time)' }")?.contains("more than a day")
          == true)
    }
  }

  @Test func `state changed in settle is refused, not kept by accident`() {
    let rig = Rig(
      """
      return { api = 1, state = { n = 0 },
        settle = function(ctx) ctx.state.n = ctx.state.n + 1 return "1s" end,
        on_path = function(ctx) ctx.publish("n", ctx.state.n) end }
      """)
    rig.online()
    rig.offline()
    #expect(says(rig.faults.first?.located, "p.lua:2", "ctx.state cannot change in it"))
    #expect(rig.value("n")?.integer == 0)
  }

  @Test(arguments: [
    "kept.log('x')", "kept.alert.raise { key = 'a', title = 'b' }", "kept.state.x = 1",
    "local _ = kept.config", "kept.state = {}", "local _ = kept.nothing",
  ]) func `a ctx whose call is over says so`(_ use: String) {
    let rig = Rig(
      """
      local kept
      local p = { api = 1 }
      function p.on_start(ctx) kept = ctx end
      function p.on_path(ctx)
      \(use) end
      return p
      """)
    rig.online()
    #expect(says(rig.faults.first?.located, "p.lua:5", "expired context"), "\(rig.faults)")
  }

  @Test func `the functions of a ctx whose call is over refuse at load of the next and work in it`()
  {
    let rig = Rig(
      """
      local raise
      local p = { api = 1 }
      function p.on_start(ctx) raise = ctx.alert.raise end
      function p.on_path(ctx) raise { key = "a", title = "b" } end
      return p
      """)
    rig.online()
    #expect(rig.notices == ["raised a"])
  }

  @Test func `an event that is kept stays what it was`() {
    let rig = Rig(
      """
      local first
      local p = { api = 1 }
      function p.on_path(ctx, ev)
        first = first or ev
        ctx.publish("first", first.interfaces[1].name .. " " .. first.status)
        ctx.publish("seq", first.sequence)
      end
      return p
      """)
    rig.simulator.feed(.snapshot(.online("wlan0")))
    rig.simulator.feed(.snapshot(.online("eth7", type: .wired, index: 9)))
    rig.simulator.advance(.seconds(5))
    #expect(rig.value("first")?.text == "wlan0 satisfied")
    #expect(rig.value("seq")?.integer == 1)
    #expect(rig.faults == [])
  }

  @Test(arguments: [
    ("ev.status = 'x'", "ev is read-only"), ("ev.new = 1", "ev is read-only"),
    ("ev.changed.status = nil", "read-only"), ("ev.interfaces[1].name = 'x'", "read-only"),
    ("ctx.path('internet').status = 'y'", "ev is read-only"),
    ("if ev.stauts then end", "ev has no 'stauts'; did you mean 'status'?"),
    ("local _ = ev.zzz", "ev has no 'zzz'; it may be alternatives, causes"),
    ("local _ = ctx.path('internet').whi", "did you mean 'why'?"), ("ev[{}] = 1", "read-only"),
    ("local _ = ev[1]", "ev has no '1'"),
  ]) func `an event is read-only and knows its fields`(_ body: String, _ part: String) {
    #expect(says(Rig.fault(onPath: body), "p.lua:2", part))
  }

  @Test func `walking an event shows its fields and nothing else`() {
    let rig = Rig.onPath(
      """
      local _, _, _ = ev.status, ev.interfaces[1], ev.previous
      for key in pairs(ev) do assert(type(key) == "string", tostring(key)) end
      local key = next(ev) assert(type(key) == "string")
      ctx.state.copy = ev.interfaces
      ctx.publish("keys", { ev.changed, ev.flaps })
      """)
    rig.online()
    rig.offline()
    rig.online()
    #expect(rig.faults == [])
  }

  @Test func `the event before is there once, and knows its fields too`() {
    let rig = Rig.onPath(
      """
      if ev.initial then assert(ev.previous == nil and ev.since == nil) return end
      assert(ev.previous == ev.previous and ev.previous.previous == nil)
      ctx.publish("before", ev.previous.status .. #ev.previous.interfaces)
      local _ = ev.previous.stauts
      """)
    rig.online()
    rig.offline()
    #expect(says(rig.faults.first?.located, "p.lua:5", "did you mean 'status'?"))
  }

  @Test func `what a handler does to its event harms no later one`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_path(ctx, ev)
        local told = ctx.path("internet").status
        ctx.publish("status", ev.status .. " " .. #ev.interfaces .. told)
        assert(not pcall(function() ev.status = "x" end))
        for _, value in pairs(ev) do
          if type(value) == "table" then pcall(function() value[1], value.name = nil, nil end) end
        end
      end
      return p
      """)
    rig.online()
    rig.offline()
    rig.online()
    #expect(rig.value("status")?.text == "satisfied 1satisfied")
    #expect(rig.faults == [])
  }
}
