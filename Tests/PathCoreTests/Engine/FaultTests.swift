import PathCore
import PathTestKit
import Testing

/// Handlers that fail, and policies that rest.
@Suite struct FaultTests {
  let world = ScriptedWorld()

  /// A policy that fails while `isBroken` says so.
  private func start(
    settle: Duration = .zero, every: [RecurringTimer] = [], isBroken: @escaping () -> Bool
  ) {
    world.host.on("p", .path) { request, outcome in
      outcome.state = .text(request.change?.path.status.rawValue ?? "")
      outcome.raise("a", request.change?.path.status.rawValue ?? "")
      outcome.publish("x", "y")
      outcome.start("t", .seconds(1))
      if isBroken() { throw ScriptedHost.Failure("broken") }
    }
    world.host.on("p", .timer) { _, _ in }
    world.start(world.host.declaration("p", settle: .fixed(settle), every: every))
  }

  private var kinds: [String] {
    world.log.compactMap { entry in
      switch entry.order {
      case .fault: "fault"
      case .policy(_, let standing, _): standing.rawValue
      case .alert(let notice): "\(notice.content.key) \(notice.state.rawValue)"
      case .publish: "publish"
      case .persist: "persist"
      case .log, .gap, .deliver, .setTimer, .clearTimer, .perform, .cancel, .action: nil
      }
    }
  }

  private func flap(_ times: Int) {
    for index in 0..<times { if index % 2 == 0 { world.down() } else { world.up() } }
  }

  @Test func `a failed handler changed nothing, and its memory is made anew from the last state`() {
    var isBroken = false
    start { isBroken }
    world.up()
    isBroken = true
    world.down()
    #expect(kinds == ["loaded", "a raised", "publish", "persist", "fault"])
    #expect(world.host.resets.map(\.policy) == ["p"])
    #expect(world.host.state(of: "p") == .text("satisfied"))
    #expect(world.alerts["p/a"]?.title == "satisfied")
    isBroken = false
    world.up()
    #expect(world.host.complaints == [])
  }

  @Test func `three in a row and the policy rests, a minute, then two, up to an hour`() {
    start { true }
    world.up()
    flap(2)
    #expect(kinds == ["loaded", "fault", "fault", "fault", "resting", "policy-fault raised"])
    var rests: [Duration] = []
    for _ in 0..<9 {
      flap(4)
      let begun = world.awake
      let alerts = world.notices.count
      while let rest = world.timers[TimerID(.rest, policy: "p")] {
        world.down()
        world.advance(rest.at - world.boot)
        if world.timers[TimerID(.rest, policy: "p")]?.at != rest.at { break }
      }
      rests.append(world.awake - begun)
      #expect(world.notices.count == alerts)
      world.down()
      world.up()
    }
    #expect(
      rests.map { $0.components.seconds } == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
    #expect(world.host.complaints == [])
  }

  @Test func `one that succeeds after its rest is forgiven`() {
    var isBroken = true
    start { isBroken }
    world.up()
    flap(2)
    isBroken = false
    world.down()
    world.wait(ms: 60_000)
    #expect(
      kinds.suffix(5) == ["loaded", "a raised", "publish", "persist", "policy-fault resolved"])
    isBroken = true
    world.up()
    world.down()
    #expect(
      world.log.count { if case .policy(_, .resting, _) = $0.order { true } else { false } } == 1)
    #expect(world.notices.count { $0.notice.content.key == "policy-fault" } == 2)
  }

  @Test func `two faults and a success are no row`() {
    var turn = 0
    start {
      turn += 1
      return turn % 3 != 0
    }
    world.up()
    flap(12)
    #expect(!kinds.contains("resting"))
  }

  @Test func `what is pending is dropped for the rest, and told after it`() {
    var isBroken = false
    world.host.on("p", .system) { _, _ in throw ScriptedHost.Failure("no") }
    start(settle: .seconds(2)) { isBroken }
    world.up()
    world.wait(ms: 1000)
    world.down()
    for _ in 0..<3 { world.feed(.gap(detail: "")) }
    #expect(world.timers.keys.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.rest])
    isBroken = false
    world.wait(ms: 63_000)
    #expect(world.told == ["0ms satisfied", "63000ms unsatisfied"])
  }

  @Test func `an alert whose end waited for what was dropped ends with it`() {
    world.host.on("p", .system) { _, _ in throw ScriptedHost.Failure("no") }
    world.host.on("p", .start) { _, outcome in outcome.raise("a", "x", expires: .seconds(1)) }
    world.host.on("p", .path) { _, _ in }
    world.start(world.host.declaration("p", settle: .fixed(.seconds(5))))
    world.up()
    world.down()
    world.wait(ms: 2000)
    #expect(world.alerts["p/a"] != nil)
    for _ in 0..<3 { world.feed(.gap(detail: "")) }
    #expect(world.alerts["p/a"] == nil)
  }

  @Test func `timers of a resting policy wait, wake nobody, and fire after it`() {
    var heard: [String] = []
    let world = world
    world.host.on("p", .start) { _, outcome in outcome.start("t", .seconds(10)) }
    world.host.on("p", .system) { _, _ in throw ScriptedHost.Failure("no") }
    world.host.on("p", .timer) { request, _ in
      if case .timer(let name, let late) = request.event {
        heard.append("\(name) \(late.shortText)")
      }
    }
    world.start(
      world.host.declaration("p", every: [RecurringTimer(name: "tick", period: .seconds(4))]))
    for _ in 0..<3 { world.feed(.gap(detail: "")) }
    let before = world.facts.count
    world.wait(ms: 59_000)
    #expect(world.facts.count - before <= 2)
    world.wait(ms: 1000)
    #expect(heard == ["tick 56s", "t 50s"])
    world.wait(ms: 4000)
    #expect(heard == ["tick 56s", "t 50s", "tick 0s"])
  }

  @Test func `a fault in the midst of a snapshot stops no other policy`() {
    world.host.on("q", .path) { _, outcome in outcome.raise("b", "fine") }
    start { true }
    world.start(
      world.host.declaration("p", settle: .fixed(.zero)),
      world.host.declaration("q", settle: .fixed(.zero)))
    world.up()
    flap(6)
    #expect(world.deliveries.count { $0.policy == "q" } == 7)
    #expect(world.deliveries.count { $0.policy == "p" } == 3)
  }

  @Test func `an edit ends the rest at once`() {
    var isBroken = true
    start { isBroken }
    world.up()
    flap(2)
    isBroken = false
    world.down()
    world.reload([world.host.declaration("p", settle: .fixed(.zero))], changed: ["p"])
    #expect(world.timers.keys.allSatisfy { $0.kind != .rest })
    #expect(kinds.contains("policy-fault resolved"))
    #expect(world.told.last == "0ms unsatisfied")
  }

  @Test func `a person can send the engine's own alert away`() {
    start { true }
    world.up()
    flap(2)
    world.feed(.dismissed(policy: "p", key: "policy-fault"))
    #expect(world.alerts.isEmpty)
    #expect(world.notices.last?.notice.state == .dismissed)
  }
}
