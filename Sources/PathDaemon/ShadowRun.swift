import Glibc
import PathActions
import PathCore
import PathPolicy

/// Other versions of policies that are told the same as the live ones. Nothing that they decide is
/// done, kept or shown; it is compared, and the differences are told.
///
/// It comes after the live run in each turn, has an engine, timers and Lua states of its own, and
/// is ended when it takes too much of the loop's time. Like the live policies, its own are loaded
/// in turns of the loop; what the live run is told during the first load waits for them.
final class ShadowRun {
  /// Of each minute.
  static let timeMost = Duration.seconds(3)
  private let timeMost: Duration

  /// What may wait for the first load.
  static let heldMost = 256

  private enum Phase {
    /// The live policies have not begun.
    case waiting
    case starting([Heard])
    case running
    case ended
  }

  /// What the live run was told, and what it decided.
  private struct Heard {
    var fact: Fact
    var orders: [Order]
    var now: Moment
    var isCompared: Bool
  }

  private let directory: String
  private let tell: (ShadowDifference) -> Void
  /// Hears that other timers may be due next, when that was not the live run's doing.
  private let timersChanged: () -> Void
  private let runtime = PolicyRuntime()
  private var engine: Engine
  private var timers = TimerTable()
  private var comparison = ShadowComparison()
  private var configuration: Configuration
  private var actions: ActionRunner?
  private var watch: TreeWatch?
  private var timer: LoopTimer?
  private var loader: PolicyLoader?
  private var memories: [String: PolicyMemory] = [:]
  /// The policies that are compared: those that the shadow has or would have.
  private var names: Set<String> = []
  private var phase = Phase.waiting
  private var isWorking = false
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
    timeMost: Duration = ShadowRun.timeMost, timersChanged: @escaping () -> Void = {},
    tell: @escaping (ShadowDifference) -> Void
  ) throws(LoopError) {
    self.directory = directory
    self.tell = tell
    self.timersChanged = timersChanged
    self.timeMost = timeMost
    configuration = settings.configuration
    engine = Engine(host: runtime, seed: seed)
    var dry = ActionSettings(settings)
    dry.isDryRun = true
    actions = ActionRunner(loop: loop, settings: dry) { [unowned self] id, _, result in
      work(Clocks.now()) { feed(.result(id, result), at: $0) }
      self.timersChanged()
    }
    let around = { [unowned self] (turn: () -> Void) in
      work(Clocks.now()) { _ in turn() }
      self.timersChanged()
    }
    loader = try PolicyLoader(loop: loop, around: around) { [unowned self] _ in loadAgain() }
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
      var heard = Heard(fact: fact, orders: orders, now: now, isCompared: true)
      if case .policies(let set) = fact {
        if case .waiting = phase {
          phase = .starting([heard])
          return start(set.reason, at: now)
        }
        // What the edit of a live policy does at its start is not the shadow's to do.
        heard.isCompared = false
      }
      switch phase {
      case .starting(let held): hold(heard, after: held)
      case .waiting, .running: hear(heard)
      case .ended: break
      }
    }
  }

  private func hold(_ heard: Heard, after held: [Heard]) {
    if held.count < Self.heldMost {
      phase = .starting(held + [heard])
    } else {
      end("the shadow missed too much while it was loaded, so it ended")
    }
  }

  private func hear(_ heard: Heard) {
    let now = heard.now
    for order in heard.orders { take(order, at: now.awake, isCompared: heard.isCompared) }
    switch heard.fact {
    case .snapshot, .gap, .button, .dismissed, .asleep, .resumed, .stop: feed(heard.fact, at: now)
    case .timer(let id): if timers.take(id, at: now) { feed(heard.fact, at: now) }
    case .result(let id, let result):
      if live[Slot(id)]?.id == id { live[Slot(id)] = nil }
      if let own = borrowed.removeValue(forKey: id) { feed(.result(own, result), at: now) }
    case .policies, .killed: break
    }
  }

  private func take(_ order: Order, at now: Duration, isCompared: Bool) {
    if case .perform(let id, let action, _) = order { live[Slot(id)] = (id, action) }
    if isCompared, isOfShadow(order) { comparison.note(order, by: .live, at: now) }
  }

  /// When the shadow's next timer is due.
  func next(_ clock: Deadline.Clock) -> Duration? { timers.next(clock) }

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
    reload()
  }

  // MARK: The shadow's own

  private func start(_ reason: StartReason, at now: Moment) {
    let isLoading = load(reason) { [unowned self] set in
      names = Self.names(in: set)
      note("in the shadow: \(LoadedPolicies.list(names.sorted()))")
      feed(.policies(set), at: now)
      memories = [:]
      begin()
    }
    if !isLoading { begin() }
  }

  /// The first load is over: what waited for it is heard now, as of when it happened.
  private func begin() {
    guard case .starting(let held) = phase else { return }
    phase = .running
    for heard in held { hear(heard) }
  }

  /// Whether its policies are being loaded.
  var isLoading: Bool { loader?.isLoading == true }

  private func reload() {
    switch phase {
    case .starting, .running: loader?.ask(PolicyLoader.Wish(isByHand: false))
    case .waiting, .ended: break
    }
  }

  private func loadAgain() {
    _ = load(.reload) { [unowned self] set in
      let before = names
      names = Self.names(in: set)
      if set.changed.isEmpty, set.rejected.isEmpty, names == before { return }
      for fault in set.rejected {
        tell(
          ShadowDifference(
            policy: fault.policy, only: .shadow, what: "rejected: \(fault.located)"))
      }
      feed(.policies(set), at: Clocks.now(), isCompared: false)
      note("the shadow was loaded again: \(LoadedPolicies.list(set.changed.sorted()))")
    }
  }

  private static func names(in set: PolicySet) -> Set<String> {
    Set(set.loaded.map(\.name)).union(set.rejected.map(\.policy))
  }

  /// Loads the directory in turns of the loop; false when it cannot be read, which is told.
  private func load(_ reason: StartReason, done: @escaping (PolicySet) -> Void) -> Bool {
    do throws(PolicyDirectory.Unreadable) {
      let found = try PolicyDirectory(reading: directory, running: engine.has)
      let configuration = configuration
      var request = PolicyLoading.Request(found.scripts, reason: reason)
      request.refused = found.refused
      request.memories = memories
      request.retrying = false
      request.settings = { configuration.settings(for: $0) }
      loader?.load(runtime.loading(request), done: done)
      return true
    } catch {
      note("the shadow was not loaded: \(error.message)")
      return false
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
    if case .ended = phase { return }
    // A part of a part: its time is the whole's.
    if isWorking { return body(now) }
    isWorking = true
    defer { isWorking = false }
    if now.awake - minute >= .seconds(60) {
      minute = now.awake
      spent = .zero
    }
    let begin = Clocks.read(CLOCK_MONOTONIC)
    body(now)
    tellDue()
    spent += Clocks.read(CLOCK_MONOTONIC) - begin
    if spent > timeMost {
      end("the shadow took more than \(timeMost.shortText) of a minute, so it ended")
    }
  }

  private func end(_ why: String) {
    if case .ended = phase { return }
    phase = .ended
    loader?.end()
    watch = nil
    timer?.disarm()
    timers = TimerTable()
    note(why)
  }
}
