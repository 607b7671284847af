import PathCore
import PathTestKit
import Testing

extension Fact {
  func json(at moment: Moment) -> String {
    var writer = JSONWriter()
    writeJSON(into: &writer, at: moment)
    return writer.text
  }
}

/// The JSON form of facts.
@Suite struct TraceTests {
  @Test func `what is written is read again, and is one line that is safe to show`() throws {
    for seed in UInt64(1)...400 {
      var random = RandomFact(seed: seed)
      let (moment, fact) = (random.moment(), random.fact())
      let line = fact.json(at: moment)
      let isSafe = line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      #expect(isSafe, "seed \(seed): \(line)")
      let read = try TraceReader().fact(line)
      #expect(read.at == moment, "seed \(seed)")
      #expect(read.fact.json(at: moment) == line, "seed \(seed)")
      if case .snapshot(let written) = fact, case .snapshot(let again) = read.fact {
        #expect(written == again, "seed \(seed)")
      }
      if case .policies(let written) = fact, case .policies(let again) = read.fact {
        #expect(written.loaded == again.loaded && written.rejected == again.rejected)
        #expect(written.changed == again.changed && written.reason == again.reason)
      }
      if case .result(let id, let written) = fact, case .result(let same, let again) = read.fact {
        #expect(id == same && written == again, "seed \(seed)")
      }
    }
  }

  @Test func `a fact looks as it is documented`() {
    let moment = Moment(
      awake: .milliseconds(1250), boot: .seconds(2),
      wall: WallTime(unixNanoseconds: 5, offsetSeconds: 3600, zone: "CET"))
    let at = #"{"at":{"awake":1250000000,"boot":2000000000,"wall":5,"offset":3600,"zone":"CET"},"#
    #expect(Fact.asleep.json(at: moment) == at + #""fact":"asleep"}"#)
    #expect(
      Fact.timer(TimerID(.rest, policy: "p")).json(at: moment)
        == at + #""fact":"timer","timer":{"kind":"rest","policy":"p"}}"#)
    let id = ActionID(policy: "p", key: "k", serial: 7)
    #expect(
      Fact.result(id, ActionResult(.failed, error: "no", exitCode: 3)).json(at: moment)
        == at + #""fact":"result","id":{"policy":"p","key":"k","serial":7},"#
        + #""result":{"ending":"failed","error":"no","exit":3}}"#)
    #expect(
      Fact.gap(detail: "a\u{1B}").json(at: moment)
        == at + #""fact":"gap","detail":"a\u001b"}"#)
  }

  @Test func `the header says what a replay needs`() throws {
    let header = TraceHeader(
      version: "0.1.0", lua: "5.4.6", isRedacted: true, seed: .max,
      policies: [TraceHeader.Policy(name: "p", hash: "00ff")], config: "ab")
    var writer = JSONWriter()
    header.writeJSON(into: &writer)
    #expect(
      writer.text
        == #"{"netvane-trace":1,"version":"0.1.0","lua":"5.4.6","redacted":true,"#
        + #""seed":18446744073709551615,"policies":[{"name":"p","hash":"00ff"}],"config":"ab"}"#)
    #expect(try TraceReader().header(writer.text) == header)
  }

  @Test func `a trace of facts decides the same as the facts`() throws {
    let world = RandomWorld(watches: false)
    var generator = SplitMix64(seed: 5)
    _ = world.run((0..<80).map { _ in .random(&generator) })
    let host = ScriptedHost()
    RandomWorld.script(host, faultsEvery: 3)
    var engine = Engine(host: host, seed: 7)
    var lines: [String] = []
    for entry in world.world.facts {
      let read = try TraceReader().fact(entry.fact.json(at: entry.at))
      lines += engine.handle(read.fact, at: read.at).map { "\(read.at.awake.nanoseconds) \($0)" }
    }
    #expect(lines == world.lines)
  }

  @Test(arguments: [PolicyFault.Kind.deadline, .fuel, .memory])
  func `a call that a limit ended is in the trace, and a replay ends it likewise`(
    _ kind: PolicyFault.Kind
  ) throws {
    /// Three policies that say what they hear; `kills` are calls that the clock on the wall ends.
    func run(_ facts: [(at: Moment, fact: Fact)], kills: Set<Int>) -> (
      said: [String], trace: [String]
    ) {
      let host = DeadlineHost(kills: kills, kind: kind)
      var engine = Engine(host: host)
      var said: [String] = []
      var trace: [String] = []
      for (at, fact) in facts {
        if case .killed = fact {} else { trace.append(fact.json(at: at)) }
        said += engine.handle(fact, at: at).map(\.description)
        trace += engine.takeKilled().map { $0.json(at: at) }
      }
      return (said, trace)
    }
    let world = RandomWorld(watches: false)
    var generator = SplitMix64(seed: 11)
    _ = world.run((0..<60).map { _ in .random(&generator) })
    let facts = world.world.facts.map { (at: $0.at, fact: $0.fact) }
    let recorded = run(facts, kills: [2, 5, 6, 7, 20])
    #expect(recorded.said.contains { $0.hasPrefix("fault ") && $0.contains(" \(kind.rawValue) ") })
    #expect(recorded.trace.contains { $0.contains(#""fact":"killed""#) })
    let replayed = run(try TraceReader().facts(recorded.trace), kills: [])
    #expect(replayed.said == recorded.said)
  }
}

/// Answers nothing, but for calls that take too long.
private final class DeadlineHost: PolicyHost {
  private let kills: Set<Int>
  private let kind: PolicyFault.Kind
  private var calls = 0

  init(kills: Set<Int>, kind: PolicyFault.Kind) {
    self.kills = kills
    self.kind = kind
  }

  func call(_ request: HandlerRequest) -> HandlerReply {
    calls += 1
    guard kills.contains(calls) else { return .done(HandlerOutcome()) }
    return .failed(
      PolicyFault(
        policy: request.policy, handler: request.event.handler, kind: kind, file: "p.lua",
        line: calls, message: "it ran longer than it may take"))
  }

  func reset(_ policy: String, state: PlainData) {}
}

/// The text forms of facts and orders.
@Suite struct LineTests {
  @Test func `no text of others can break a line or colour it`() {
    for seed in UInt64(1)...300 {
      var random = RandomFact(seed: seed)
      let line = random.fact().description
      let isSafe = line.unicodeScalars.allSatisfy {
        ![.control, .format, .lineSeparator].contains($0.properties.generalCategory)
      }
      #expect(isSafe, "seed \(seed): \(line)")
    }
  }

  @Test func `orders read as they are documented`() {
    let content = AlertContent(
      key: "my key", severity: .critical, title: "a\n\u{1B}[31m", body: "say \"x\"",
      buttons: [AlertButton(id: "retry", label: "Again")], channel: "phone")
    let notice = AlertNotice(policy: "p", state: .resolved, content: content, cause: .policyRemoved)
    let id = ActionID(policy: "p", key: "my key", serial: 7)
    #expect(
      Fact.result(id, ActionResult(.failed, error: "a\nb", signal: 9, output: [1, 2])).description
        == #"result p "my key" #7 failed signal 9 output 2 "a\nb""#)
    let orders: [Order] = [
      .perform(id, .exec(ExecRequest(command: "c", arguments: ["a\n"])), facts: ["A": "secret"]),
      .cancel(id),
      .action(
        ActionReport(policy: "p", key: "k", kind: "http", state: .waiting, detail: "a\u{1B}")),
      .alert(notice), .setTimer(TimerID(.rest, policy: "p"), Deadline(.boot, .seconds(61))),
      .clearTimer(TimerID(.named, policy: "p", name: "a b")), .log(policy: "p", text: "\u{202E}x"),
      .publish(PublishNotice(policy: "p", name: "n", value: .emptyMap)),
      .persist(policy: "", .text("\u{7}")),
      .policy(name: "p", .loaded, detail: ""), .gap(detail: ""),
      .fault(
        PolicyFault(policy: "p", handler: nil, kind: .load, file: "p.lua", line: 0, message: "m")),
    ]
    #expect(
      orders.map(\.description) == [
        #"perform p "my key" #7 exec c "a\n" within 30s"#, #"cancel p "my key" #7"#,
        #"action p k http waiting "a\u{1b}""#,
        #"alert p "my key" resolved critical "a\n\u{1b}[31m" "say \"x\"" buttons retry on phone"#
          + " by policy-removed",
        "set rest p at boot 1m1s", #"clear named p "a b""#, #"log p "\u{202e}x""#,
        "publish p n {}", #"persist "" "\u0007""#, "policy p loaded", #"gap """#,
        #"fault p load load "p.lua: m""#,
      ])
  }
}
