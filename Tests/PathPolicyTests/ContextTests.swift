import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What a handler has in its hands: state, published values, the log, and its own decisions.
struct ContextTests {
  // MARK: State

  @Test func `state is kept, and numbers keep their kind`() {
    let rig = Rig(
      """
      local p = { api = 1, state = { n = 1, f = 1.0, big = 9007199254740993, list = {} } }
      function p.on_path(ctx)
        local s = ctx.state
        s.list[#s.list + 1] = s.n
        s.n = s.n + 1
        ctx.publish("kinds", math.type(s.n) .. " " .. math.type(s.f) .. " " .. s.big)
        ctx.publish("list", table.concat(s.list, ","))
      end
      return p
      """)
    rig.online()
    rig.offline()
    rig.online()
    #expect(rig.value("kinds")?.text == "integer float 9007199254740993")
    #expect(rig.value("list")?.text == "1,2,3")
    #expect(rig.faults == [])
  }

  @Test func `state that did not change is not written again`() {
    let rig = Rig("return { api = 1, state = { a = 1 }, on_path = function(c) c.state.a = 1 end }")
    rig.online()
    let isPersisted = rig.simulator.log.contains {
      if case .persist = $0.order { true } else { false }
    }
    #expect(!isPersisted)
  }

  @Test func `after a fault state and memory are as before the call`() {
    let rig = Rig(
      """
      local calls = 0
      local p = { api = 1, state = { n = 0, deep = { x = 1 } } }
      function p.on_path(ctx, ev)
        calls = calls + 1
        ctx.state.n = ctx.state.n + 1
        ctx.alert.raise { key = "k", title = "t" .. calls }
        ctx.publish("n", ctx.state.n .. " " .. calls .. " " .. tostring(ctx.state.deep.x))
        if ev.status ~= "satisfied" then ctx.state.deep.x = 9 error("no") end
      end
      return p
      """)
    rig.online()
    #expect(rig.value("n")?.text == "1 1 1")
    rig.offline()
    #expect(rig.faults.count == 1)
    #expect(rig.value("n")?.text == "1 1 1")
    rig.online()
    #expect(rig.value("n")?.text == "2 1 1")
    #expect(rig.notices == ["raised k"])
  }

  @Test func `state survives an edit of the policy`() {
    let text = { (title: String) in
      """
      local p = { api = 1, state = { n = 0 } }  -- \(title)
      function p.on_path(ctx) ctx.state.n = ctx.state.n + 1 ctx.publish("n", ctx.state.n) end
      return p
      """
    }
    let rig = Rig(text("one"))
    rig.online()
    rig.offline()
    rig.load(["p": text("two")], reason: .reload)
    rig.load(["p": "broken"], reason: .reload)
    rig.load(["p": text("three")], reason: .reload)
    rig.online()
    #expect(rig.value("n")?.integer == 3)
    #expect(rig.faults == [])
  }

  @Test(arguments: [
    ("ctx.state.me = ctx.state", "ctx.state.me", "contains itself"),
    ("ctx.state.f = print", "ctx.state.f", "a function is not plain data"),
    ("ctx.state.a = { [1] = { f = print } }", "ctx.state.a[1].f", "not plain data"),
    ("ctx.state.n = 0/0", "ctx.state.n", "not a number"),
    ("ctx.state.t = ('x'):rep(66000)", "ctx.state", "64 KiB"),
    ("ctx.state[true] = 1", "ctx.state", "a key that is a boolean"),
    ("local t = ctx.state for _ = 1, 17 do t.t = {} t = t.t end", "ctx.state", "too deeply"),
    ("local t = ctx.state for _ = 1, 15 do t.t = {} t = t.t end", "ctx.state", "too deeply"),
    ("for i = 1, 15000 do ctx.state['k' .. i] = i end", "ctx.state", "64 KiB"),
    ("ctx.state = { f = ctx.log }", "ctx.state.f", "not plain data"),
  ]) func `state that cannot be kept is a fault of the handler`(
    _ body: String, _ what: String, _ why: String
  ) {
    let rig = Rig.onPath(body)
    rig.online()
    // Seen only when the handler is done, so its first line is named.
    #expect(says(rig.faults.first?.located, "p.lua:1", what, why), "\(rig.faults)")
  }

  @Test func `state holds sixteen levels and a table from the config`() {
    let rig = Rig(
      """
      local p = { api = 1, config = { list = { 1, { 2 } } } }
      function p.on_path(ctx)
        local t = ctx.state
        for _ = 1, 13 do t.t = {} t = t.t end
        t.last = 5
        ctx.state.copy = ctx.config.list
        ctx.state.same = ctx.state.copy
        if ctx.path("internet").status ~= "satisfied" then
          ctx.state.copy[2][1] = 7
          ctx.publish("copy", ctx.state.copy[2][1] .. " " .. ctx.state.same[2][1])
        end
      end
      function p.on_timer(ctx) end
      return p
      """)
    rig.online()
    #expect(rig.faults == [])
  }

  @Test func `a read-only table that is like the state is copied when it becomes the state`() {
    let rig = Rig.onPath(
      "ctx.state.n = 1\nctx.state = ctx.config", "state = { m = 2 }, config = { m = 2 }")
    rig.online()
    rig.offline()
    #expect(rig.faults == [])
  }

  // MARK: Decisions

  @Test func `a published table is a copy of what it was`() {
    let rig = Rig.onPath(
      "local t = { n = 1 } ctx.publish('t', t) t.n = 2 ctx.publish('u', t) t.n = 3")
    rig.online()
    #expect(rig.value("t")?["n"].integer == 1)
    #expect(rig.value("u")?["n"].integer == 2)
  }

  @Test func `what is published holds thirteen levels, and one more is said to be too many`() {
    let nest = "local r = {} local t = r for _ = 2, %d do t.t = {} t = t.t end ctx.publish('t', r)"
    for (levels, isGood) in [(13, true), (14, false), (16, false)] {
      let rig = Rig.onPath(nest.replacing("%d", with: "\(levels)"))
      rig.online()
      #expect((rig.value("t") != nil) == isGood)
      let fault = rig.faults.first?.located
      #expect(isGood || says(fault, "p.lua:2", "ctx.publish('t')", "too deeply"), "\(rig.faults)")
    }
  }

  @Test(arguments: [
    #"ctx.alert.raise { key = "\xFF", title = "t" }"#, #"ctx.timer.start("a\xC3", "1s")"#,
    #"ctx.publish("\xED\xA0\x80", 1)"#, #"ctx.alert.active("\xFE")"#,
  ]) func `a key that is not UTF-8 would not be found again, so it is refused`(_ call: String) {
    #expect(says(Rig.fault(onPath: call), "p.lua:2", "must be UTF-8"))
  }

  @Test func `an equal value is published once`() {
    let rig = Rig.onPath("ctx.publish('t', { a = 1, b = { 2 } }) ctx.publish('x', ev.sequence)")
    for _ in 0..<4 {
      rig.online()
      rig.offline()
    }
    let count = rig.simulator.log.count {
      if case .publish(let notice) = $0.order { notice.name == "t" } else { false }
    }
    #expect(count == 1)
    #expect(rig.value("x")?.integer == 8)
  }

  @Test func `alerts and timers show what the same call decided`() {
    let rig = Rig.onPath(
      """
      local seen = {}
      local function see() seen[#seen + 1] = (ctx.alert.active("a") and "A" or "-")
        .. (ctx.timer.active("t") and "T" or "-") end
      see()
      ctx.alert.raise { key = "a", title = "x" } see()
      ctx.timer.start("t", "1m") see()
      ctx.alert.resolve("a") see()
      ctx.timer.cancel("t") see()
      ctx.timer.start_once("t", "2m") ctx.alert.raise { key = "a", title = "y" } see()
      ctx.publish("seen" .. ev.sequence, table.concat(seen, " "))
      """)
    rig.online()
    rig.offline()
    #expect(rig.value("seen1")?.text == "-- A- AT -T -- AT")
    #expect(rig.value("seen2")?.text == "AT AT AT -T -- AT")
    #expect(rig.notices == ["raised a"])
    #expect(rig.faults == [])
  }

  @Test func `only how things stand at the end counts`() {
    let rig = Rig.onPath(
      """
      for i = 1, 1000 do ctx.alert.raise { key = "a", title = "n" .. i } ctx.alert.resolve "a" end
      for i = 1, 1000 do ctx.alert.resolve "b" ctx.alert.raise { key = "b", title = "n" .. i } end
      for i = 1, 1000 do ctx.timer.start("t", i .. "s") ctx.publish("v", i) end
      """)
    rig.online()
    #expect(rig.faults == [])
    #expect(rig.notices == ["raised b"])
    #expect(rig.simulator.alerts["p/b"]?.title == "n1000")
    #expect(rig.value("v")?.integer == 1000)
  }

  @Test func `a timer that runs is left alone by start_once and replaced by start`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_start(ctx) ctx.timer.start("a", "10s") ctx.timer.start("b", "10s") end
      function p.on_path(ctx) ctx.timer.start_once("a", "60s") ctx.timer.start("b", "60s") end
      function p.on_timer(ctx, ev) ctx.log(ev.name) end
      return p
      """)
    rig.online()
    rig.simulator.advance(.seconds(59))
    #expect(rig.logged == ["a"])
    rig.simulator.advance(.seconds(1))
    #expect(rig.logged == ["a", "b"])
  }

  @Test func `the sixty-fifth decision undoes the sixty-four before it`() {
    for (count, isFault) in [(64, false), (65, true)] {
      let rig = Rig.onPath(
        "for i = 1, \(count) do ctx.alert.raise { key = 'k' .. i, title = 't' } end")
      rig.online()
      #expect(rig.faults.isEmpty == !isFault)
      #expect(rig.simulator.alerts.count == (isFault ? 0 : 64))
    }
  }

  // MARK: Log

  @Test func `log lines are cut, and counted where there are too many`() {
    let rig = Rig.onPath(
      "ctx.log(('ü'):rep(4000)) for i = 1, 99 do print('line', i, nil, true) end")
    rig.online()
    #expect(rig.logged.count == 33)
    #expect(rig.logged.first == String(repeating: "ü", count: 2048))
    #expect(rig.logged[1] == "line 1 nil true")
    #expect(rig.logged.last == "68 more lines of this call are left out")
  }

  @Test func `a log line holds no address of a table`() {
    let rig = Rig.onPath("print({}, ctx.log, ev)")
    rig.online()
    #expect(rig.logged == ["table function table"])
  }

  // MARK: Text

  @Test func `alert text from outside is repaired and cut at a whole character`() throws {
    let rig = Rig.onPath(
      """
      ctx.alert.raise { key = "a", title = ("ü"):rep(200), body = "x" .. ("€"):rep(2000) }
      ctx.alert.raise { key = "b", title = "bad \\xff\\xfe", body = "nul \\0 esc \\27[31m" }
      ctx.alert.raise { key = "c", title = 5, body = 1.5 }
      """)
    rig.online()
    #expect(rig.faults == [])
    let cut = try #require(rig.simulator.alerts["p/a"])
    #expect(cut.title == String(repeating: "ü", count: 128))
    #expect(cut.body == "x" + String(repeating: "€", count: 1365))
    #expect(rig.simulator.alerts["p/b"]?.title == "bad \u{FFFD}\u{FFFD}")
    #expect(rig.simulator.alerts["p/c"]?.title == "5")
  }

  // MARK: Config and time

  @Test func `the operator's settings lie over the policy's and cannot be changed`() {
    var config = PlainWriter()
    let map = config.beginMap()
    config.text("grace")
    config.text("9s")
    config.text("list")
    config.array(1)
    config.integer(7)
    config.endMap(map, count: 2)
    let text = """
      local p = { api = 1, config = { grace = "2s", list = { 1, 2 }, page = "x" } }
      function p.on_path(ctx)
        local c = ctx.config
        ctx.publish("c", c.grace .. c.page .. #c.list .. c.list[1])
        assert(not pcall(function() c.grace = "1s" end))
        assert(not pcall(function() c.list[1] = 1 end))
        assert(not pcall(function() ctx.config.new = 1 end))
        local n = 0 for _ in pairs(c) do n = n + 1 end
        ctx.publish("n", n)
      end
      return p
      """
    let rig = Rig(
      text, settings: PolicySettings(config: PlainData(bytes: config.bytes), deadline: nil))
    rig.online()
    #expect(rig.faults == [])
    #expect(rig.value("c")?.text == "9sx17")
    #expect(rig.value("n")?.integer == 3)
  }

  @Test func `a setting that the policy lacks, or of another kind, is refused by its place`() {
    func refused(_ write: (inout PlainWriter) -> Void) -> String? {
      var config = PlainWriter()
      let map = config.beginMap()
      write(&config)
      config.endMap(map, count: 1)
      return Rig.rejection(
        "return { api = 1, config = { grace = '2s', name = 'x', n = 1, on = false } }",
        settings: PolicySettings(
          config: PlainData(bytes: config.bytes), place: "config.lua: policies[\"p\"]",
          deadline: nil))
    }
    func text(_ key: String, _ value: String) -> String? {
      refused {
        $0.text(key)
        $0.text(value)
      }
    }
    let place = "config.lua: policies[\"p\"]"
    #expect(text("grce", "1s")?.contains("\(place).grce: the policy has no such setting") == true)
    #expect(text("grce", "1s")?.contains("did you mean 'grace'?") == true)
    #expect(text("grace", "soon")?.contains("\(place).grace: 'soon' is not a duration") == true)
    #expect(text("n", "1")?.contains("\(place).n: expected a number, not '1'") == true)
    #expect(text("on", "yes")?.contains("\(place).on: expected a boolean, not 'yes'") == true)
    #expect(text("name", "anything") == nil)
    #expect(text("grace", "1m") == nil)
  }

  @Test func `a policy's time is the wall clock that was handed in`() {
    let rig = Rig.onPath(
      """
      local t = ctx.time
      ctx.publish("t", t.date .. " " .. t.hour .. ":" .. t.minute .. " " .. t.weekday .. t.zone)
      """)
    rig.online()
    #expect(rig.faults == [])
    #expect(rig.value("t")?.text?.hasPrefix("1970-01-01 0:0 ") == true)
  }
}
