import PathCore
import PathPolicy
import PathSimulation
import PathTestKit
import Testing

/// The verbs that act: what a call asks for, and what is said of a wrong one.
struct ActionVerbsTests {
  /// The real policies, and what they ask for before the engine says when.
  final class Listener: PolicyHost {
    let runtime = PolicyRuntime()
    private(set) var requests: [ActionRequest] = []

    func call(_ request: HandlerRequest) -> HandlerReply {
      let reply = runtime.call(request)
      if case .done(let outcome) = reply {
        for case .act(let action) in outcome.intents { requests.append(action) }
      }
      return reply
    }

    func reset(_ policy: String, state: PlainData) { runtime.reset(policy, state: state) }
  }

  /// What `on_path` with this body asks for; nil where it fails.
  private func requests(_ body: String, _ table: String = "") -> [ActionRequest]? {
    let listener = Listener()
    let world = World(host: listener)
    let text = "local p = { api = 1, \(table) } function p.on_path(ctx, ev)\n\(body)\nend return p"
    let set = listener.runtime.load([PolicyScript("p", text)], reason: .start) { _ in .untimed }
    world.feed(.policies(set))
    world.feed(.snapshot(.online()))
    if let fault = world.faults.first ?? set.rejected.first { Issue.record("\(fault.located)") }
    return world.faults.isEmpty ? listener.requests : nil
  }

  // MARK: Good calls

  @Test func `exec asks for a command`() {
    #expect(
      requests("ctx.exec { key = 'k', command = 'c' }")
        == [ActionRequest(key: "k", action: .exec(ExecRequest(command: "c")))])
    let full = """
      ctx.exec { key = "k", command = "vpn", args = { "up", 5, "ü\\n; $(id) `id`" },
        timeout = "5s", only_while = "requiresConnection", limit = "3/1h", disturbs = "40s" }
      """
    #expect(
      requests(full) == [
        ActionRequest(
          key: "k",
          action: .exec(
            ExecRequest(
              command: "vpn", arguments: ["up", "5", "ü\n; $(id) `id`"], timeout: .seconds(5))),
          onlyWhile: .requiresConnection, limit: RateLimit(count: 3, per: .seconds(3600)),
          disturbs: .seconds(40))
      ])
    #expect(
      requests("ctx.exec { key = 'k', command = 'c', args = 'one' }")?.first?.action
        == .exec(ExecRequest(command: "c", arguments: ["one"])))
    #expect(
      requests("ctx.exec { key = 'k', command = 'c', args = {} }")?.first?.action
        == .exec(ExecRequest(command: "c")))
  }

  @Test func `open_url asks for a page`() {
    let full = """
      ctx.open_url { key = "k", url = "https://a.example/?q=1", browser = { "chrome", "default" },
        cooldown = "10m", only_while = "satisfied", limit = "1000/366d" }
      """
    #expect(
      requests(full) == [
        ActionRequest(
          key: "k",
          action: .openURL(
            OpenURLRequest(
              url: "https://a.example/?q=1", browsers: ["chrome", "default"],
              cooldown: .seconds(600))), onlyWhile: .satisfied,
          limit: RateLimit(count: 1000, per: .seconds(366 * 86_400)))
      ])
    #expect(
      requests("ctx.open_url { key = 'k', url = 'http://a', browser = 'firefox' }")
        == [
          ActionRequest(
            key: "k",
            action: .openURL(OpenURLRequest(url: "http://a", browsers: ["firefox"])))
        ])
  }

  @Test func `http asks for an answer`() {
    let full = """
      ctx.http { key = "k", url = "https://a.example/", method = "PUT", body = "x\\0ü",
        headers = { B = "2", A = "1" }, expect = { status = 204, contains = "ok" },
        interface = "wlan0", timeout = "3s", only_while = "unsatisfied", limit = "1/1s" }
      """
    #expect(
      requests(full) == [
        ActionRequest(
          key: "k",
          action: .http(
            HTTPRequest(
              url: "https://a.example/", method: .put,
              headers: [HTTPRequest.Header("A", "1"), HTTPRequest.Header("B", "2")],
              body: "x\0ü", expectation: HTTPRequest.Expectation(status: 204, contains: "ok"),
              interface: "wlan0", timeout: .seconds(3))), onlyWhile: .unsatisfied,
          limit: RateLimit(count: 1, per: .seconds(1)))
      ])
    #expect(
      requests("ctx.http { key = 'k', url = 'http://a', expect = 200 }")?.first?.action
        == .http(
          HTTPRequest(url: "http://a", expectation: HTTPRequest.Expectation(status: 200))))
  }

  @Test func `retry asks for one of them, with its own key and rule`() {
    let plain = ActionRequest(
      key: "k", action: .exec(ExecRequest(command: "c")), retry: RetryRule())
    #expect(requests("ctx.retry { key = 'k', exec = { command = 'c' } }") == [plain])
    #expect(requests("ctx.retry { key = 'k', exec = { key = 'k', command = 'c' } }") == [plain])
    let full = """
      ctx.retry { key = "k", http = { url = "http://a", limit = "1/1m", only_while = "satisfied" },
        base = "2s", cap = "30s", attempts = 6, within = "1h", during = "cable", now = true }
      """
    var wanted = ActionRequest(key: "k", action: .http(HTTPRequest(url: "http://a")))
    wanted.limit = RateLimit(count: 1, per: .seconds(60))
    wanted.onlyWhile = .satisfied
    wanted.retry = RetryRule(
      base: .seconds(2), cap: .seconds(30), attempts: 6, within: .seconds(3600),
      during: .monitor("cable"), isNow: true)
    #expect(requests(full, "monitors = { cable = {}, internet = {} }")?.first == wanted)
    // What the retry says goes before what the action in it says.
    let both = """
      ctx.retry { key = "k", during = "always", limit = "2/1h", only_while = "unsatisfied",
        exec = { command = "c", limit = "9/1h", only_while = "satisfied", disturbs = "1s" } }
      """
    var second = ActionRequest(key: "k", action: .exec(ExecRequest(command: "c")))
    second.limit = RateLimit(count: 2, per: .seconds(3600))
    second.onlyWhile = .unsatisfied
    second.disturbs = .seconds(1)
    second.retry = RetryRule(during: .always)
    #expect(requests(both) == [second])
  }

  @Test func `a call may come from the config, which nobody can change`() {
    let table = "config = { call = { command = 'c', args = { 'a', 'b' } } }"
    let wanted = ActionRequest(
      key: "k", action: .exec(ExecRequest(command: "c", arguments: ["a", "b"])), retry: RetryRule())
    #expect(requests("ctx.retry { key = 'k', exec = ctx.config.call }", table) == [wanted])
    #expect(
      requests("ctx.exec { key = 'k', command = 'c', args = ctx.config.call.args }", table)?.first?
        .action == wanted.action)
    #expect(
      requests(
        "ctx.exec(ctx.config.call)",
        "config = { call = { key = 'k', command = 'c', args = { 'a', 'b' } } }")?.first?.action
        == wanted.action)
  }

  @Test func `bounds are where they are said to be`() {
    let words = "local t = {} for i = 1, 64 do t[i] = ('x'):rep(512) end "
    #expect(requests(words + "ctx.exec { key = 'k', command = 'c', args = t }")?.count == 1)
    #expect(
      says(
        Rig.fault(
          onPath: words + "t[1] = t[1] .. 'x' ctx.exec { key = 'k', command = 'c', args = t }"),
        "p.lua:2", "32 KiB together"))
    let body = "ctx.http { key = 'k', url = 'http://a', method = 'POST', body = ('x'):rep(65536) }"
    #expect(requests(body)?.count == 1)
    let url = "ctx.open_url { key = 'k', url = 'http://' .. ('a'):rep(2041) }"
    #expect(requests(url)?.count == 1)
    #expect(says(Rig.fault(onPath: url.replacing("2041", with: "2042")), "p.lua:2", "2048 bytes"))
  }

  @Test func `each act is a decision, and the sixty-fifth undoes them all`() {
    for (count, isFault) in [(64, false), (65, true)] {
      let rig = Rig.onPath(
        "for i = 1, \(count) do ctx.exec { key = 'k' .. i, command = 'c' } end")
      rig.online()
      // Four are begun, and the others wait for their turns.
      #expect(rig.simulator.reports.count == (isFault ? 0 : 64))
      #expect(rig.simulator.starts.count == (isFault ? 0 : 4))
      #expect(rig.faults.isEmpty == !isFault)
    }
  }

  @Test func `acts and cancels of one key take effect in their order`() {
    let rig = Rig.onPath(
      """
      ctx.exec { key = "k", command = "1" } ctx.cancel "k" ctx.exec { key = "k", command = "2" }
      ctx.cancel "nobody"
      """)
    rig.online()
    rig.simulator.end("k", ActionResult(.dropped))
    #expect(
      rig.simulator.starts.map { "\($0.action)" } == ["exec 1 within 30s", "exec 2 within 30s"])
  }

  // MARK: on_result

  private static let teller = """
    local p = { api = 1 }
    function p.on_start(ctx)
      for _, key in ipairs { "a", "b" } do ctx.exec { key = key, command = "c" } end
    end
    function p.on_result(ctx, ev)
      local list = {}
      for key in pairs(ev) do list[#list + 1] = key .. "=" .. tostring(ev[key]) end
      ctx.publish(ev.key, table.concat(list, " "))
    end
    return p
    """

  @Test func `ev of on_result has the fields that are promised`() {
    let rig = Rig(Self.teller)
    rig.simulator.end(
      "a", ActionResult(.failed, error: "no", exitCode: 3, output: Array("out".utf8)))
    #expect(
      rig.value("a")?.text
        == "attempt=1 dropped=false error=no exit=3 key=a kind=exec ok=false output=out "
        + "refused=false")
    rig.simulator.end("b", ActionResult(.succeeded, signal: 9, statusCode: 204))
    #expect(
      rig.value("b")?.text
        == "attempt=1 dropped=false key=b kind=exec ok=true output= refused=false signal=9 "
        + "status_code=204")
    #expect(rig.faults == [])
  }

  @Test func `output reaches the policy byte for byte, and a dropped one says so`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_start(ctx) for _ = 1, 3 do ctx.exec { key = "k", command = "c" } end end
      function p.on_result(ctx, ev)
        if ev.dropped then ctx.log("dropped " .. ev.attempt .. " " .. ev.error)
        else ctx.log(#ev.output .. " " .. ev.output:byte(1) .. " " .. tostring(ev.exit)) end
      end
      return p
      """)
    rig.simulator.end(
      "k",
      ActionResult(
        .succeeded, exitCode: 0, output: [0xFF, 0, 0x41] + Array(repeating: 7, count: 65_533)))
    #expect(rig.logged == ["dropped 0 a newer one took its place", "65536 255 0"])
    #expect(rig.faults == [])
  }

  @Test(arguments: [
    ("ev.exitcode", "exit"), ("ev.out", "output"), ("ev.status_cod", "status_code"),
    ("ev.eror", "error"), ("ev.atempt", "attempt"), ("ev.droped", "dropped"),
  ]) func `a field of it that is misspelt is named with the one that was meant`(
    _ field: String, _ meant: String
  ) {
    let rig = Rig(
      "local p = { api = 1 } function p.on_start(ctx) ctx.exec { key = 'k', command = 'c' } end\n"
        + "function p.on_result(ctx, ev)\nlocal _ = \(field) end\nreturn p")
    rig.simulator.end("k", ActionResult(.succeeded))
    let said = rig.faults.first?.located
    #expect(says(said, "p.lua:3", "ev has no '\(field.dropFirst(3))'", meant), "\(said ?? "none")")
  }

  @Test func `ev of on_result cannot be written`() {
    let rig = Rig(
      "local p = { api = 1 } function p.on_start(ctx) ctx.exec { key = 'k', command = 'c' } end\n"
        + "function p.on_result(ctx, ev) ev.ok = true end\nreturn p")
    rig.simulator.end("k", ActionResult(.failed))
    #expect(says(rig.faults.first?.located, "p.lua:2", "ev is read-only"))
  }
}
