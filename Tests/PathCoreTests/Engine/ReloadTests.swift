import PathCore
import PathTestKit
import Testing

/// Policies that come, go and change while others run.
@Suite struct ReloadTests {
  let world = ScriptedWorld()

  init() {
    for name in ["p", "q"] {
      world.host.on(name, .path) { request, outcome in
        outcome.raise("a", request.change?.path.status.rawValue ?? "", expires: .seconds(100))
        outcome.start("t", .seconds(60))
        outcome.state = .text("kept")
      }
      world.host.on(name, .timer) { _, _ in }
    }
  }

  private func declare(
    _ name: String, settle: Duration = .seconds(2), isEnabled: Bool = true,
    every: [RecurringTimer] = []
  ) -> PolicyDeclaration {
    world.host.declaration(name, settle: .fixed(settle), every: every, isEnabled: isEnabled)
  }

  private func standings(_ name: String) -> [String] {
    world.log.compactMap { entry in
      if case .policy(name, let standing, _) = entry.order { standing.rawValue } else { nil }
    }
  }

  @Test func `a policy that is added hears the present path as its first`() {
    world.start(declare("p"))
    world.up()
    world.wait(ms: 1000)
    world.reload([declare("p"), declare("q")], changed: ["q"])
    #expect(world.deliveries.map(\.policy) == ["p", "q"])
    #expect(world.deliveries[1].event.isInitial)
    #expect(standings("p") == ["loaded"] && standings("q") == ["loaded"])
  }

  @Test func `a policy that is removed leaves nothing behind`() {
    let every = [RecurringTimer(name: "tick", period: .seconds(10))]
    world.start(declare("p", every: every))
    world.up()
    world.down()
    world.reload([])
    #expect(world.timers.isEmpty)
    #expect(world.alerts.isEmpty)
    #expect(world.notices.last?.notice.cause == .policyRemoved)
    #expect(standings("p") == ["loaded", "removed"])
    world.up()
    world.feed(.dismissed(policy: "p", key: "a"))
    #expect(world.deliveries.count == 1)
  }

  @Test func `one that is removed while it rests leaves nothing behind either`() {
    world.host.on("p", .system) { _, _ in throw ScriptedHost.Failure("no") }
    world.start(declare("p"))
    for _ in 0..<3 { world.feed(.gap(detail: "")) }
    #expect(world.alerts.count == 1)
    world.reload([])
    #expect(world.timers.isEmpty && world.alerts.isEmpty)
  }

  @Test func `a rejected edit keeps the good version at work, and says so`() {
    world.start(declare("p"), declare("q"))
    world.up()
    let fault = PolicyFault(
      policy: "p", handler: nil, kind: .load, file: "p.lua", line: 3, message: "expected 'end'")
    world.reload([declare("q")], rejected: [fault])
    world.down()
    world.wait(ms: 2000)
    #expect(world.deliveries.map(\.policy) == ["p", "q", "p", "q"])
    #expect(
      world.story.contains("@0.000s policy p rejected \"p.lua:3: expected 'end'\""))
  }

  @Test func `one that was never good is only said`() {
    let fault = PolicyFault(
      policy: "p", handler: nil, kind: .load, file: "p.lua", line: 3, message: "no")
    world.reload([], rejected: [fault])
    world.up()
    #expect(standings("p") == ["rejected"])
    #expect(world.deliveries.isEmpty)
  }

  @Test func `an edited policy is told so, keeps its things, and hears of no path again`() {
    var reasons: [StartReason] = []
    world.host.on("p", .start) { request, _ in
      if case .start(let reason) = request.event { reasons.append(reason) }
    }
    world.start(declare("p"))
    world.up()
    let timers = world.timers
    world.reload([declare("p")], changed: ["p"])
    #expect(reasons == [.start, .reload])
    #expect(world.deliveries.count == 1)
    #expect(world.timers == timers)
    #expect(world.alerts.count == 1)
    #expect(world.host.state(of: "p") == .text("kept"))
    #expect(world.host.resets.last?.state == .text("kept"))
  }

  @Test func `state that no handler touched takes the new text's default`() {
    world.host.on("p", .path) { _, _ in }
    world.start(world.host.declaration("p", state: .text("old")))
    world.reload([world.host.declaration("p", state: .text("new"))], changed: ["p"])
    #expect(world.host.state(of: "p") == .text("new"))
  }

  @Test func `a reload that changes nothing does nothing`() {
    world.start(declare("p"), declare("q", isEnabled: false))
    world.up()
    let orders = world.log.count
    world.reload([declare("p"), declare("q", isEnabled: false)])
    #expect(world.log.count == orders)
  }

  @Test func `an edited settle counts for what is pending, from when it began`() {
    world.start(declare("p", settle: .seconds(3600)))
    world.up()
    world.down()
    world.wait(ms: 1000)
    world.reload([declare("p", settle: .seconds(3))], changed: ["p"])
    world.wait(ms: 1999)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    #expect(world.told == ["0ms satisfied", "3000ms unsatisfied"])
  }

  @Test func `an edited settle that is over already tells at once`() {
    world.start(declare("p", settle: .seconds(3600)))
    world.up()
    world.down()
    world.wait(ms: 10_000)
    world.reload([declare("p", settle: .seconds(3))], changed: ["p"])
    #expect(world.told == ["0ms satisfied", "10000ms unsatisfied"])
  }

  @Test func `a policy that is switched off is listed, and everything of it ends`() {
    let every = [RecurringTimer(name: "tick", period: .seconds(10))]
    world.start(declare("p", every: every))
    world.up()
    world.down()
    world.reload([declare("p", isEnabled: false, every: every)], changed: ["p"])
    #expect(standings("p") == ["loaded", "disabled"])
    #expect(world.timers.isEmpty && world.alerts.isEmpty)
    world.wait(ms: 10_000)
    #expect(world.deliveries.count == 1)
    world.reload([declare("p", every: every)], changed: ["p"])
    world.wait(ms: 5000)
    #expect(world.told == ["0ms satisfied", "15000ms unsatisfied"])
  }

  @Test func `a policy that was off during an outage raises its alert when it is on again`() {
    world.host.on("p", .path) { request, outcome in
      if request.change?.path.status == .satisfied { return outcome.resolve("lost") }
      outcome.raise("lost", "lost")
      outcome.publish("color", "red")
    }
    var reasons: [StartReason] = []
    world.host.on("p", .start) { request, _ in
      if case .start(let reason) = request.event { reasons.append(reason) }
    }
    world.start(declare("p"))
    world.up()
    world.down()
    world.wait(ms: 10_000)
    #expect(world.alerts["p/lost"] != nil && world.published["p/color"] != nil)
    let before = world.log.count
    world.reload([declare("p", isEnabled: false)], changed: ["p"])
    #expect(world.alerts.isEmpty && world.published.isEmpty)
    let orders = world.log[before...].map(\.order.description)
    #expect(orders.contains("publish p color null"))
    world.wait(ms: 10_000)
    world.reload([declare("p")], changed: ["p"])
    world.wait(ms: 5000)
    #expect(world.alerts["p/lost"] != nil && world.published["p/color"] == .text("red"))
    #expect(reasons == [.start, .start])
  }

  @Test func `a monitor with another filter begins anew and leaves no timer of the old one`() {
    world.start(declare("p"))
    world.up()
    world.down()
    var edited = declare("p")
    edited.monitors[0].filter = PathFilter(required: .wired)
    world.reload([edited], changed: ["p"])
    world.wait(ms: 5000)
    #expect(world.told == ["0ms satisfied", "5000ms unsatisfied"])
    #expect(world.deliveries[1].event.isInitial)
    edited.monitors[0].name = "cable"
    world.reload([edited], changed: ["p"])
    #expect(world.timers.keys.allSatisfy { $0.kind != .settle || $0.name == "cable" })
  }

  @Test func `an alert's end that waited for a monitor that is gone comes`() {
    world.host.on("p", .start) { _, outcome in outcome.raise("b", "x", expires: .seconds(1)) }
    world.start(declare("p", settle: .seconds(10)))
    world.up()
    world.down()
    world.wait(ms: 2000)
    #expect(world.alerts["p/b"] != nil)
    world.host.on("p", .start) { _, _ in }
    var edited = declare("p")
    edited.monitors[0].name = "other"
    edited.monitors[0].filter = PathFilter(interface: "lo")
    world.reload([edited], changed: ["p"])
    #expect(world.alerts["p/b"] == nil)
  }

  @Test func `an edited period counts from the edit`() {
    world.start(declare("p", every: [RecurringTimer(name: "tick", period: .seconds(86_400))]))
    world.reload(
      [declare("p", every: [RecurringTimer(name: "tick", period: .seconds(10))])], changed: ["p"])
    #expect(world.timers[TimerID(.every, policy: "p", name: "tick")]?.at == .seconds(10))
    world.reload([declare("p")], changed: ["p"])
    #expect(world.timers.isEmpty)
  }

  @Test func `policies that change while the machine sleeps are told after it`() {
    world.start(declare("p"))
    world.up()
    world.feed(.asleep)
    world.reload([declare("q")], changed: ["q"])
    #expect(world.deliveries.count == 1)
    world.sleep(.seconds(3600))
    world.wait(ms: 0)
    world.feed(.resumed)
    world.up()
    #expect(world.deliveries.map(\.policy) == ["p", "q"])
    #expect(world.timers.keys.allSatisfy { $0.policy == "q" })
  }

  @Test func `nothing is done after the stop`() {
    world.start(declare("p"))
    world.up()
    #expect(world.feed(.stop).isEmpty)
    #expect(world.feed(.snapshot(.offline())).isEmpty)
    #expect(world.feed(.resumed).isEmpty)
  }

  @Test func `monitors of equal filters share one verdict`() {
    world.start(declare("p"), declare("q"))
    world.up()
    world.down()
    world.wait(ms: 2000)
    let events = world.deliveries.map(\.event)
    #expect(events[0].path == events[1].path && events[2].path == events[3].path)
  }

  @Test func `an identity that became known is no change, another network is`() {
    func snapshot(_ hardware: String?) -> Snapshot {
      var snapshot = Snapshot.online("eth0", type: .wired)
      if let hardware {
        snapshot.gatewayHardware = [
          GatewayHardware(interface: 2, gateway: IPAddress(ipv4: 0xC000_0201), address: hardware)
        ]
      }
      return snapshot
    }
    world.start(declare("p", settle: .zero))
    world.feed(.snapshot(snapshot(nil)))
    world.feed(.snapshot(snapshot("02:00:00:00:00:01")))
    #expect(world.deliveries.count == 1)
    world.feed(.snapshot(snapshot(nil)))
    #expect(world.deliveries.count == 1)
    world.feed(.snapshot(snapshot("02:00:00:00:00:02")))
    #expect(world.deliveries.count == 2)
    #expect(world.deliveries.last?.event.causes == .network)
  }
}
