import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What is said of a handler that asks for something that is not there, and where.
struct HandlerErrorsTests {
  /// A body of `on_path` whose second line is wrong, and what is said of it.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let body: String
    var parts: [String]

    init(_ body: String, _ parts: String...) {
      self.body = body
      self.parts = parts
    }

    var testDescription: String { body }
  }

  static let bodies: [Wrong] = [
    Wrong("ctx.alert.rise { }", "ctx.alert has no 'rise'; did you mean 'raise'?"),
    Wrong(
      "ctx.alert:raise { key = 'a', title = 'b' }", "call it with a dot: ctx.alert.raise { … }"),
    Wrong("ctx.alert:resolve 'a'", "call it with a dot: ctx.alert.resolve(key)"),
    Wrong("ctx.alert:active 'a'", "call it with a dot"),
    Wrong("ctx.timer:start('a', '1s')", "call it with a dot: ctx.timer.start(name, duration)"),
    Wrong("ctx.timer:start_once('a', '1s')", "call it with a dot"),
    Wrong("ctx.timer:cancel 'a'", "call it with a dot"),
    Wrong("ctx.timer:active 'a'", "call it with a dot"),
    Wrong("ctx:log 'x'", "call it with a dot: ctx.log(text)"),
    Wrong("ctx:publish('a', 1)", "call it with a dot: ctx.publish(name, value)"),
    Wrong("ctx:path 'internet'", "call it with a dot: ctx.path(monitor)"),
    Wrong("ctx.alert.raise()", "ctx.alert.raise is a table { … }, not nil"),
    Wrong("ctx.alert.raise 'x'", "ctx.alert.raise is a table { … }, not 'x'"),
    Wrong("ctx.alert.raise { title = 'b' }", "ctx.alert.raise needs 'key'"),
    Wrong("ctx.alert.raise { key = 'a' }", "ctx.alert.raise needs 'title'"),
    Wrong("ctx.alert.raise { key = 'a', titel = 'b' }", "no 'titel'; did you mean 'title'?"),
    Wrong("ctx.alert.raise { key = 1, title = 'b' }", "'key': expected a key, not 1"),
    Wrong("ctx.alert.raise { key = '', title = 'b' }", "'key': a key must not be empty"),
    Wrong("ctx.alert.raise { key = ('k'):rep(129), title = 'b' }", "may have 128 bytes, not 129"),
    Wrong("ctx.alert.raise { key = 'policy-fault', title = 'b' }", "is Netvane's own"),
    Wrong(
      "ctx.alert.raise { key = 'policy-rejected', title = 'b' }",
      "'key': the key 'policy-rejected' is Netvane's own; take another"),
    Wrong(
      // A timer may have the name, which makes it a known word.
      "local k = 'policy-rejected' ctx.timer.start(k, '1s') ctx.timer.start(k, '1s') "
        + "ctx.alert.raise { key = k, title = 'b' }", "is Netvane's own"),
    Wrong("ctx.alert.resolve 'policy-rejected'", "is Netvane's own"),
    Wrong("ctx.alert.raise { key = 'a', title = {} }", "'title': expected a text, not a table"),
    Wrong("ctx.alert.raise { key = 'a', title = '' }", "'title': a text must not be empty"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', body = true }", "'body': expected a text"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', severity = 'warn' }", "mean 'warning'?"),
    Wrong(
      "ctx.alert.raise { key = 'a', title = 'b', severity = 3 }", "3 is no severity; it may be"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', expires = 5 }", "'expires': a duration is"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', expires = '0s' }", "longer than nothing"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', channel = 1 }", "'channel': expected a name"),
    Wrong(
      "ctx.alert.raise { key = 'a', title = 'b', buttons = 'x' }", "expected a list of buttons"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', buttons = { a = 1 } }", "found the key 'a'"),
    Wrong("ctx.alert.raise { key = 'a', title = 'b', buttons = { 'x' } }", "a button is a table"),
    Wrong(
      "ctx.alert.raise { key = 'a', title = 'b', buttons = { { id = 'x' } } }", "needs 'label'"),
    Wrong(
      "ctx.alert.raise { key = 'a', title = 'b', buttons = { { id = 'x', lable = 'y' } } }",
      "'buttons': a button has no 'lable'; did you mean 'label'?"),
    Wrong(
      "local b = { id = 'x', label = 'y' } "
        + "ctx.alert.raise { key = 'a', title = 'b', buttons = { b, b } }",
      "two buttons have the id 'x'"),
    Wrong(
      "local b = {} for i = 1, 9 do b[i] = { id = 'x' .. i, label = 'y' } end "
        + "ctx.alert.raise { key = 'a', title = 'b', buttons = b }", "at most 8 buttons"),
    Wrong("ctx.alert.raise = 1", "ctx.alert is read-only"),
    Wrong("ctx.alert.resolve(nil)", "expected a key, not nil"),
    Wrong("ctx.alert.active {}", "expected a key, not a table"),
    Wrong("ctx.timer.begin('a', '1s')", "ctx.timer has no 'begin'; it may be active, cancel"),
    Wrong("ctx.timer.start('a')", "a duration is a string such as \"10s\", not nil"),
    Wrong("ctx.timer.start(5, '1s')", "expected a name, not 5"),
    Wrong("ctx.timer.start('a', '1s', 5)", "the timer's options is a table { … }, not 5"),
    Wrong("ctx.timer.start('a', '1s', { until_chnge = 'internet' })", "mean 'until_change'?"),
    Wrong("ctx.timer.start('a', '1s', { until_change = 'intern' })", "monitor of this policy"),
    Wrong("ctx.timer.start('a', '1s', { across_reboot = 1 })", "expected a boolean, not 1"),
    Wrong("ctx.timer.cancel()", "expected a name, not nil"),
    Wrong("ctx.publish()", "expected a name, not nil"),
    Wrong("ctx.publish 'a'", "ctx.publish('a', value) needs a value"),
    Wrong("ctx.publish('a', print)", "ctx.publish('a'): the value: a function is not plain data"),
    Wrong("ctx.publish('a', { x = 1/0 })", "the value.x: an infinite number is not plain data"),
    Wrong("ctx.publish('a', ('x'):rep(5000))", "ctx.publish('a'): at most 4 KiB"),
    Wrong("ctx.publish('a\\xFF', 1)", "a name must be UTF-8"),
    Wrong(
      "ctx.publish('a', { ['\\xFE'] = 1, ['\\xFF'] = 2 })",
      "ctx.publish('a'): a key in the value is not UTF-8"),
    Wrong("ctx.publish('a', { { b = { ['\\xED\\xA0\\x80'] = 1 } } })", "is not UTF-8"),
    Wrong(
      "ctx.publish('a', { [7] = 1, ['7'] = 2 })",
      "the value has both a number and a text as the key '7'"),
    Wrong(
      "ctx.path 'intranet'", "'intranet' is no monitor of this policy; did you mean 'internet'"),
    Wrong("ctx.path()", "nil is no monitor of this policy; it may be internet"),
    Wrong("ctx.alrt.raise { }", "ctx has no 'alrt'; did you mean 'alert'?"),
    Wrong("local _ = ctx.zzzzzzzz", "ctx has no 'zzzzzzzz'; it may be alert, cancel, config"),
    Wrong("local _ = ctx[{}]", "ctx has no 'table'"),
    Wrong("ctx.mine = 1", "ctx.mine cannot be set; keep values in ctx.state"),
    Wrong("ctx.config = {}", "ctx.config cannot be set"),
    Wrong("ctx.log = print", "ctx.log cannot be set"),
    Wrong("ctx.config.x = 1", "read-only"),
    Wrong("ctx.state = nil", "ctx.state is a table; set it to {} to empty it"),
    Wrong("ctx.state = 5", "ctx.state is a table"),
    Wrong("local _ = ev.interfaces[9].name", "attempt to index a nil value"),
    Wrong("local _ = 'via ' .. ev.since", "attempt to concatenate a nil value"),
    Wrong("error('of its own')", "of its own"),
    Wrong("error({})", "(error object is a table value)"),
    Wrong("unpack {}", "attempt to call a nil value (global 'unpack')"),
    Wrong("pcall(error) error('after')", "after"),
    Wrong("assert(pcall(ctx.log, 'x')) ctx.alert.raise {}", "needs 'key'"),
    Wrong("local ok, e = pcall(ctx.alert.raise, {}) error(e, 0)", "needs 'key'"),
    Wrong("local t = { ctx.alert.raise } t[1] {}", "needs 'key'"),
    Wrong("while true do end", "it used up its 1000000 units of fuel"),
    Wrong("local t = {} while true do t = { t, {} } end", "more memory than it may have"),
    Wrong("local s = 'x' while true do s = s .. s end", "more memory than it may have"),
    Wrong("local function f() return 1 + f() end f()", ""),
    Wrong("for i = 1, 65 do ctx.publish('n' .. i, i) end", "at most 64 decisions in one handler"),
    Wrong("ctx.timer.start(('t'):rep(200), '1s')", "a name may have 128 bytes, not 200"),
  ]

  @Test(arguments: bodies) func `a wrong call is a fault at its line`(_ wrong: Wrong) {
    let said = Rig.fault(onPath: wrong.body)
    #expect(said?.hasPrefix("p.lua:2: ") == true, "\(said ?? "accepted")")
    for part in wrong.parts where !part.isEmpty {
      #expect(said?.contains(part) == true, "\(said ?? "accepted")")
    }
  }

  static let durations = [
    "0/0", "-0/0", "1/0", "-1/0", "-1", "0", "5", "0.0005", "1e300", "math.mininteger",
    "math.maxinteger", "math.huge", "true", "{}", "print", "''", "'10'", "'5 s'", "' 5s'", "'5s '",
    "'-1s'", "'+1s'", "'1.5.5s'", "'.5s'", "'5.s'", "'1e9s'", "'1e9999s'", "'nan'", "'inf'", "'s'",
    "'5S'", "'5sec'", "'1s1m'", "'1s1s'", "'1m 30s'", "'367d'", "'99999999999999999999s'",
    "'9999999999d'", "'1.0000000001s'", "'0x10s'", "'5s\\0'", "('1'):rep(100) .. 's'", "'٣s'",
    "'1ns'",
  ]

  @Test(arguments: durations) func `a value that is no duration is refused`(_ value: String) {
    for call in [
      "ctx.timer.start('a', \(value))", "ctx.timer.start_once('a', \(value))",
      "ctx.alert.raise { key = 'k', title = 't', expires = \(value) }",
    ] {
      #expect(says(Rig.fault(onPath: call), "p.lua:2", "duration"), "\(call)")
    }
    let settle = "return { api = 1,\nsettle = function() return \(value) end }"
    let rig = Rig(settle)
    rig.online()
    rig.offline()
    #expect(rig.faults.first?.located.hasPrefix("p.lua:2: settle must return a duration") == true)
  }

  @Test(arguments: [
    ("1s", Duration.seconds(1)), ("1m30s", .seconds(90)), ("1.5s", .milliseconds(1500)),
    ("250ms", .milliseconds(250)), ("1us", .milliseconds(1)), ("0.0005s", .milliseconds(1)),
    ("0.000000001us", .milliseconds(1)), ("1d2h3m4s5ms6us", .nanoseconds(93_784_005_006_000)),
    ("366d", .seconds(366 * 86_400)), ("0.5d", .seconds(43_200)), ("090s", .seconds(90)),
  ]) func `a duration is as long as it says`(_ text: String, _ length: Duration) {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_path(ctx) ctx.timer.start("t", "\(text)") end
      function p.on_timer(ctx, ev) ctx.log(ev.name .. " " .. ev.late) end
      return p
      """)
    rig.online()
    rig.simulator.advance(length - .nanoseconds(1))
    #expect(rig.logged == [])
    rig.simulator.advance(.nanoseconds(1))
    #expect(rig.logged == ["t 0s"])
    #expect(rig.faults == [])
  }

  @Test func `an error in a module names the module, an error in its use the policy`() {
    let modules = [
      "helper": "local m = {}\nfunction m.bad(ctx) ctx.alert.raise { kee = 'x' } end\n"
        + "function m.index(t)\n  return t.a.b\nend\nreturn m"
    ]
    let text = { (call: String) in
      "local m = require 'helper'\nreturn { api = 1, on_path = function(ctx, ev)\n\n\(call) end }"
    }
    for (call, place) in [
      ("m.bad(ctx)", "lib/helper.lua:2"), ("m.index {}", "lib/helper.lua:4"),
      ("m.wrong()", "p.lua:4"),
    ] {
      let rig = Rig(text(call), modules: modules)
      rig.online()
      #expect(says(rig.faults.first?.located, place), "\(rig.faults)")
    }
  }

  @Test func `a tail call leaves no line, so the handler's first is named`() {
    let rig = Rig("return { api = 1,\non_path = function(ctx)\nreturn ctx.alert.raise {} end }")
    rig.online()
    #expect(says(rig.faults.first?.located, "p.lua:2", "needs 'key'"), "\(rig.faults)")
  }

  @Test func `a settle function from a module is named by the module's line`() {
    let rig = Rig(
      "local m = require 'm'\nreturn { api = 1, settle = m.settle }",
      modules: ["m": "return {\nsettle = function() return 5 end }"])
    rig.online()
    rig.offline()
    #expect(says(rig.faults.first?.located, "lib/m.lua:2", "settle must return a duration"))
  }
}
