package import PathCore

/// The real engine under a virtual clock: what the daemon is, without a kernel and without waiting.
/// It keeps the timers that the engine asks for, and everything that was said.
/// Open for the worlds of the test kit, which bring their policies; `package` would not let them.
open class World {
  package private(set) var engine: Engine
  /// Orders so far, each with the awake time at which it was given.
  package private(set) var log: [(at: Duration, order: Order)] = []
  /// Facts so far, each with its moment: enough to play all of it again.
  package private(set) var facts: [(at: Moment, fact: Fact)] = []
  /// How many orders there were after each fact.
  private var ends: [Int] = []
  package private(set) var awake: Duration = .zero
  package private(set) var boot: Duration = .zero
  /// Facts that may still be fed by `run(for:)`.
  package private(set) var stepsLeft: Int
  /// The clock on the wall, as far as it was set away from the boot clock.
  package var wallOffset: Duration = .zero
  package private(set) var alerts: [String: AlertContent] = [:]
  package private(set) var published: [String: PlainData] = [:]
  package private(set) var timers: [TimerID: Deadline] = [:]
  /// Called before each fact.
  package var beforeFact: (Fact) -> Void = { _ in }
  /// Called after each fact with the orders it gave.
  package var afterFact: ([Order]) -> Void = { _ in }
  private let steps: Int
  private let seed: UInt64

  /// More happened than the world was made for.
  package struct BudgetSpent: Error, Hashable, Sendable {
    package var steps: Int
  }

  /// More facts than any sensible test needs.
  package static let stepsStandard = 100_000

  package init(host: any PolicyHost, seed: UInt64 = 1, steps: Int = stepsStandard) {
    engine = Engine(host: host, seed: seed)
    self.seed = seed
    self.steps = steps
    stepsLeft = steps
  }

  package var now: Moment {
    Moment(
      awake: awake, boot: boot,
      wall: WallTime(unixNanoseconds: (boot + wallOffset).nanoseconds))
  }

  @discardableResult
  package func feed(_ fact: Fact) -> [Order] {
    stepsLeft = max(0, stepsLeft - 1)
    beforeFact(fact)
    facts.append((now, fact))
    let orders = engine.handle(fact, at: now)
    for order in orders { take(order) }
    ends.append(log.count)
    afterFact(orders)
    return orders
  }

  /// Throws when so much was fed already that nothing more should be.
  package func checkBudget() throws(BudgetSpent) {
    if stepsLeft == 0 { throw BudgetSpent(steps: steps) }
  }

  /// From here on nothing more may happen.
  package func spendBudget() { stepsLeft = 0 }

  /// What the fact with this number led to.
  func orders(after index: Int) -> [Order] {
    log[(index == 0 ? 0 : ends[index - 1])..<ends[index]].map(\.order)
  }

  /// Lets time pass, firing what comes due on the way, in order. Stops where the budget is spent.
  package func run(for time: Duration) throws(BudgetSpent) {
    let end = awake + time
    while let (id, at) = nextTimer(), at <= end {
      try checkBudget()
      pass(max(.zero, at - awake))
      timers[id] = nil
      feed(.timer(id))
    }
    pass(end - awake)
  }

  /// The machine sleeps: the boot clock runs alone.
  package func suspend(for time: Duration) { boot += time }

  /// Time passes and nothing comes due: nobody runs.
  package func pass(_ time: Duration) {
    awake += time
    boot += time
  }

  /// The process is killed and another one begins; what was shown is gone until it is told again.
  package func restart(host: any PolicyHost) {
    engine = Engine(host: host, seed: seed)
    alerts = [:]
    published = [:]
    timers = [:]
  }

  /// The machine starts anew: its clocks begin again, the one on the wall goes on.
  package func reboot(uptime: Duration) {
    wallOffset += boot - uptime
    awake = uptime
    boot = uptime
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
    case .publish(let notice): published["\(notice.policy)/\(notice.name)"] = notice.value
    default: break
    }
  }
}

/// What became of things, for asserting.
extension World {
  package struct Delivery {
    package var at: Duration
    package var policy: String
    package var event: PathEvent
  }

  package var deliveries: [Delivery] {
    log.compactMap { entry in
      guard case .deliver(let policy, let event) = entry.order else { return nil }
      return Delivery(at: entry.at, policy: policy, event: event)
    }
  }

  package var notices: [(at: Duration, notice: AlertNotice)] {
    log.compactMap { entry in
      if case .alert(let notice) = entry.order { (entry.at, notice) } else { nil }
    }
  }

  /// The actions that were to be performed.
  package var begun: [(id: ActionID, action: Action)] {
    log.compactMap { entry in
      if case .perform(let id, let action, _) = entry.order { (id, action) } else { nil }
    }
  }

  package var faults: [PolicyFault] {
    log.compactMap { if case .fault(let fault) = $0.order { fault } else { nil } }
  }

  /// Facts and orders as golden files hold them.
  package var transcript: [String] {
    var lines: [String] = []
    var start = 0
    for (index, entry) in facts.enumerated() {
      lines.append("\(entry.at.stamp) \(entry.fact)")
      lines += log[start..<ends[index]].map { "    -> \($0.order)" }
      start = ends[index]
    }
    return lines
  }

  /// The text forms of all orders that are not about timers, with their times.
  package var story: [String] {
    log.compactMap { entry in
      switch entry.order {
      case .setTimer, .clearTimer: nil
      default: "\(Moment(awake: entry.at, boot: entry.at).stamp) \(entry.order)"
      }
    }
  }
}
