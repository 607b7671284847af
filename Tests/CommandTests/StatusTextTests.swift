import PathTestKit
import Testing

@testable import PathCore
@testable import PathDaemon
@testable import netvane

/// What `status`, `alerts`, `press` and `reload` print.
struct StatusTextTests {
  private static func text(_ text: String) -> PlainData { .text(text) }

  private static let alert = EngineStatus.Alert(
    policy: "web-error",
    content: AlertContent(
      key: "error", severity: .critical, title: "No page", body: "It is\nnot there.",
      buttons: [
        AlertButton(id: "retry", label: "Try again"), AlertButton(id: "web", label: "View"),
      ]), expires: .milliseconds(4200))

  private static let report: StatusReport = {
    var banner = EngineStatus.Policy(
      name: "reconnect-banner", about: "Tells people.", standing: .running)
    banner.edit = "reconnect-banner.lua:3: 'end' expected"
    banner.monitors = [
      EngineStatus.Monitor(
        name: "internet", status: .satisfied,
        pending: EngineStatus.Pending(status: .unsatisfied, due: .milliseconds(1500)))
    ]
    var web = EngineStatus.Policy(
      name: "web-error", about: "", standing: .resting(.seconds(42), why: "web-error.lua:7: nil"))
    web.monitors = [
      EngineStatus.Monitor(
        name: "wired", status: nil,
        pending: EngineStatus.Pending(status: .satisfied, due: .zero))
    ]
    web.timers = [
      EngineStatus.Timer(name: "grace", due: .seconds(-1), isRecurring: false),
      EngineStatus.Timer(name: "tick", due: .seconds(90), isRecurring: true),
    ]
    func action(
      _ key: String, _ state: EngineStatus.Action.State, _ attempt: Int, pending: Bool = false
    ) -> EngineStatus.Action {
      EngineStatus.Action(
        key: key, kind: "http", state: state, attempt: attempt, hasPending: pending)
    }
    web.actions = [
      action("a", .running, 1, pending: true), action("b", .running, 3),
      action("c", .waiting(.milliseconds(11_100)), 2), action("d", .waitingForPath, 0),
    ]
    web.published = [
      EngineStatus.Published(name: "colour", value: text("re\u{1B}[2Jd")),
      EngineStatus.Published(name: "long", value: text(String(repeating: "x", count: 99))),
    ]
    var status = EngineStatus()
    status.policies = [
      EngineStatus.Policy(name: "new", about: "", standing: .rejected("new.lua:1: <eof>")),
      EngineStatus.Policy(name: "off", about: "Does nothing.", standing: .disabled), banner, web,
    ]
    status.files = [EngineStatus.File(name: "lib/", located: "lib/words.lua:2: no")]
    status.alerts = [alert]
    return StatusReport(
      version: "0.1.0", process: 4711,
      started: WallTime(unixNanoseconds: 1_700_000_000_000_000_000), isDryRun: true,
      path: PathEvaluator.path(of: .online("eth0", type: .wired), filter: .none),
      engine: status,
      refusals: [
        StatusReport.Refusal(
          report: ActionReport(
            policy: "web-error", key: "x", kind: "exec", state: .refused, detail: "not granted"),
          time: WallTime(unixNanoseconds: 1_700_000_000_000_000_000))
      ])
  }()

  @Test func `a status with everything in it`() {
    let long = String(repeating: "x", count: 59)
    let golden = """
      status       satisfied
      why          eth0 (wired) carries IPv4 through 192.0.2.1.
      interfaces   eth0 (wired)
      could serve  none
      ipv4         by eth0 through 192.0.2.1
      ipv6         no
      dns          yes
      expensive    no
      constrained  no
      daemon       netvane 0.1.0, process 4711, since 2023-11-14 22:13:20, dry run: it \
      acts on nothing
      policies
        new               rejected  new.lua:1: <eof>; it was not loaded
        off               disabled  Does nothing.
        reconnect-banner  running   Tells people.
                          edit not taken: reconnect-banner.lua:3: 'end' expected; the \
      version before it runs
                          unsatisfied is pending, to be told in 2s
        web-error         resting   for another 42s after: web-error.lua:7: nil
                          wired: satisfied is pending, to be told in 0s
      not taken
        lib/words.lua:2: no; what was read before holds
      alerts
        web-error/error  critical  No page  (retry, web)
      timers
        web-error  grace: due
        web-error  tick: in 1m30s, recurring
      actions
        web-error  a: http, running, another one waits behind it
        web-error  b: http, running, try 3
        web-error  c: http, try 3 in 12s
        web-error  d: http, try 1 waits for the path
      published
        web-error  colour = "re\\u001b[2Jd", long = "\(long)…
      refused
        web-error  x: exec, not granted (22:13:20)
      """
    #expect(StatusText.lines(Self.report).joined(separator: "\n") == golden)
  }

  @Test func `nothing that somebody else chose reaches a terminal as it is`() {
    var report = Self.report
    let evil = "\u{1B}]0;x\u{7}\u{202E}\n\u{9B}"
    for index in report.engine.policies.indices {
      report.engine.policies[index].name += evil
      report.engine.policies[index].about = evil
      report.engine.policies[index].edit = evil
      for timer in report.engine.policies[index].timers.indices {
        report.engine.policies[index].timers[timer].name = evil
      }
      for action in report.engine.policies[index].actions.indices {
        report.engine.policies[index].actions[action].key = evil
      }
      for value in report.engine.policies[index].published.indices {
        report.engine.policies[index].published[value].name = evil
      }
    }
    report.engine.files[0].located = evil
    report.refusals[0].report.detail = evil
    report.version = evil
    report.engine.alerts[0].content.title = evil
    report.engine.alerts[0].content.body = evil
    report.engine.alerts[0].content.buttons = [AlertButton(id: evil, label: evil)]
    let deed = ControlDeed(
      alert: report.engine.alerts[0], button: AlertButton(id: evil, label: evil), reports: [],
      decided: [])
    let outcome = ReloadOutcome(
      detail: evil, rejected: [.init(name: evil, located: evil, instead: evil)])
    let answers: [ControlAnswer] = [
      .status(report), .alerts(report.engine.alerts), .deed(deed), .reload(outcome),
    ]
    for answer in answers {
      for line in ControlText.lines(answer) {
        #expect(
          line.unicodeScalars.allSatisfy {
            $0.value >= 32 && !(0x7F..<0xA0).contains($0.value) && $0.value != 0x202E
          }, "\(line)")
      }
    }
  }

  @Test func `of a long list the beginning is shown, and the rest counted`() {
    var report = Self.report
    report.engine.policies[3].timers = (0..<100).map {
      EngineStatus.Timer(name: "t\($0)", due: .seconds(1), isRecurring: false)
    }
    let lines = StatusText.lines(report)
    #expect(lines.contains("  and 60 more (--json has all)"))
    #expect(lines.count { $0.hasPrefix("  web-error  t") } == 40)
  }

  @Test func `alerts are told with their bodies and buttons`() {
    #expect(
      ControlText.lines(.alerts([Self.alert])) == [
        "web-error/error  critical  No page", "  It is\\u{a}not there.",
        "  [retry] Try again   [web] View", "  ends in 5s",
      ])
    #expect(ControlText.lines(.alerts([])) == ["no alert is up"])
  }

  @Test func `what came of a press is told as the run tells it`() {
    let time = WallTime(unixNanoseconds: 1_700_000_000_000_000_000)
    var deed = ControlDeed(
      alert: Self.alert, button: Self.alert.content.buttons[0],
      reports: [
        ControlDeed.TimedReport(
          report: .publish(
            PublishNotice(policy: "web-error", name: "a", value: Self.text("b"))), time: time)
      ], decided: [])
    #expect(
      ControlText.lines(.deed(deed)) == [
        "pressed retry (Try again) of web-error/error",
        "22:13:20  publish  web-error           a = \"b\"",
      ])
    deed.button = nil
    deed.reports = []
    #expect(
      ControlText.lines(.deed(deed)) == [
        "dismissed web-error/error", "nothing that shows came of it",
      ])
  }

  @Test func `what came of a reload is told, with each place`() {
    let rejected = ReloadOutcome.Rejection(
      name: "a", located: "a.lua:3: no", instead: "the version before it runs")
    #expect(
      ControlText.lines(.reload(ReloadOutcome(detail: "not taken: a", rejected: [rejected]))) == [
        "not taken: a", "not taken: a.lua:3: no; the version before it runs",
      ])
  }

  @Test func `colours change no letter, and none are there without a terminal`() {
    let stream = Console.Stream(descriptor: -1, hasColours: true)
    let colourful = StatusPaint(console: Console(output: stream, error: stream))
    let plain = StatusPaint(console: .plain)
    for line in StatusText.lines(Self.report) {
      #expect(plain.line(line) == line)
      let painted = colourful.line(line)
      #expect(painted.replacing(/\u{1B}\[[0-9;]*m/, with: "") == line)
    }
    #expect(
      colourful.line("status       satisfied")
        == "\u{1B}[2mstatus       \u{1B}[0m\u{1B}[1;32msatisfied\u{1B}[0m")
    #expect(colourful.line("  a  resting   for") == "  a  \u{1B}[31mresting\u{1B}[0m   for")
    #expect(colourful.line("policies") == "\u{1B}[2mpolicies\u{1B}[0m")
    #expect(
      colourful.line("    edit not taken: x") == "    \u{1B}[31medit not taken: x\u{1B}[0m")
  }

  @Test func `a healthy daemon with eight policies fits a screen`() {
    var report = Self.report
    report.engine = EngineStatus()
    report.engine.policies = (0..<8).map {
      EngineStatus.Policy(name: "p\($0)", about: "x", standing: .running)
    }
    report.refusals = []
    #expect(StatusText.lines(report).count == 19)
  }
}
