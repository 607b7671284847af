import Glibc
package import PathCore

/// Carries out actions: owns the executors, bounds how many are at work, and hands each result over
/// once.
///
/// Results come from the loop, never from within `start` or `cancel`, so whoever gets one may start
/// the next at once. It does not decide whether and when: keys, limits and retries are the
/// engine's.
package final class ActionRunner {
  private let loop: any ActionLoop
  private var settings: ActionSettings
  private let report: (ActionID, Action.Kind, ActionResult) -> Void
  private let children = Children()
  private let exec: ExecExecutor
  private let openURL: OpenURLExecutor
  private let http: HTTPExecutor
  private let dryRun: DryRunExecutor
  private let logger: LogExecutor
  private var running: [ActionID: any RunningAction] = [:]
  /// Results that wait for the loop's next turn.
  private var finished: [(id: ActionID, kind: Action.Kind, result: ActionResult)] = []
  private var delivery: (any LoopTicket)?
  private var whenStopped: (() -> Void)?
  private var isStopping = false
  private var patience: (any LoopTicket)?

  /// Beyond the grace, for the kernel to end what was killed.
  private static let killPatience = Duration.seconds(1)

  /// `report` hears of every action that was started, once.
  package init(
    loop: any ActionLoop, settings: ActionSettings,
    report: @escaping (ActionID, Action.Kind, ActionResult) -> Void
  ) {
    self.loop = loop
    self.settings = settings
    self.report = report
    exec = ExecExecutor(loop: loop, settings: settings, children: children)
    openURL = OpenURLExecutor(loop: loop, settings: settings, children: children)
    http = HTTPExecutor(loop: loop, settings: settings)
    dryRun = DryRunExecutor(exec: exec, openURL: openURL, http: http)
    logger = LogExecutor(isDryRun: settings.isDryRun)
    // Whoever started Netvane may have had it ignored, and then nobody learns how a child ended.
    signal(SIGCHLD, SIG_DFL)
  }

  /// What is begun from here on is measured by these grants.
  package func grant(_ grants: Grants) {
    settings.grants = grants
    exec.settings.grants = grants
    openURL.settings.grants = grants
    http.settings.grants = grants
  }

  package var runningCount: Int { running.count }

  package func log(policy: String, text: String) -> ActionReport {
    logger.perform(policy: policy, text: text)
  }

  /// Begins an action, and says whether it did; its result comes either way. `facts` are what a
  /// command finds in its environment, as NETVANE_….
  @discardableResult
  package func start(
    _ id: ActionID, _ action: Action, facts: [String: String] = [:]
  ) -> Bool {
    // The engine lets more wait for their turns; this is the net below it.
    guard running.count < settings.runningMost else {
      // A retry may try again: that there is no room now is no refusal.
      let error =
        "\(running.count) actions are at work, which is the most; this one was not begun"
      finish(id, action.kind, ActionResult(.failed, error: error))
      return false
    }
    do throws(ActionRefusal) {
      try checkRoom(for: id)
      if settings.isDryRun {
        finish(id, action.kind, try dryRun.perform(id, action))
      } else {
        running[id] = try begin(id, action, facts)
      }
      return true
    } catch {
      finish(id, action.kind, ActionResult(error))
      return false
    }
  }

  /// Ends an action early; its result, dropped, comes once nothing of it is left. Does nothing to
  /// one that has ended.
  package func cancel(_ id: ActionID) {
    running[id]?.cancel(ActionResult(.dropped, error: "it was cancelled"))
  }

  /// Ends everything and takes nothing more. `done` is called when nothing is left, or when waiting
  /// longer makes no sense. Browsers that were opened go on.
  package func stopAll(_ done: @escaping () -> Void) {
    guard !isStopping else { return }
    isStopping = true
    whenStopped = done
    for action in Array(running.values) {
      action.cancel(ActionResult(.dropped, error: "Netvane ends"))
    }
    do throws(ActionRefusal) {
      patience = try loop.after(settings.grace + Self.killPatience) { [weak self] in
        self?.stopped()
      }
      try deliverSoon()
    } catch {
      stopped()
    }
  }

  /// Takes every child that has ended off the kernel's list, those that nobody here started as
  /// well: the first process of a container inherits them. For process 1 alone, at SIGCHLD.
  package func reapAll() { children.reapAll() }

  private func checkRoom(for id: ActionID) throws(ActionRefusal) {
    if isStopping { throw ActionRefusal("Netvane ends and begins nothing more") }
    if running[id] != nil { throw ActionRefusal("an action of this name is at work") }
  }

  private func begin(
    _ id: ActionID, _ action: Action, _ facts: [String: String]
  ) throws(ActionRefusal) -> any RunningAction {
    let kind = action.kind
    let ended: (ActionResult) -> Void = { [weak self] result in
      self?.running[id] = nil
      self?.finish(id, kind, result)
    }
    return switch action {
    case .exec(let request): try exec.start(request, facts: facts, ended: ended)
    case .openURL(let request): try openURL.start(id, request, ended: ended)
    case .http(let request): try http.start(request, ended: ended)
    }
  }

  // MARK: Results

  private func finish(_ id: ActionID, _ kind: Action.Kind, _ result: ActionResult) {
    finished.append((id, kind, result))
    do throws(ActionRefusal) {
      try deliverSoon()
    } catch {
      deliver()
    }
  }

  private func deliverSoon() throws(ActionRefusal) {
    if delivery == nil { delivery = try loop.after(.zero) { [weak self] in self?.deliver() } }
  }

  private func deliver() {
    delivery?.remove()
    delivery = nil
    let batch = finished
    finished = []
    for entry in batch { report(entry.id, entry.kind, entry.result) }
    if isStopping, running.isEmpty, finished.isEmpty { stopped() }
  }

  private func stopped() {
    patience?.remove()
    patience = nil
    let done = whenStopped
    whenStopped = nil
    done?()
  }
}
