import CSystemd
import Glibc
import PathActions
import PathCore
package import PathKernel
import PathPolicy
import PathStore

/// The running program: the kernel's news and the clocks' go in, the engine's orders come out.
///
/// One thread. A burst of news is judged at once and then ever less often: see `readSoon`.
package final class Daemon {
  var settings: DaemonSettings
  let delegate: any DaemonDelegate
  let loop: EventLoop
  let kernel: KernelReader
  /// What `kernel` was made by; a later one holds for it at the next start.
  let kernelConfiguration: Configuration
  var engine: Engine
  let runtime = PolicyRuntime()
  /// Set once, when everything it needs is there.
  private(set) var actions: ActionRunner! = nil
  private(set) var keeper: Keeper?
  /// Set once, too.
  private(set) var loader: PolicyLoader! = nil
  var timers = TimerTable()
  var recorder: Recorder?
  /// The boot clock's lead over the awake clock, as last seen: it grows while the machine sleeps.
  var sleepSoFar: Duration
  var lastRead: Duration = .zero
  var lastResync: Duration?
  var isReadPending = false
  /// News came that no reading has seen.
  var isUnread = false
  /// How soon after a reading the next one may come; grows while news keeps coming.
  var rest = Daemon.restLeast
  var wakeTimers: [LoopTimer] = []
  var readTimer: LoopTimer?
  var reconcileTimer: LoopTimer?
  var sleepGuard: LoopTimer?
  var sleepWatch: SleepWatch?
  /// logind said that the machine goes to sleep, and not yet that it is back.
  var isGoingToSleep = false
  var inputBuffer: [UInt8] = []
  /// Whether somebody sat at a terminal when this began.
  let hadTerminal = isatty(STDIN_FILENO) == 1
  private(set) var shadow: ShadowRun?
  var policyWatch: TreeWatch?
  /// What was last said of it.
  var toldProblem: String?
  /// What the last load gave.
  var loaded = LoadedPolicies()
  var control: ControlServer?
  var started = WallTime()
  var refusals = RefusalBook()
  /// What is told once the action has begun.
  var starting: ActionReport?
  /// What is told while somebody waits for it at the control socket; nil while nobody does.
  var overheard: [ControlDeed.TimedReport]?
  var serviceStatus = ServiceStatus()
  /// Texts that this run began with and that nothing is known of yet.
  var doubts: [String: Doubt] = [:]
  /// It was said that a refused edit will be live at the next start.
  var toldNothingKept = false

  /// Feeds the policies' random numbers; in the trace's header.
  static let seed: UInt64 = 1
  /// Between the first two readings of the kernel in a burst, and between those of a long one.
  static let restLeast = Duration.microseconds(500)
  static let restMost = Duration.milliseconds(5)
  /// Between two readings from scratch while events keep being lost.
  static let resyncRest = Duration.seconds(1)
  /// How long timers that are due may hold the loop, beyond the one that is running.
  static let turnMost = Duration.milliseconds(50)
  /// A sleep that was announced and has not come after this long awake is not coming.
  static let sleepPatience = Duration.seconds(30)
  /// A lead that grew by less is the clocks' own imprecision.
  static let sleepLeast = Duration.seconds(1)

  package init(
    settings: DaemonSettings, delegate: any DaemonDelegate, fault: KernelFault? = nil
  ) throws(DaemonError) {
    self.settings = settings
    self.delegate = delegate
    Self.blockSignals()
    loop = try Self.loop(EventLoop.init)
    kernelConfiguration = settings.configuration
    do throws(KernelError) {
      kernel = try KernelReader(settings: KernelSettings(kernelConfiguration), fault: fault)
    } catch {
      throw .loop(LoopError(call: error.call, code: error.code))
    }
    engine = Engine(host: runtime, seed: Self.seed)
    let now = Clocks.now()
    sleepSoFar = now.boot - now.awake
    actions = ActionRunner(loop: loop, settings: ActionSettings(settings)) {
      [unowned self] id, _, result in
      feed(.result(id, result))
    }
    keeper = try Keeper(settings, loop: loop) { [unowned self] in tell(.gap(detail: $0)) }
    loader = try Self.loop { () throws(LoopError) in
      try PolicyLoader(loop: loop) { [unowned self] in reload($0) }
    }
    try Self.loop(watchEverything)
    if let directory = settings.shadow {
      shadow = try Self.loop { () throws(LoopError) in
        try ShadowRun(
          directory, settings, loop: loop, seed: Self.seed,
          timersChanged: { [unowned self] in armTimers() },
          tell: { [unowned self] in tell(.shadow($0)) })
      }
    }
    takeAcceptedTexts()
    // The last step: what cannot run is to leave no file.
    if settings.record != nil { recorder = try Recorder(self.settings, seed: Self.seed) }
  }

  private static func loop<Result>(
    _ body: () throws(LoopError) -> Result
  ) throws(DaemonError) -> Result {
    do throws(LoopError) { return try body() } catch { throw .loop(error) }
  }

  /// Runs until a signal or a broken output ends it; the exit code.
  package func run() throws(LoopError) -> Int32 {
    let stored = keeper?.recall() ?? StoredPolicies()
    for notice in keeper?.openingNotices ?? [] { tell(.gap(detail: notice)) }
    started = Clocks.now().wall
    var request = startRequest
    request.reason = stored.isAfterReboot ? .boot : .start
    request.memories = stored.memories
    request.doubts = doubts
    loader.load(runtime.loading(request)) { [unowned self] in begin($0, stored) }
    defer { control?.close() }
    return try loop.run()
  }

  /// The policies are loaded: from here on they are told what happens.
  private func begin(_ set: PolicySet, _ stored: StoredPolicies) {
    loaded = LoadedPolicies(set)
    runtime.check = settings.check
    shadow?.remember(stored.memories)
    // What policies kept may name networks that no snapshot has shown yet.
    if let recorder, !set.memories.isEmpty { recorder.learn(kernel.snapshot()) }
    feed(.policies(set))
    reopenControl()
    tell(.ready(policies: set.loaded.count))
    _ = unsafe sd_notify(0, "READY=1")
    if let reason = kernel.refusal { feed(.gap(detail: "netlink cannot be had: \(reason)")) }
    read()
    armReconcile()
    watchPolicies()
  }

  // MARK: Facts in

  /// Gives the engine a fact and carries its orders out; these are the orders.
  @discardableResult
  func feed(_ fact: Fact) -> [Order] {
    let now = Clocks.now()
    if let recorder {
      recorder.record(fact, at: now)
      if let failure = recorder.failure {
        self.recorder = nil
        tell(.gap(detail: "the recording ended: \(recorder.path): \(failure)"), now)
      }
    }
    let orders = engine.handle(fact, at: now)
    for order in orders where !order.waitsForStore { carryOut(order, now) }
    if let keeper {
      for notice in keeper.keep(orders, of: &engine, at: now) { tell(.gap(detail: notice), now) }
    }
    for order in orders where order.waitsForStore { carryOut(order, now) }
    for killed in engine.takeKilled() { recorder?.record(killed, at: now) }
    shadow?.follow(fact, orders, at: now)
    armTimers()
    if serviceStatus.isWanted { serviceStatus.note(fact, engine) }
    return orders
  }

  /// Reads the kernel's present state and judges it.
  func read() {
    isReadPending = false
    isUnread = false
    let snapshot = kernel.snapshot()
    feed(.snapshot(snapshot))
    lastRead = Clocks.read(CLOCK_MONOTONIC)
  }

  /// Something may have changed: reads at once, or in a moment when it was just done.
  ///
  /// Each reading that news led to is followed by one more, because the kernel tells of some
  /// changes before it has made them: a link's end goes out before its routes are taken down, and a
  /// lookup waits for no lock (`__dev_notify_flags`, `inet_rtm_getroute`).
  func readSoon() {
    isUnread = true
    guard !isReadPending else { return }
    let now = Clocks.read(CLOCK_MONOTONIC)
    if now >= lastRead + Self.restMost { rest = Self.restLeast }
    if now >= lastRead + rest { return readAgain() }
    armRead()
  }

  /// The rest is over, or none was needed.
  func readAgain() {
    let hasNews = isUnread
    read()
    guard hasNews else { return }
    armRead()
    rest = min(rest + rest, Self.restMost)
  }

  private func armRead() {
    isReadPending = true
    readTimer?.arm(at: lastRead + rest)
  }

  /// Kernel events were lost. Says so and reads from scratch, but not more often than once a
  /// second.
  func resync(_ detail: String) {
    let now = Clocks.read(CLOCK_MONOTONIC)
    if let last = lastResync, now - last < Self.resyncRest {
      isReadPending = true
      isUnread = true
      readTimer?.arm(at: last + Self.resyncRest)
      return
    }
    lastResync = now
    feed(.gap(detail: detail))
    read()
  }

  /// The machine slept if the boot clock ran ahead.
  func noticeSleep() {
    let lead = Clocks.read(CLOCK_BOOTTIME) - Clocks.read(CLOCK_MONOTONIC)
    let slept = lead - sleepSoFar > Self.sleepLeast
    sleepSoFar = lead
    if slept { wake() }
  }

  /// What logind says, at best before a sleep and after it.
  func hearLogind(isGoing: Bool) {
    if isGoing {
      isGoingToSleep = true
      sleepGuard?.arm(at: Clocks.read(CLOCK_MONOTONIC) + Self.sleepPatience)
      feed(.asleep)
    } else if isGoingToSleep {
      sleepSoFar = Clocks.read(CLOCK_BOOTTIME) - Clocks.read(CLOCK_MONOTONIC)
      wake()
    }
  }

  /// The machine is back: nothing that was known is believed until it was read anew.
  func wake() {
    isGoingToSleep = false
    sleepGuard?.disarm()
    feed(.resumed)
    _ = kernel.reconcile()
    read()
  }

  // MARK: Orders out

  private func carryOut(_ order: Order, _ now: Moment) {
    switch order {
    case .setTimer(let id, let deadline): timers.set(id, deadline)
    case .clearTimer(let id): timers.clear(id)
    case .persist: break  // The keeper takes it from the engine, with all else that is durable.
    case .deliver(let policy, let event): tell(.path(policy: policy, event), now)
    case .alert(let notice): tell(.alert(notice), now)
    case .publish(let notice): tell(.publish(notice), now)
    case .log(let policy, let text):
      tell(.action(actions.log(policy: policy, text: text)), now)
    case .perform(let id, let action, let facts):
      let hasBegun = actions.start(id, action, facts: facts)
      if let report = starting.take(), hasBegun { tell(.action(report), now) }
    case .cancel(let id): actions.cancel(id)
    // What is refused at once was never started: what begins it, just behind, decides.
    case .action(let report) where report.state == .started: starting = report
    case .action(let report):
      refusals.note(report, at: now.wall)
      tell(.action(report), now)
    case .policy(let name, let standing, let detail):
      if standing == .removed { refusals.forget(name) }
      tell(.policy(name: name, standing, detail: detail), now)
    case .fault(let fault): tell(.fault(fault), now)
    case .gap(let detail): tell(.gap(detail: detail), now)
    }
  }

  func tell(_ report: Report, _ now: Moment = Clocks.now()) {
    overheard?.append(ControlDeed.TimedReport(report: report, time: now.wall))
    if !delegate.report(report, at: now.wall) { loop.stop(1) }
  }

  private func armTimers() {
    for (timer, clock) in zip(wakeTimers, [Deadline.Clock.awake, .boot]) {
      var next = timers.next(clock)
      if let other = shadow?.next(clock) { next = min(next ?? other, other) }
      if let next { timer.arm(at: next) } else { timer.disarm() }
    }
  }

  /// Fires what is due by now, for a moment at most: timers that start each other, or very many,
  /// leave the kernel and signals their turns.
  func fireDue() {
    let now = Clocks.now()
    repeat {
      guard let id = timers.takeDue(at: now) else { break }
      feed(.timer(id))
    } while Clocks.read(CLOCK_MONOTONIC) < now.awake + Self.turnMost
    shadow?.fireDue(at: now)
    armTimers()
  }
}
