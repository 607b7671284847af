import PathTestKit
import Testing

@testable import PathCore

/// What the engine says of itself, to those who ask.
@Suite struct StatusTests {
  private let world = ScriptedWorld()

  private func status() -> EngineStatus { world.engine.status(at: world.now) }

  private func policy(_ name: String) throws -> EngineStatus.Policy {
    try #require(status().policies.first { $0.name == name })
  }

  private func declare(_ name: String, _ settle: Duration = .zero) -> PolicyDeclaration {
    world.host.declaration(name, settle: .fixed(settle))
  }

  private func fault(_ name: String, line: Int = 3) -> PolicyFault {
    PolicyFault(
      policy: name, handler: nil, kind: .load, file: "\(name).lua", line: line, message: "no")
  }

  @Test func `before the first policies there is nothing to say`() {
    #expect(status().policies.isEmpty && status().alerts.isEmpty && status().files.isEmpty)
    #expect(world.engine.path == nil && world.engine.policyCount == 0)
  }

  @Test func `each standing is told, with its why`() throws {
    world.host.on("fails", .path) { _, _ in throw ScriptedHost.Failure("nil value") }
    world.host.on("runs", .path) { _, _ in }
    var off = world.host.declaration("off", isEnabled: false)
    off.about = "does nothing"
    world.feed(
      .policies(
        PolicySet(
          reason: .start, loaded: [declare("fails"), declare("runs"), off],
          rejected: [fault("never")], changed: ["fails", "runs", "off"])))
    for _ in 0..<3 {
      world.up()
      world.down()
    }
    #expect(status().policies.map(\.name) == ["fails", "never", "off", "runs"])
    #expect(try policy("runs").standing == .running)
    #expect(try policy("off").standing == .disabled && policy("off").about == "does nothing")
    #expect(try policy("never").standing == .rejected("never.lua:3: no"))
    let resting = EngineStatus.Standing.resting(.seconds(60), why: "fails.lua:7: nil value")
    #expect(try policy("fails").standing == resting)
    world.wait(ms: 20_000)
    #expect(
      try policy("fails").standing == .resting(.seconds(40), why: "fails.lua:7: nil value"))
    world.feed(.dismissed(policy: "fails", key: EngineLimits.faultAlertKey))
    #expect(try policy("fails").standing == .resting(.seconds(40), why: nil))
  }

  @Test func `an edit that is not taken is told of the policy that runs, until it is mended`()
    throws
  {
    world.host.on("p", .path) { _, _ in }
    world.start(declare("p"))
    world.reload([declare("p")], rejected: [fault("p", line: 9)])
    #expect(try policy("p").standing == .running && policy("p").edit == "p.lua:9: no")
    #expect(status().alerts.map(\.name) == ["p/policy-rejected"])
    // Who dismisses the alert has not mended the file.
    world.feed(.dismissed(policy: "p", key: EngineLimits.rejectedAlertKey))
    #expect(try policy("p").edit == "p.lua:9: no" && status().alerts.isEmpty)
    world.reload([declare("p")], changed: ["p"])
    #expect(try policy("p").edit == nil)
  }

  @Test func `a shared file that is not taken is no policy`() {
    world.start()
    world.reload([], rejected: [fault("lib/words")])
    #expect(status().policies.isEmpty)
    #expect(
      status().files == [
        EngineStatus.File(name: "lib/words", located: "lib/words.lua:3: no")
      ])
    world.reload([])
    #expect(status().files.isEmpty)
  }

  @Test func `a pending change is told with what was told before, and for how long`() throws {
    world.host.on("p", .path) { _, _ in }
    world.start(declare("p", .seconds(2)))
    #expect(try policy("p").monitors == [EngineStatus.Monitor(name: "internet", status: nil)])
    world.up()
    world.wait(ms: 2000)
    world.down()
    world.wait(ms: 500)
    let pending = EngineStatus.Pending(status: .unsatisfied, due: .milliseconds(1500))
    #expect(
      try policy("p").monitors == [
        EngineStatus.Monitor(name: "internet", status: .satisfied, pending: pending)
      ])
    #expect(world.engine.path?.status == .unsatisfied)
    world.wait(ms: 1500)
    #expect(try policy("p").monitors.first?.pending == nil)
  }

  @Test func `timers, alerts and published values are told as they stand`() throws {
    world.host.on("p", .path) { _, outcome in
      outcome.start("late", .seconds(90))
      outcome.start("soon", .seconds(5))
      outcome.raise("b", "Second", expires: .seconds(10), buttons: ["go"])
      outcome.raise("a", "First")
      outcome.publish("colour", "green")
    }
    world.host.on("p", .timer) { _, _ in }
    world.start(
      world.host.declaration(
        "p", settle: .fixed(.zero), every: [RecurringTimer(name: "tick", period: .seconds(30))]))
    world.up()
    world.wait(ms: 1000)
    #expect(
      try policy("p").timers == [
        EngineStatus.Timer(name: "soon", due: .seconds(4), isRecurring: false),
        EngineStatus.Timer(name: "tick", due: .seconds(29), isRecurring: true),
        EngineStatus.Timer(name: "late", due: .seconds(89), isRecurring: false),
      ])
    #expect(
      try policy("p").published == [
        EngineStatus.Published(name: "colour", value: .text("green"))
      ])
    let alerts = status().alerts
    #expect(alerts.map(\.name) == ["p/a", "p/b"] && alerts.map(\.expires) == [nil, .seconds(9)])
    #expect(alerts.last?.content.buttons.map(\.id) == ["go"])
  }

  @Test func `named timers count the time asleep, a pending change does not`() throws {
    world.host.on("p", .path) { _, outcome in outcome.start("t", .seconds(60)) }
    world.start(declare("p", .seconds(4)))
    world.up()
    world.wait(ms: 4000)
    world.down()
    world.sleep(.seconds(20))
    #expect(try policy("p").timers.map(\.due) == [.seconds(36)])
    #expect(try policy("p").monitors.first?.pending?.due == .seconds(4))
  }

  @Test func `an action is told as running, waiting for its next try, or for the path`() throws {
    let rig = ActionRig()
    func action(_ key: String) throws -> EngineStatus.Action {
      let policy = rig.world.engine.status(at: rig.world.now).policies.first
      return try #require(policy?.actions.first { $0.key == key })
    }
    let rule = RetryRule(base: .seconds(8), cap: .seconds(60), isNow: true)
    rig.ask(.exec("k", retry: rule))
    #expect(try action("k").state == .running && action("k").attempt == 1)
    rig.ask(.exec("k", "other"))
    #expect(try action("k").hasPending && action("k").kind == "exec")
    rig.ask(.exec("r", retry: rule))
    rig.end("r")
    let due = try #require(rig.nextTry("r"))
    #expect(try action("r").state == .waiting(due) && !action("r").hasPending)
    rig.world.down()
    #expect(try action("r").state == .waitingForPath && action("r").attempt == 1)
  }

  @Test func `why a press would come to nothing is said before it is tried`() {
    world.host.on("deaf", .path) { _, _ in }
    world.host.on("hears", .button) { _, _ in throw ScriptedHost.Failure("x") }
    world.host.on("hears", .path) { _, outcome in outcome.raise("k", "t", buttons: ["b"]) }
    world.start(declare("deaf"), declare("hears"), world.host.declaration("off", isEnabled: false))
    world.up()
    func deafness(_ policy: String) -> String? {
      world.engine.deafness(of: policy, at: world.now)
    }
    #expect(deafness("hears") == nil)
    #expect(deafness("deaf")?.contains("on_button") == true)
    #expect(deafness("off")?.contains("disabled") == true)
    #expect(deafness("none")?.contains("not there") == true)
    for _ in 0..<3 { world.feed(.button(policy: "hears", key: "k", button: "b")) }
    #expect(deafness("hears")?.hasSuffix("rests for another 1m") == true)
  }

  @Test func `a look changes nothing`() {
    world.host.on("p", .path) { _, outcome in outcome.raise("k", "t", expires: .seconds(3)) }
    world.start(declare("p", .seconds(2)))
    world.up()
    let (orders, changed) = (world.log.count, world.engine.memory(of: "p"))
    _ = status()
    #expect(world.log.count == orders && world.engine.memory(of: "p") == changed)
  }

  @Test(arguments: [(0, "0s"), (1, "1s"), (1000, "1s"), (1001, "2s"), (61_000, "1m1s"), (-5, "0s")])
  func `people wait in whole seconds, rounded up`(milliseconds: Int, text: String) {
    #expect(Duration.milliseconds(milliseconds).wholeSeconds == text)
  }
}
