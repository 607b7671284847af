import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What is said of a wrong call of a verb that acts, and where.
struct ActionErrorsTests {
  typealias Wrong = HandlerErrorsTests.Wrong

  private static func exec(_ entry: String, _ parts: String...) -> Wrong {
    var wrong = Wrong("ctx.exec { key = 'k', command = 'c', \(entry) }")
    wrong.parts = parts
    return wrong
  }

  private static func open(_ entry: String, _ parts: String...) -> Wrong {
    var wrong = Wrong("ctx.open_url { key = 'k', url = 'http://a', \(entry) }")
    wrong.parts = parts
    return wrong
  }

  private static func http(_ entry: String, _ parts: String...) -> Wrong {
    var wrong = Wrong("ctx.http { key = 'k', url = 'http://a', \(entry) }")
    wrong.parts = parts
    return wrong
  }

  private static func retry(_ entry: String, _ parts: String...) -> Wrong {
    var wrong = Wrong("ctx.retry { key = 'k', exec = { command = 'c' }, \(entry) }")
    wrong.parts = parts
    return wrong
  }

  static let calls: [Wrong] = [
    Wrong("ctx:exec { key = 'k', command = 'c' }", "call it with a dot: ctx.exec { … }"),
    Wrong("ctx:open_url { key = 'k', url = 'http://a' }", "with a dot: ctx.open_url { … }"),
    Wrong("ctx:http { key = 'k', url = 'http://a' }", "with a dot: ctx.http { … }"),
    Wrong("ctx:retry { key = 'k' }", "with a dot: ctx.retry { … }"),
    Wrong("ctx:cancel 'k'", "with a dot: ctx.cancel(key)"),
    Wrong("ctx.exce { }", "ctx has no 'exce'; did you mean 'exec'?"),
    Wrong("ctx.open { }", "ctx has no 'open'; it may be alert, cancel"),
    Wrong("ctx.exec()", "ctx.exec is a table { … }, not nil"),
    Wrong("ctx.exec 'ls -l'", "ctx.exec is a table { … }, not 'ls -l'"),
    Wrong("ctx.exec { }", "ctx.exec needs 'command'"),
    Wrong("ctx.exec { command = 'c' }", "ctx.exec needs 'key'"),
    Wrong("ctx.open_url { key = 'k' }", "ctx.open_url needs 'url'"),
    Wrong("ctx.http { key = 'k' }", "ctx.http needs 'url'"),
    Wrong("ctx.exec { key = 5, command = 'c' }", "'key': expected a key, not 5"),
    Wrong("ctx.exec { key = 'k', command = { 'ls' } }", "'command': expected a name, not a table"),
    Wrong("ctx.exec { key = 'policy-fault', command = 'c' }", "'key'", "Netvane's own"),
    Wrong("ctx.cancel 'policy-rejected'", "Netvane's own"),
    Wrong(
      "ctx.retry { key = 'k', http = { url = 'http://a', "
        + "expect = { contains = ('x'):rep(1025) } } }",
      "'contains': a text may have 1024 bytes, not 1025"),
    Wrong("ctx.cancel()", "expected a key, not nil"),
    Wrong("ctx.cancel { key = 'k' }", "expected a key, not a table"),
    Wrong("ctx.exec = nil", "ctx.exec cannot be set"),
  ]

  static let execs: [Wrong] = [
    exec("arg = { 'a' }", "ctx.exec has no 'arg'; did you mean 'args'?"),
    exec("limt = '1/1h'", "did you mean 'limit'?"), exec("cooldown = '1s'", "no 'cooldown'"),
    exec("only_whle = 'x'", "did you mean 'only_while'?"),
    exec("[1] = 'a'", "ctx.exec has no '1'"),
    exec("args = { 'a', {} }", "'args': expected a text, not a table"),
    exec("args = { a = 'b' }", "'args': expected a list, found the key 'a'"),
    exec("args = { true }", "'args': expected a text, not true"),
    exec("args = { 'a\\0b' }", "'args': an argument cannot hold a zero byte"),
    exec("args = { '\\xFF' }", "'args': an argument must be UTF-8"),
    exec("timeout = 5", "'timeout': a duration is a string such as \"10s\", not 5"),
    exec("timeout = '5'", "'timeout': '5' is not a duration"),
    exec("timeout = '0s'", "'timeout': the duration must be longer than nothing"),
    exec("disturbs = true", "'disturbs': a duration is a string"),
    exec("disturbs = '367d'", "'disturbs'", "at most a year"),
    exec("only_while = 'satisfeid'", "is no status; did you mean 'satisfied'?"),
    exec("only_while = true", "true is no status; it may be satisfied, unsatisfied"),
  ]

  /// What is no limit.
  static let limits = [
    "3", "'3'", "'3/'", "'/1h'", "'0/1h'", "'-1/1h'", "'1.5/1h'", "'1001/1h'", "'99999/1h'",
    "'1/0s'", "'1/h'", "'1/1'", "'1 /1h'", "'1/1h '", "'1/1h/1h'", "'1e2/1h'", "'0x1/1h'", "{}",
    "true", "'1/367d'", "'٣/1h'", "('1'):rep(5000) .. '/1h'", "'1/' .. ('1h'):rep(5000)",
  ]

  static let others: [Wrong] = [
    open("browsers = { }", "ctx.open_url has no 'browsers'; did you mean 'browser'?"),
    open("browser = 5", "'browser': expected a name, not 5"),
    open("cooldown = 60", "'cooldown': a duration is a string"),
    open("disturbs = '1s'", "ctx.open_url has no 'disturbs'"),
    Wrong("ctx.open_url { key = 'k', url = '' }", "'url': a URL must not be empty"),
    Wrong("ctx.open_url { key = 'k', url = {} }", "'url': expected a URL, not a table"),
    http("method = 'get'", "'get' is no method; it may be GET, HEAD"),
    http("method = 'DELETE'", "'DELETE' is no method"),
    http("body = {}", "'body': expected a text, not a table"),
    http("body = ('x'):rep(65537)", "'body': a body may have 64 KiB, not 65537 bytes"),
    http("body = '\\xC3'", "'body': a body must be UTF-8"),
    http("headers = 'A: b'", "'headers': expected { name = value }, not 'A: b'"),
    http("headers = { 'A: b' }", "expected { name = value } of texts, found 1 = 'A: b'"),
    http("headers = { A = 1 }", "found 'A' = 1"),
    http("headers = { A = '\\xFF' }", "a header must be UTF-8"),
    http("expect = 'ok'", "'expect'", "expected a number from 100 to 599, not 'ok'"),
    http("expect = 99", "from 100 to 599, not 99"), http("expect = 200.5", "not 200.5"),
    http("expect = { staus = 200 }", "what is expected has no 'staus'; did you mean 'status'?"),
    http("expect = { contains = '' }", "'contains': a text must not be empty"),
    http(
      "expect = { contains = ('x'):rep(1025) }", "'expect': 'contains'",
      "a text may have 1024 bytes, not 1025"),
    http("expect = { contains = ('x'):rep(9999) }", "not 9999"),
    http("expect = { contains = '\\xFF' }", "'contains': a text must be UTF-8"),
    http("interface = 5", "'interface': expected a name, not 5"),
    http("contains = 'x'", "ctx.http has no 'contains'"),
  ]

  static let retries: [Wrong] = [
    Wrong("ctx.retry { key = 'k' }", "ctx.retry needs one of exec, http and open_url"),
    Wrong("ctx.retry { exec = { command = 'c' } }", "ctx.retry needs 'key'"),
    Wrong("ctx.retry { key = 'k', exec = 'c' }", "'exec': expected a table, not 'c'"),
    Wrong("ctx.retry { key = 'k', exec = { } }", "ctx.exec needs 'command'"),
    Wrong(
      "ctx.retry { key = 'k', exec = { key = 'l', command = 'c' } }",
      "the exec in ctx.retry has the key of the retry; leave its own out"),
    Wrong("ctx.retry { key = 'k', http = { urls = 'http://a' } }", "no 'urls'; did you mean 'url'"),
    retry("http = { url = 'http://a' }", "takes one of exec, http and open_url, not two"),
    retry("open_url = { url = 'http://a' }", "takes one of exec, http and open_url, not two"),
    retry("bse = '1s'", "ctx.retry has no 'bse'; did you mean 'base'?"),
    retry("base = 1", "'base': a duration is a string"),
    retry("base = '0s'", "longer than nothing"),
    retry("base = '10s', cap = '9s'", "'cap' must not be less than 'base'"),
    retry("cap = '900ms'", "'cap' must not be less than 'base', which is 1s"),
    retry("attempts = 0", "'attempts': expected a whole number from 1 on, not 0"),
    retry("attempts = 1.5", "whole number"), retry("attempts = '3'", "whole number"),
    retry("attempts = 0/0", "whole number"), retry("attempts = math.huge", "whole number"),
    retry("within = '1'", "'within': '1' is not a duration"),
    retry("during = 'intrnet'", "no monitor of this policy, nor 'always'; did you mean 'internet'"),
    retry("during = true", "true is no monitor"), retry("now = 1", "'now': expected a boolean"),
    retry("disturbs = '1s'", "ctx.retry has no 'disturbs'"),
    retry("limit = '1/1'", "expected a limit such as \"3/1h\""),
  ]

  @Test(arguments: calls + execs + others + retries)
  func `a wrong call is a fault at its line, and nothing is begun`(_ wrong: Wrong) {
    let rig = Rig.onPath("ctx.exec { key = 'before', command = 'c' }\n" + wrong.body)
    rig.online()
    let said = rig.faults.first?.located ?? "accepted"
    #expect(said.hasPrefix("p.lua:3: "), "\(said)")
    for part in wrong.parts { #expect(said.contains(part), "\(said)") }
    #expect(rig.simulator.starts.isEmpty)
  }

  @Test(arguments: limits) func `what is no limit is refused`(_ limit: String) {
    for call in [
      "ctx.exec { key = 'k', command = 'c', limit = \(limit) }",
      "ctx.retry { key = 'k', exec = { command = 'c' }, limit = \(limit) }",
    ] {
      let said = Rig.fault(onPath: call)
      #expect(says(said, "p.lua:2", "'limit': expected a limit such as \"3/1h\""), "\(said ?? "")")
    }
  }

  @Test(arguments: HandlerErrorsTests.durations) func `what is no duration is none here`(
    _ value: String
  ) {
    for entry in ["timeout", "disturbs"] {
      let said = Rig.fault(onPath: "ctx.exec { key = 'k', command = 'c', \(entry) = \(value) }")
      #expect(says(said, "p.lua:2", "'\(entry)': ", "duration"), "\(said ?? "accepted")")
    }
  }

  @Test(arguments: ["exec", "open_url", "http", "retry", "cancel"])
  func `nothing acts in settle or at load`(_ verb: String) {
    let call = "ctx.\(verb) { key = 'k', command = 'c', url = 'http://a' }"
    let rig = Rig("return { api = 1,\nsettle = function(ctx) \(call) return '1s' end }")
    rig.online()
    rig.offline()
    #expect(says(rig.faults.first?.located, "p.lua:2", "settle only says how long"))
    #expect(Rig.rejection("local p = { api = 1 }\n\(call)\nreturn p")?.contains("'ctx'") == true)
    let kept = Rig(
      "local f local p = { api = 1 } function p.on_start(ctx) f = ctx.\(verb) end\n"
        + "function p.settle() f { key = 'k' } end return p")
    kept.online()
    kept.offline()
    #expect(says(kept.faults.first?.located, "p.lua:2", "settle only says how long"))
  }
}
