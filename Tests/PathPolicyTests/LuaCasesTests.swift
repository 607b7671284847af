import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What went wrong elsewhere with scripts, by public reports, each with a good policy beside it
/// that must not notice. (L-08 and L-10 are with the reloads, L-11 is with the advice.)
struct LuaCasesTests {
  private static let good = """
    local p = { api = 1, settle = "0s" }
    function p.on_path(ctx, ev) ctx.publish("seen", ev.status) end
    return p
    """

  /// The bad one's faults, once both have seen the network come and go.
  private func faults(_ bad: String) -> [String] {
    let rig = Rig(["bad": bad, "good": Self.good])
    rig.online()
    rig.offline()
    #expect(
      rig.simulator.published["good/seen"].flatMap { PlainReader.decode($0)?.text } == "unsatisfied"
    )
    #expect(!rig.faults.contains { $0.policy == "good" })
    return rig.rejections + rig.faults.map(\.located)
  }

  private func faults(onPath body: String) -> [String] {
    faults("local p = { api = 1 } function p.on_path(ctx, ev)\n\(body)\nend return p")
  }

  @Test func `L-01 a pattern that backtracks for ever ends with its call`() {
    let told = faults(onPath: "string.find(('a'):rep(10000), '.-.-.-.-b')")
    #expect(told.count >= 1)
    #expect(told.allSatisfy { $0.hasPrefix("bad.lua:2: ") }, "\(told)")
  }

  @Test func `L-02 there are no coroutines to hide an endless loop in`() {
    let told = faults(onPath: "coroutine.wrap(function() while true do end end)()")
    #expect(told.first.map { says($0, "bad.lua:2", "coroutine") } == true)
    #expect(faults("local c = coroutine.create(print) return { api = 1 }").first != nil)
  }

  @Test func `L-03 who changes what is global changes it for himself alone`() {
    let told = faults(
      """
      string.format, table.insert, pairs = nil, nil, nil
      local p = { api = 1 }
      function p.on_path(ctx, ev) setmetatable(_G, nil) end
      return p
      """)
    #expect(told.first != nil)
  }

  @Test func `L-04 a string's methods have the limits of the functions`() {
    for call in ["s = s:rep(1000)", "s = string.rep(s, 1000)"] {
      let told = faults(onPath: "local s = 'abcd' for i = 1, 4 do \(call) end")
      #expect(told.first.map { $0.hasPrefix("bad.lua:2: ") } == true, "\(told)")
    }
    #expect(faults(onPath: "return ('x'):format(), ('a'):find('a')") == [])
  }

  @Test func `L-05 nothing loads text, and nothing leads to the real globals`() {
    for call in [
      "load('return os')()", "loadstring('return io')", "require('io')", "require('os')",
      "string.dump(function() end)", "dofile('/etc/passwd')", "debug.getregistry()",
      "os.execute('true')", "io.open('/etc/passwd')", "getmetatable('').__index.rep = nil",
    ] {
      let told = faults(onPath: call)
      #expect(told.first.map { $0.hasPrefix("bad.lua:2: ") } == true, "\(call): \(told)")
    }
  }

  @Test(arguments: [
    ("0/0", "nan"), ("-1", "not -1"), ("1e300", "1e+300"), ("math.huge", "inf"),
    ("nil", "nil"), ("'-5s'", "-5s"), ("'soon'", "soon"), ("'1e9s'", "1e9s"), ("{}", "table"),
    ("'0s'", "longer than nothing"),
  ])
  func `L-06 a delay that is none is an error with its line`(_ delay: String, _ said: String) {
    let told = faults(onPath: "ctx.timer.start('t', \(delay))")
    #expect(told.first.map { says($0, "bad.lua:2", said) } == true, "\(told)")
  }

  @Test func `L-07 errors in the host's functions are caught like any other, for ever`() {
    let rig = Rig(
      """
      local p = { api = 1, settle = "0s" }
      function p.on_path(ctx, ev)
        local caught = 0
        for i = 1, 40 do
          local raised = pcall(ctx.alert.raise, { key = "k", title = {}, body = ctx })
          local published = pcall(ctx.publish, "n", { f = print })
          if not raised then caught = caught + 1 end
          if not published then caught = caught + 1 end
        end
        ctx.publish("caught", caught)
      end
      return p
      """)
    rig.online()
    // A state has 8 MiB: what was left behind by each of these would not fit.
    for _ in 0..<200 {
      rig.offline(settling: .zero)
      rig.online()
    }
    #expect(rig.faults == [] && rig.value("caught")?.integer == 80)
  }

  @Test func `L-09 what was asked for lasts, whatever the script holds on to`() {
    let rig = Rig(
      """
      local p = { api = 1, settle = "0s" }
      function p.on_start(ctx) local unused = ctx.timer.start("t", "60s") end
      function p.on_path(ctx, ev)
        for i = 1, 1000 do local garbage = { i, tostring(i) } end
        ctx.publish("seen", ev.sequence)
      end
      function p.on_timer(ctx, ev) ctx.publish("fired", ev.name) end
      return p
      """)
    for _ in 0..<30 {
      rig.online()
      rig.offline(settling: .seconds(2))
    }
    rig.simulator.advance(.seconds(10))
    #expect(rig.value("fired")?.text == "t" && rig.value("seen")?.integer == 60)
    #expect(rig.faults == [])
  }

  @Test func `L-12 a path without an interface is the first one to try, and an error has its line`()
  {
    let rig = Rig(
      """
      local p = { api = 1, settle = "0s" }
      function p.on_path(ctx, ev)
        ctx.publish("seen", ev.status)
        local gateway = ev.gateways[1] or "none"
        ctx.publish("gateway", gateway)
        if ev.interface == nil then
          local first = ev.interfaces[1].name
        end
      end
      return p
      """)
    rig.online()
    #expect(rig.faults == [])
    rig.offline()
    #expect(rig.faults.map(\.located).allSatisfy { $0.hasPrefix("p.lua:7: ") })
    #expect(rig.faults.count == 1)
    // Nothing of the failing call held, and later changes are heard.
    #expect(rig.value("seen")?.text == "satisfied")
    rig.simulator.feed(.snapshot(.online("eth0", type: .wired, index: 7)))
    #expect(rig.faults.count == 1)
  }
}
