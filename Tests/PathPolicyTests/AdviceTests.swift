import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What is said of a policy that loads and still looks wrong.
struct AdviceTests {
  private func advice(
    _ text: String, modules: [String: String] = [:], grants: Grants? = nil
  ) throws -> [String] {
    let script = PolicyScript("p", text, modules: modules)
    let set = PolicyRuntime().load([script], reason: .start) { _ in .untimed }
    #expect(set.rejected == [])
    let declaration = try #require(set.loaded.first)
    return PolicyAdvice.advice(on: script, declaration, grants: grants).map(\.located)
  }

  /// A policy with this in `on_path`, from its second line on, and other handlers.
  private func onPath(
    _ body: String, _ handlers: String = "", table: String = "", grants: Grants? = nil
  ) throws -> [String] {
    try advice(
      "local p = { api = 1, \(table) } function p.on_path(ctx, ev)\n\(body)\nend\n\(handlers)\n"
        + "return p", grants: grants)
  }

  @Test func `of the policies that ship there is nothing to say`() throws {
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    #expect(directory.scripts.count >= 8)
    let set = PolicyRuntime().load(directory.scripts, reason: .start) { _ in .untimed }
    for declaration in set.loaded {
      let script = try #require(directory.scripts.first { $0.name == declaration.name })
      #expect(PolicyAdvice.advice(on: script, declaration, grants: Grants()) == [])
    }
  }

  @Test func `nor of the one to start from`() throws {
    let files = StarterPolicy(name: "p").files
    #expect(files.map(\.name) == ["p.lua", "p_test.lua"])
    #expect(try advice(files[0].text, grants: Grants()) == [])
  }

  @Test func `nor of a policy with all that goes together`() throws {
    let text = """
      local policy = {
        api = 1,
        monitors = { internet = {} },
        config = { grace = "2s", page = "https://www.example.com/" },
      }
      function policy.settle(ctx, ev)
        return ev.status == "satisfied" and "300ms" or ctx.config.grace
      end
      function policy.on_path(ctx, ev)
        if ev.status ~= "satisfied" then
          ctx.alert.raise { key = "connection", title = "Not connected", body = ev.why,
            buttons = { { id = "retry", label = "Try again" }, { id = "web", label = "View" } } }
        elseif ev.changed.status and not ev.initial then
          ctx.alert.raise { key = "connection", title = "Back online", expires = "5s" }
        end
      end
      function policy.on_button(ctx, ev)
        if ev.button == "retry" then
          ctx.retry { key = "page", http = { url = ctx.config.page }, now = true }
        end
        if ev.button == "web" then
          ctx.open_url { key = "web", url = ctx.config.page, browser = { "chrome", "default" } }
        end
      end
      return policy
      """
    #expect(try advice(text, grants: Grants()) == [])
  }

  // MARK: Handlers

  @Test(arguments: [
    ("on_timer", "ctx.timer.start"), ("on_button", "ctx.alert.raise"), ("on_result", "open_url"),
    ("on_dismissed", "ctx.alert.raise"),
  ]) func `a handler that can never run is told of, at its line`(
    handler: String, words: String
  ) throws {
    let found = try onPath("ctx.log('x')", "function p.\(handler)(ctx, ev) end")
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:4", handler, "never runs", words), "\(found)")
  }

  @Test(arguments: [
    ("on_timer", "ctx.timer.start_once('x', '1s')"), ("on_timer", "local f = ctx.timer.start"),
    ("on_timer", "ctx.timer[ev.why]('x', '1s')"), ("on_timer", "ctx.timer['start']('x', '1s')"),
    ("on_button", "local t = { buttons = ev }"), ("on_result", "ctx.cancel(ctx.retry and 'x')"),
    ("on_result", "ctx[ev.why] {}"), ("on_dismissed", "local raise = ctx.alert.raise"),
  ]) func `but not where it may run`(handler: String, body: String) throws {
    #expect(try onPath(body, "function p.\(handler)(ctx, ev) end") == [])
  }

  @Test func `every is a reason for on_timer, and without it does not load`() throws {
    let table = "every = { tick = '10s' }"
    #expect(try onPath("ctx.log('x')", "function p.on_timer() end", table: table) == [])
    #expect(
      Rig.rejection("return { api = 1, \(table) }")?.contains("needs a function on_timer") == true)
  }

  @Test func `a word that is only compared starts no timer`() throws {
    let found = try advice(
      """
      local p = { api = 1 }
      function p.on_start(ctx, ev) if ev.reason == "start" then ctx.log("x") end end
      function p.on_timer(ctx, ev) end
      return p
      """)
    #expect(says(found.first, "p.lua:3", "on_timer never runs"), "\(found)")
  }

  @Test func `comments and texts are not code, however they are written`() throws {
    let found = try onPath(
      """
      -- ctx.timer.start("x", "1s")
      --[==[ timer.start("x")
      ]] ]==] local s = [=[
      ctx.timer.start("x") ]=]
      s = "a \\" ctx.timer.start(" .. '\\'timer.start("x")' .. "\\z
         x"
      """, "function p.on_timer(ctx, ev) end")
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:9", "on_timer never runs"), "\(found)")
  }

  @Test func `what a module does counts where it is required`() throws {
    let text = """
      local m = require "m"
      local p = { api = 1 }
      function p.on_path(ctx, ev) m.go(ctx) end
      function p.on_timer(ctx, ev) end
      return p
      """
    let module = "return { go = function(ctx) ctx.timer.start('x', '1s') end }"
    #expect(try advice(text, modules: ["m": module]) == [])
    let other = "return { go = function(ctx) end }"
    #expect(try advice(text, modules: ["m": other, "n": module]).count == 1)
  }

  // MARK: Timers and buttons

  @Test func `a timer that nobody hears is told of`() throws {
    let found = try onPath("ctx.log('x')\nctx.timer.start('x', '1s')")
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:3", "on_timer"), "\(found)")
  }

  @Test func `buttons that nobody hears are told of`() throws {
    let found = try onPath(
      """
      ctx.alert.raise { key = "k", title = "t", expires = "1s",
        buttons = { { id = "a", label = "A" } } }
      """)
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:3", "on_button"), "\(found)")
  }

  // MARK: Alerts

  @Test(arguments: [
    "ctx.alert.raise { key = 'policy-rejected', title = 't' }",
    "ctx.alert.raise { key = 'policy-fault', title = 't', expires = '1s' }",
    "ctx.alert.resolve 'policy-rejected'", "ctx.alert.resolve('policy-fault')",
    "ctx.exec { key = 'policy-fault', command = 'c' }",
  ]) func `a key that is Netvane's own is told of, and never advised`(body: String) throws {
    let found = try onPath(body)
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:2", "is Netvane's own; take another"), "\(found)")
    #expect(!found.contains { $0.contains("ctx.alert.resolve(") }, "\(found)")
  }

  @Test func `a timer and a setting may be called as Netvane's alerts are`() throws {
    let found = try onPath(
      "ctx.timer.start('policy-fault', '1s') local mine = { key = 'policy-rejected' }\n"
        + "ctx.log(mine.key)", "function p.on_timer(ctx, ev) end")
    #expect(found == [])
  }

  @Test(arguments: [
    "ctx.alert.raise { key = 'k', title = 't' }", "ctx.alert.raise({ title = 't', key = \"k\", })",
    "local raise = 1 ctx.alert.raise { ['key'] = 'k', title = (function() return 't', 1 end)() }",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert.resolve 'other'",
  ]) func `an alert without an end is told of`(body: String) throws {
    let found = try onPath(body)
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:2", "'k'", "resolve", "expires"), "\(found)")
  }

  @Test(arguments: [
    "ctx.alert.raise { key = 'k', title = 't', expires = '1s' }",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert.resolve 'k'",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert.resolve('k')",
    "ctx.alert.raise { key = 'k', title = 't' } "
      + "ctx.alert.raise { key = 'k', title = 'u', expires = '1s' }",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert.resolve(ev.why)",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert.resolve('k' .. ev.why)",
    "ctx.alert.raise { key = 'k', title = 't' } local r = ctx.alert.resolve r('k')",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert['resolve']('k')",
    "ctx.alert.raise { key = 'k' .. ev.why, title = 't' }",
    "ctx.alert.raise { key = ev.why, title = 't' }",
    "local t = { key = 'k', title = 't', expires = '1s' } ctx.alert.raise(t)",
    "ctx.alert.raise { key = 'k', title = 't', [ev.why] = '1s' }",
    "ctx.alert.raise { key = 'k', title = 't' } ctx.alert[ev.why]('k')",
  ]) func `but not where it ends, or may end`(body: String) throws {
    #expect(try onPath(body) == [])
  }

  // MARK: Monitors

  private static let monitors =
    "monitors = { cable = {}, internet = {},\nwireless = { required = 'wifi' } }"

  @Test func `a monitor that is never named is told of`() throws {
    let found = try onPath(
      "if ev.monitor == 'cable' then ctx.log(ctx.path('internet').why) end", table: Self.monitors)
    #expect(found.count == 1)
    #expect(says(found.first, "p.lua:2", "'wireless'", "ev.monitor"), "\(found)")
  }

  @Test(arguments: [
    "ctx.log(ev.monitor)", "ctx.publish(ev.monitor, true)", "local m = ev.monitor",
    "if ev.monitor == ctx.config.x then end", "ctx.path(ev.why)", "for k, v in pairs(ev) do end",
    "ctx.log(ev[ev.why])", "local names = { internet = 1, wireless = 2 }",
    "ctx.path 'internet' ctx.timer.start('x', '1s', { until_change = 'wireless' })",
  ]) func `but not where any may be meant`(body: String) throws {
    #expect(
      try onPath(body, "function p.on_timer() end ctx = { start = 1 }", table: Self.monitors) == [])
  }

  @Test func `an only monitor needs no name`() throws {
    #expect(
      try onPath("ctx.log('x')", table: "monitors = { wireless = { required = 'wifi' } }") == [])
  }

  // MARK: Grants

  @Test func `an action that is not granted is told of, where there is a configuration`() throws {
    let body = """
      ctx.exec { key = "a", command = "reboto" }
      ctx.retry { key = "b", http = { url = "https://www.example.com/x" } }
      ctx.open_url { key = "c", url = "https://docs.example.org/" }
      ctx.exec { key = "d", command = "reboot" }
      ctx.exec { key = "e", command = ctx.config.x }
      ctx.open_url { key = "f", url = "https://docs.example.org/" .. ev.why }
      ctx.http { key = "g", url = "ftp://www.example.com" }
      """
    #expect(try onPath(body) == [])
    let grants = Grants(
      commands: ["reboot": ["/sbin/reboot"]], openURL: [], http: [.host("example.com")])
    let found = try onPath(body, grants: grants)
    #expect(found.count == 4)
    #expect(says(found.first, "p.lua:2", "'reboto' is not granted", "did you mean 'reboot'?"))
    #expect(found.contains { says($0, "p.lua:3", "www.example.com", "grants.http") })
    #expect(found.contains { says($0, "p.lua:4", "docs.example.org", "grants.open_url") })
    #expect(found.contains { says($0, "p.lua:8", "http://") }, "\(found)")
    let all = Grants(
      commands: ["reboto": ["/x"], "reboot": ["/x"]], openURL: [.any], http: [.below("example.com")]
    )
    #expect(try onPath(body, grants: all).count == 1)
  }

  // MARK: Tests

  @Test func `a test without a policy is told of, with the policy that is near`() {
    let found = PolicyAdvice.advice(
      onTests: ["a_test.lua", "banner_test.lua", "offlin_test.lua"], policies: ["a", "offline"]
    ).map(\.located)
    #expect(found.count == 2)
    #expect(says(found.first, "banner_test.lua", "no banner.lua", "rename"))
    #expect(says(found.last, "offlin_test.lua", "is it for offline.lua?"))
  }

  @Test func `cut texts, and any bytes, are read without a trap`() throws {
    let text = """
      local p = { api = 1, monitors = { a = {}, b = {} } } function p.on_path(ctx, ev)
      ctx.alert.raise { key = [==[k]==], title = "t\\"", } --[[ x ]] ctx.alert.resolve 'j' -- y
      end function p.on_timer() end return p
      """
    let declaration = PolicyDeclaration(
      name: "p",
      monitors: [MonitorDeclaration(name: "a"), MonitorDeclaration(name: "b")],
      handlers: [.path, .timer])
    let bytes = Array(text.utf8)
    for length in 0...bytes.count {
      let script = PolicyScript(name: "p", file: "p.lua", source: Array(bytes[..<length]))
      _ = PolicyAdvice.advice(on: script, declaration, grants: Grants())
    }
    for seed in 0..<200 {
      var mixed = bytes
      for step in 0..<8 {
        mixed[(seed * 31 + step * 97) % mixed.count] = UInt8((seed * 7 + step * 13) & 255)
      }
      let script = PolicyScript(name: "p", file: "p.lua", source: mixed)
      _ = PolicyAdvice.advice(on: script, declaration, grants: Grants())
    }
  }

  // MARK: Names

  @Test func `L-11 what other versions of Lua had is told of with its line`() throws {
    let end = "; the README beside the policies lists what there is"
    let told = try onPath(
      """
      local n = table.getn({})
      setfenv(1, {})
      local a = unpack({ 1 })
      local b = math.pow(2, 3)
      for word in string.gfind("a", "b") do ctx.log(word) end
      local c = loadstring("return 1")
      ctx.log(7 // 2, utf8.char(65), undefined_thing, tostrin(n))
      goto done
      ::done::
      """)
    #expect(
      told == [
        "p.lua:2: table has no 'getn' here; use #list",
        "p.lua:3: there is no 'setfenv' here: policies have no such thing" + end,
        "p.lua:4: there is no 'unpack' here; use table.unpack",
        "p.lua:5: math has no 'pow' here; use x ^ y",
        "p.lua:6: string has no 'gfind' here; use gmatch",
        "p.lua:7: there is no 'loadstring' here: policies have no such thing" + end,
        "p.lua:8: there is no 'tostrin' here; did you mean 'tostring'?",
        "p.lua:8: there is no 'undefined_thing' here" + end,
      ])
  }

  @Test func `names that are declared anywhere, fields, keys and labels are no news`() throws {
    let told = try advice(
      """
      local policy, helper <const>, other = { api = 1 }, { x = 1, y = 2 }, {}
      local table_of = { first = helper.x, ["second"] = 1, third = function(a, ...) return a end }
      function shared(one, two) return one.field.of.it, two:method(), select("#", 1) end
      local function recursive(depth) return depth > 0 and recursive(depth - 1) end
      counter = 0
      function policy.on_path(ctx, ev)
        for place, entry in ipairs(ev.interfaces) do
          local name <const>, rest = entry.name, place
          if name == "x" then goto done end
          ctx.log(name .. rest, shared(other, other), recursive(3), table_of.third(1))
        end
        ::done::
        counter = counter + 1
        local string = { gfind = print }
        string.gfind(math.huge, utf8.charpattern)
      end
      return policy
      """)
    #expect(told == [])
  }
}
