import PathCore
import PathTestKit

/// One step of a random history.
enum RandomStep: CustomStringConvertible {
  case show(Int)
  case again
  case pass(milliseconds: Int)
  case gap
  case sleep(seconds: Int, shows: Int)
  case press(String)
  case dismiss(String)
  case reload(changed: [String], without: [String])
  /// One of the actions that were ever begun ends so; most likely one that is still at work.
  case end(Int, ActionResult.Ending)

  static let snapshots: [Snapshot] = [
    .online("wlan0"), .offline("wlan0"), .dormant("wlan0"), .online("eth0", type: .wired, index: 3),
    Snapshot(), Snapshot(unavailable: "no netlink"),
  ]

  var description: String {
    switch self {
    case .show(let index): ".show(\(index))"
    case .again: ".again"
    case .pass(let milliseconds): ".pass(milliseconds: \(milliseconds))"
    case .gap: ".gap"
    case .sleep(let seconds, let shows): ".sleep(seconds: \(seconds), shows: \(shows))"
    case .press(let policy): ".press(\"\(policy)\")"
    case .dismiss(let policy): ".dismiss(\"\(policy)\")"
    case .reload(let changed, let without): ".reload(changed: \(changed), without: \(without))"
    case .end(let index, let ending): ".end(\(index), .\(ending.rawValue))"
    }
  }

  static func random(_ generator: inout SplitMix64) -> RandomStep {
    switch generator.number(0...124) {
    case 100...:
      .end(
        generator.number(0...9), generator.pick([.failed, .failed, .succeeded, .refused, .dropped]))
    case 0..<40: .show(generator.number(0...snapshots.count - 1))
    case 40..<45: .again
    case 45..<83: .pass(milliseconds: generator.pick([1, 50, 250, 299, 700, 2000, 4900, 31_000]))
    case 83..<86: .gap
    case 86..<90:
      .sleep(
        seconds: generator.pick([1, 8, 3600]), shows: generator.number(0...snapshots.count - 1))
    case 90..<93: .press(generator.pick(RandomWorld.names))
    case 93..<95: .dismiss(generator.pick(RandomWorld.names))
    default:
      .reload(
        changed: RandomWorld.names.filter { _ in generator.chance(20) },
        without: RandomWorld.names.filter { _ in generator.chance(10) })
    }
  }
}

/// Four scripted policies – a banner, one that acts, one that often fails, one that plays with
/// timers – and the watch over them while a random history runs.
final class RandomWorld {
  static let names = ["actor", "banner", "faulty", "timers"]

  let world = ScriptedWorld(seed: 7)
  private var present = 0
  private(set) var complaint: String?
  /// Faults are part of the history: the same calls fail in a replay.
  private let faultsEvery: Int

  init(faultsEvery: Int = 3, watches: Bool = true) {
    self.faultsEvery = faultsEvery
    Self.script(world.host, faultsEvery: faultsEvery)
    world.start(
      declaration("actor"), declaration("banner"), declaration("faulty"), declaration("timers"))
    guard watches else { return }
    let rests = world.afterFact
    world.afterFact = { [unowned self] orders in
      rests(orders)
      self.watch(orders)
    }
  }

  private func declaration(_ name: String) -> PolicyDeclaration {
    switch name {
    case "actor": RandomActor.declaration(world.host)
    case "banner": world.host.declaration(name, settle: .function)
    case "faulty": world.host.declaration(name, settle: .fixed(.milliseconds(300)))
    default:
      world.host.declaration(
        name, settle: .standard, every: [RecurringTimer(name: "tick", period: .seconds(7))])
    }
  }

  static func script(_ host: ScriptedHost, faultsEvery: Int) {
    RandomActor.script(host)
    host.on("banner", .settle) { request, outcome in
      outcome.settle = request.change?.path.status == .satisfied ? .milliseconds(300) : .seconds(2)
    }
    host.on("banner", .path) { request, outcome in
      guard let change = request.change else { return }
      if change.path.status != .satisfied {
        outcome.raise("connection", "Not connected", buttons: ["retry"])
      } else if !change.isInitial, change.causes.contains(.status) {
        outcome.raise("connection", "Back online", expires: .seconds(5))
      }
    }
    host.on("banner", .button) { _, outcome in outcome.log("retry") }
    host.on("timers", .start) { _, outcome in outcome.start("boot", .seconds(3)) }
    host.on("timers", .path) { request, outcome in
      outcome.publish("status", request.change?.path.status.rawValue ?? "")
      outcome.start("lost", .seconds(10), once: true, untilChange: "internet")
      outcome.start("again", .seconds(4))
      if request.change?.path.status == .satisfied { outcome.cancel("lost") }
    }
    host.on("timers", .timer) { request, outcome in
      if case .timer("again", _) = request.event { outcome.raise("t", "x", expires: .seconds(1)) }
      outcome.state = .text("\(request.seed)")
    }
    for handler in [Handler.path, .system, .start] {
      host.on("faulty", handler) { request, outcome in
        outcome.raise("f", "y", expires: .seconds(2))
        outcome.start("f", .seconds(5))
        // By the seed, which counts the policy's calls.
        if Int(request.seed % 11) < faultsEvery { throw ScriptedHost.Failure("unlucky") }
      }
    }
    host.on("faulty", .timer) { _, _ in }
  }

  func take(_ step: RandomStep) {
    switch step {
    case .show(let index):
      present = index
      world.feed(.snapshot(RandomStep.snapshots[index]))
    case .again: world.feed(.snapshot(RandomStep.snapshots[present]))
    case .pass(let milliseconds): world.advance(.milliseconds(milliseconds))
    case .gap: world.feed(.gap(detail: "overrun"))
    case .sleep(let seconds, let index):
      world.feed(.asleep)
      world.sleep(.seconds(seconds))
      world.advance(.milliseconds(20))
      world.feed(.resumed)
      world.advance(.milliseconds(20))
      present = index
      world.feed(.snapshot(RandomStep.snapshots[index]))
    case .press(let policy):
      world.feed(.button(policy: policy, key: "connection", button: "retry"))
    case .dismiss(let policy):
      world.feed(.dismissed(policy: policy, key: policy == "banner" ? "connection" : "t"))
    case .reload(let changed, let without):
      let kept = Self.names.filter { !without.contains($0) }
      let running = Set(world.engine.policyNames)
      let news = Set(changed).union(Set(kept).subtracting(running))
      world.reload(kept.map(declaration), changed: news.intersection(kept))
    case .end(let index, let ending):
      if let wrong = RandomActor.end(index, ending, in: world), complaint == nil {
        complaint = wrong
      }
    }
  }

  private func watch(_ orders: [Order]) {
    if complaint != nil { return }
    complaint = Invariants.complaint(world.engine, world.timers) ?? world.host.complaints.first
    let unreported = world.unreported
    for case .alert(let notice) in orders
    where notice.state == .expired && unreported.contains(notice.policy) {
      complaint = "\(notice.policy)/\(notice.content.key) expired over a pending change"
    }
    if world.timers.count > 64 { complaint = "timers pile up" }
  }

  /// Runs all of it, and a quiet time after it.
  func run(_ steps: [RandomStep]) -> String? {
    for step in steps {
      take(step)
      if let complaint { return complaint }
    }
    world.feed(.snapshot(RandomStep.snapshots[present]))
    // A rest of a minute and the settle after it are over then.
    world.advance(.milliseconds(61_500))
    if let complaint { return complaint }
    if let name = world.uninformed.first { return "\(name) does not know the present path" }
    return delivered()
  }

  /// No path is told twice in a row to one monitor.
  private func delivered() -> String? {
    var last: [String: Path] = [:]
    for entry in world.log {
      switch entry.order {
      case .deliver(let policy, let event):
        let monitor = "\(policy)/\(event.monitor)"
        if !event.isInitial, last[monitor] == event.path { return "\(monitor) was told twice" }
        last[monitor] = event.path
      default: break
      }
    }
    return nil
  }

  /// Text forms, to compare histories.
  var lines: [String] { world.log.map { "\($0.at.nanoseconds) \($0.order)" } }
}
