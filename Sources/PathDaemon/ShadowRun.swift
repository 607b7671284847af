import Glibc
import PathActions
import PathCore
import PathPolicy

/// Other versions of policies that are told the same as the live ones. Nothing that they decide is
/// done, kept or shown; it is compared, and the differences are told.
///
/// It comes after the live run in each turn, has an engine, timers and Lua states of its own, and
/// is ended when it takes too much of the loop's time.
final class ShadowRun {
  /// Of each minute.
  static let timeMost = Duration.seconds(3)
  private let timeMost: Duration

  private let directory: String
  private let tell: (ShadowDifference) -> Void
  private let runtime = PolicyRuntime()
  private var engine: Engine
  private var timers = TimerTable()
  private var comparison = ShadowComparison()
  private var configuration: Configuration
  private var actions: ActionRunner?
  private var watch: TreeWatch?
  private var timer: LoopTimer?
  private var memories: [String: PolicyMemory] = [:]
  /// The policies that are compared: those that the shadow has or would have.
  private var names: Set<String> = []
  private var hasStarted = false
  private var hasEnded = false
  /// The live run's actions at work, by policy and key.
  private var live: [Slot: (id: ActionID, action: Action)] = [:]
  /// The live action whose result one of the shadow's waits for.
  private var borrowed: [ActionID: ActionID] = [:]
  private var owed: [Fact] = []
  private var minute = Duration.zero
  private var spent = Duration.zero

  private struct Slot: Hashable {
    var policy: String
    var key: String

    init(_ id: ActionID) { (policy, key) = (id.policy, id.key) }
  }

  init(
    _ directory: String, _ settings: DaemonSettings, loop: EventLoop, seed: UInt64,
    timeMost: Duration = ShadowRun.timeMost, tell: @escaping (ShadowDifference) -> Void
  ) throws(LoopError) {
    self.directory = directory
    self.tell = tell
    self.timeMost = timeMost
    configuration = settings.configuration
    engine = Engine(host: runtime, seed: seed)
    var dry = ActionSettings(settings)
    dry.isDryRun = true
    actions = ActionRunner(loop: loop, settings: dry) { [unowned self] id, _, result in
      work(Clocks.now()) { feed(.result(id, result), at: $0) }
    }
    timer = try loop.makeTimer(.awake) { [unowned self] in tellDue() }
    do throws(LoopError) {
      watch = try TreeWatch(loop: loop, directory: directory) { [unowned self] in reload() }
    } catch {
      note("edits of the shadow are not noticed: \(error.message)")
    }
  }

  // MARK: The live run

  /// Begins with what the live policies kept.
  func remember(_ memories: [String: PolicyMemory]) { self.memories = memories }

  /// Takes what the live run was told and what it decided, once that was carried out.
  func follow(_ fact: Fact, _ orders: [Order], at now: Moment) {
    work(now) { now in
      var isCompared = true
      if case .policies(let set) = fact {
        // What the edit of a live policy does at its start is not the shadow's to do.
        isCompared = !hasStarted
        if !hasStarted { start(set.reason, at: now) }
      }
      for order in orders { take(order, at: now.awake, isCompared: isCompared) }
      switch fact {
      case .snapshot, .gap, .button, .dismissed, .asleep, .resumed, .stop: feed(fact, at: now)
      case .timer(let id): if timers.take(id, at: now) { feed(fact, at: now) }
      case .result(let id, let result):
        if live[Slot(id)]?.id == id { live[Slot(id)] = nil }
        if let own = borrowed.removeValue(forKey: id) { feed(.result(own, result), at: now) }
      case .policies, .killed: break
      }
    }
  }

  private func take(_ order: Order, at now: Duration, isCompared: Bool) {
    if case .perform(let id, let action, _) = order { live[Slot(id)] = (id, action) }
    if isCompared, isOfShadow(order) { comparison.note(order, by: .live, at: now) }
  }

  /// When the shadow's next timer is due.
  func next(_ clock: Deadline.Clock) -> Duration? { hasEnded ? nil : timers.next(clock) }

  /// Fires what is due in the shadow alone.
  func fireDue(at now: Moment) {
    work(now) { now in
      let begin = Clocks.read(CLOCK_MONOTONIC)
      while let id = timers.takeDue(at: now) {
        feed(.timer(id), at: now)
        if Clocks.read(CLOCK_MONOTONIC) - begin > Daemon.turnMost { break }
      }
    }
  }

  /// The operator's settings and grants are the live run's.
  func adopt(_ configuration: Configuration) {
    self.configuration = configuration
    actions?.grant(configuration.grants)
    if hasStarted { reload() }
  }

  // MARK: The shadow's own

  private func start(_ reason: StartReason, at now: Moment) {
    hasStarted = true
    guard let set = load(reason) else { return }
    names = Set(set.loaded.map(\.name)).union(set.rejected.map(\.policy))
    note("in the shadow: \(LoadedPolicies.list(names.sorted()))")
    feed(.policies(set), at: now)
    memories = [:]
  }

  private func reload() {
    guard hasStarted else { return }
    work(Clocks.now()) { now in
      guard let set = load(.reload) else { return }
      let before = names
      names = Set(set.loaded.map(\.name)).union(set.rejected.map(\.policy))
      if set.changed.isEmpty, set.rejected.isEmpty, names == before { return }
      for fault in set.rejected {
        tell(
          ShadowDifference(
            policy: fault.policy, only: .shadow, what: "rejected: \(fault.located)"))
      }
      feed(.policies(set), at: now, isCompared: false)
      note("the shadow was loaded again: \(LoadedPolicies.list(set.changed.sorted()))")
    }
  }

  private func load(_ reason: StartReason) -> PolicySet? {
    do throws(PolicyDirectory.Unreadable) {
      let found = try PolicyDirectory(reading: directory, running: engine.has)
      let configuration = configuration
      return runtime.load(
        found.scripts, refused: found.refused, reason: reason, memories: memories,
        retrying: false
      ) {
        configuration.settings(for: $0)
      }
    } catch {
      note("the shadow was not loaded: \(error.message)")
      return nil
    }
  }

  private func feed(_ fact: Fact, at now: Moment, isCompared: Bool = true) {
    var facts = [fact]
    while let fact = facts.popLast() {
      for order in engine.handle(fact, at: now) {
        if isCompared { comparison.note(order, by: .shadow, at: now.awake) }
        carryOut(order)
      }
      facts += owed.reversed()
      owed = []
    }
    _ = engine.takeKilled()
  }

  private func carryOut(_ order: Order) {
    switch order {
    case .setTimer(let id, let deadline): timers.set(id, deadline)
    case .clearTimer(let id): timers.clear(id)
    case .perform(let id, let action, let facts):
      if let same = live[Slot(id)], same.action == action, borrowed[same.id] == nil {
        borrowed[same.id] = id
      } else {
        actions?.start(id, action, facts: facts)
      }
    case .cancel(let id):
      if let lender = borrowed.first(where: { $0.value == id })?.key {
        borrowed[lender] = nil
        owed.append(.result(id, ActionResult(.dropped, error: "it was cancelled")))
      } else {
        actions?.cancel(id)
      }
    case .deliver, .alert, .publish, .persist, .log, .action, .policy, .fault, .gap: break
    }
  }

  private func isOfShadow(_ order: Order) -> Bool {
    switch order {
    case .alert(let notice): names.contains(notice.policy)
    case .publish(let notice): names.contains(notice.policy)
    case .log(let policy, _), .policy(let policy, _, _): names.contains(policy)
    case .perform(let id, _, _): names.contains(id.policy)
    case .fault(let fault): names.contains(fault.policy)
    case .deliver, .setTimer, .clearTimer, .persist, .cancel, .action, .gap: false
    }
  }

  // MARK: Telling, and bounds

  private func note(_ what: String) {
    tell(ShadowDifference(policy: "", only: .shadow, what: what))
  }

  private func tellDue() {
    let now = Clocks.read(CLOCK_MONOTONIC)
    for difference in comparison.takeDue(at: now) { tell(difference) }
    if let next = comparison.next { timer?.arm(at: next) } else { timer?.disarm() }
  }

  /// Does a part of the shadow's work, within its share of the time.
  private func work(_ now: Moment, _ body: (Moment) -> Void) {
    guard !hasEnded else { return }
    if now.awake - minute >= .seconds(60) {
      minute = now.awake
      spent = .zero
    }
    let begin = Clocks.read(CLOCK_MONOTONIC)
    body(now)
    tellDue()
    spent += Clocks.read(CLOCK_MONOTONIC) - begin
    guard spent > timeMost else { return }
    hasEnded = true
    watch = nil
    timer?.disarm()
    timers = TimerTable()
    note("the shadow took more than \(timeMost.shortText) of a minute, so it ended")
  }
}
