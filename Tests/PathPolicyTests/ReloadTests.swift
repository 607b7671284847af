import PathCore
import PathPolicy
import PathTestKit
import Testing

/// Policies that are edited, broken, removed and put back while they run.
struct ReloadTests {
  static func ticking(_ edit: Int) -> String {
    """
    local p = { api = 1, every = { often = "10s" } }  -- edit \(edit)
    function p.on_start(ctx) ctx.timer.start("t", "60s") end
    function p.on_path(ctx, ev) ctx.log("path") end
    function p.on_timer(ctx, ev) ctx.log(ev.name) end
    return p
    """
  }

  // L-08
  @Test func `ten edits leave one handler and one timer`() {
    let rig = Rig(Self.ticking(0))
    rig.online()
    for edit in 1...10 { rig.load(["p": Self.ticking(edit)], reason: .reload) }
    #expect(rig.logged == ["path"])
    rig.offline(settling: .milliseconds(250))
    #expect(rig.logged == ["path", "path"])
    rig.simulator.advance(.seconds(60))
    #expect(rig.logged.count { $0 == "t" } == 1)
    #expect(rig.logged.count { $0 == "often" } == 6)
  }

  @Test func `content decides whether a policy changed, not that it was read again`() {
    let runtime = PolicyRuntime()
    func changed(_ text: String) -> Set<String> {
      runtime.load([PolicyScript("p", text)], reason: .reload).changed
    }
    #expect(changed("return { api = 1 } -- a") == ["p"])
    #expect(changed("return { api = 1 } -- a") == [])
    #expect(changed("return { api = 1 } -- b") == ["p"])
  }

  @Test func `other settings load the policy anew`() {
    let rig = Rig(
      "return { api = 1, config = { g = '1s' }, on_start = function(c) c.log(c.config.g) end }")
    var config = PlainWriter()
    let map = config.beginMap()
    config.text("g")
    config.text("5s")
    config.endMap(map, count: 1)
    rig.load(
      [
        "p":
          "return { api = 1, config = { g = '1s' }, on_start = function(c) c.log(c.config.g) end }"
      ],
      reason: .reload,
      settings: PolicySettings(config: PlainData(bytes: config.bytes), deadline: nil))
    #expect(rig.logged == ["1s", "5s"])
  }

  @Test func `what a policy holds in its locals outlives any amount of garbage`() {
    let rig = Rig(
      """
      local seen = {}
      local p = { api = 1 }
      function p.on_start(ctx) ctx.timer.start("late", "61s") end
      function p.on_path(ctx, ev)
        seen[#seen + 1] = ev.sequence
        for i = 1, 5000 do local _ = { i } end
      end
      function p.on_timer(ctx) ctx.publish("seen", #seen) end
      return p
      """)
    for _ in 0..<10 {
      rig.online()
      rig.offline()
    }
    rig.simulator.advance(.seconds(10))
    #expect(rig.value("seen")?.integer == 20)
    #expect(rig.faults == [])
  }

  // L-10
  @Test func `of five policies one is off, one is broken, and three run`() {
    let good = "return { api = 1, on_path = function(ctx) ctx.publish('ran', true) end }"
    let rig = Rig([
      "a": good, "b": "return { api = 1, enabled = false, on_path = function() error('x') end }",
      "c": "local t = {}\nlocal x = t.options.grace\nreturn { api = 1 }", "d": good, "e": good,
    ])
    rig.online()
    #expect(rig.simulator.published.keys.sorted() == ["a/ran", "d/ran", "e/ran"])
    #expect(rig.rejections.count == 1)
    #expect(says(rig.rejections.first, "c.lua:2", "attempt to index a nil value"))
    #expect(rig.faults == [])
  }

  @Test func `a broken edit leaves the last good text at work and says so`() {
    let text = "return { api = 1, on_path = function(ctx, ev) ctx.publish('s', ev.sequence) end }"
    let rig = Rig(text)
    rig.online()
    rig.load(["p": "return { api = 1, on_paht = print }"], reason: .reload)
    #expect(says(rig.rejections.first, "p.lua:1", "did you mean 'on_path'?"))
    rig.offline()
    #expect(rig.value("s")?.integer == 2)
    rig.load(["p": text], reason: .reload)
    rig.online()
    #expect(rig.value("s")?.integer == 3)
  }

  @Test func `an alert outlives an edit and ends with its policy`() {
    let text = { (edit: Int) in
      """
      -- \(edit)
      return { api = 1, on_start = function(ctx)
        if ctx.alert.active "k" then return ctx.log "still" end
        ctx.alert.raise { key = "k", title = "t" }
      end }
      """
    }
    let rig = Rig(text(1))
    rig.load(["p": text(2)], reason: .reload)
    #expect(rig.logged == ["still"])
    #expect(rig.notices == ["raised k"])
    rig.load([:], reason: .reload)
    #expect(rig.notices == ["raised k", "resolved k"])
  }

  @Test func `three faults in a row and a policy rests, an edit wakes it`() {
    let rig = Rig("return { api = 1, on_path = function() error('x') end }")
    for _ in 0..<2 {
      rig.online()
      rig.offline()
    }
    #expect(rig.faults.count == 3)
    #expect(rig.simulator.alerts["p/policy-fault"]?.body.hasPrefix("p.lua:1: x") == true)
    rig.load(
      ["p": "return { api = 1, on_path = function(ctx) ctx.publish('ok', 1) end }"],
      reason: .reload)
    rig.offline()
    #expect(rig.value("ok")?.integer == 1)
    #expect(rig.simulator.alerts["p/policy-fault"] == nil)
  }

  @Test func `random numbers are those of the seed`() {
    let text = """
      return { api = 1, on_path = function(ctx)
        ctx.publish("r", math.random(1000000) .. " " .. math.random()) end }
      """
    var values: [String?] = []
    for _ in 0..<2 {
      let rig = Rig(text)
      rig.online()
      values.append(rig.value("r")?.text)
      rig.offline()
      values.append(rig.value("r")?.text)
    }
    #expect(values[0] == values[2] && values[1] == values[3] && values[0] != values[1])
  }
}
