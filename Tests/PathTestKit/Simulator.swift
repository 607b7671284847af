package import PathCore
package import PathPolicy

/// The real engine and the real policies under a virtual clock: what the daemon is, without a
/// kernel and without waiting.
package final class Simulator {
  package private(set) var engine: Engine
  package let runtime = PolicyRuntime()
  /// Orders so far, each with the awake time at which it was given.
  package private(set) var log: [(at: Duration, order: Order)] = []
  package private(set) var awake: Duration = .zero
  package private(set) var boot: Duration = .zero
  package private(set) var alerts: [String: AlertContent] = [:]
  package private(set) var published: [String: PlainData] = [:]
  private var timers: [TimerID: Deadline] = [:]
  /// More timer calls than any sensible test needs.
  private static let stepsMax = 100_000

  package init(seed: UInt64 = 1) { engine = Engine(host: runtime, seed: seed) }

  package var now: Moment {
    Moment(awake: awake, boot: boot, wall: WallTime(unixNanoseconds: boot.nanoseconds))
  }

  package func load(
    _ scripts: [PolicyScript], reason: StartReason = .start,
    settings: (String) -> PolicySettings = { _ in PolicySettings(deadline: nil) }
  ) {
    feed(.policies(runtime.load(scripts, reason: reason, settings: settings)))
  }

  @discardableResult
  package func feed(_ fact: Fact) -> [Order] {
    let orders = engine.handle(fact, at: now)
    for order in orders { take(order) }
    return orders
  }

  /// Lets time pass, firing what comes due on the way, in order.
  package func advance(_ time: Duration) {
    let end = awake + time
    for _ in 0..<Self.stepsMax {
      guard let (id, at) = nextTimer(), at <= end else { break }
      pass(max(.zero, at - awake))
      timers[id] = nil
      feed(.timer(id))
    }
    pass(end - awake)
  }

  /// The machine sleeps: the boot clock runs alone.
  package func sleep(_ time: Duration) { boot += time }

  private func pass(_ time: Duration) {
    awake += time
    boot += time
  }

  /// The earliest wish, as a time of the awake clock.
  private func nextTimer() -> (TimerID, Duration)? {
    let ahead = boot - awake
    let due = timers.map { id, deadline in
      (id, deadline.clock == .boot ? deadline.at - ahead : deadline.at)
    }
    return due.min { ($0.1, $0.0) < ($1.1, $1.0) }
  }

  private func take(_ order: Order) {
    log.append((awake, order))
    switch order {
    case .setTimer(let id, let deadline): timers[id] = deadline
    case .clearTimer(let id): timers[id] = nil
    case .alert(let notice):
      switch notice.state {
      case .raised, .updated: alerts["\(notice.policy)/\(notice.content.key)"] = notice.content
      case .dismissed, .expired, .resolved:
        alerts["\(notice.policy)/\(notice.content.key)"] = nil
      }
    case .publish(let policy, let name, let data): published["\(policy)/\(name)"] = data
    default: break
    }
  }
}
