/// From snapshots to delivered paths: evaluation once per filter, debounce once per monitor.
extension Engine {
  mutating func take(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    guard !isAsleep else { return }
    let wasWaiting = awaitsSnapshot
    awaitsSnapshot = false
    var moved: [Bool] = []
    for index in filters.indices {
      moved.append(evaluate(index, snapshot) || wasWaiting)
    }
    for policy in policies.indices where policies[policy].isAtWork {
      for monitor in policies[policy].monitors.indices
      where moved[policies[policy].monitors[monitor].filter] {
        observe(policy, monitor)
      }
    }
    if wasWaiting { fireDeferred() }
  }

  /// Judges one filter; true when its path changed.
  mutating func evaluate(_ index: Int, _ snapshot: Snapshot) -> Bool {
    let path = PathEvaluator.path(of: snapshot, filter: filters[index].filter)
    if let old = filters[index].path {
      if old == path {
        // A network identity that became known is no change, yet later ones compare with it.
        if old.network == nil { filters[index].path = path }
        return false
      }
      if old.status != path.status { filters[index].flaps.add(now.boot) }
    }
    filters[index].path = path
    return true
  }

  /// Compares the present path with what the policy was told, and decides when to tell.
  mutating func observe(_ policy: Int, _ monitor: Int) {
    guard policies[policy].isAtWork,
      let path = filters[policies[policy].monitors[monitor].filter].path
    else { return }
    guard let delivered = policies[policy].monitors[monitor].delivered else {
      return observeFirst(policy, monitor, path)
    }
    if delivered.path == path {
      if policies[policy].monitors[monitor].unrest != nil {
        policies[policy].monitors[monitor].unrest?.note(path, at: now.awake)
      }
      if policies[policy].monitors[monitor].candidate != nil {
        dropCandidate(policy, monitor)
        releaseHeldExpiries(policy)
      }
      return
    }
    if let candidate = policies[policy].monitors[monitor].candidate,
      candidate.path.status == path.status
    {
      policies[policy].monitors[monitor].candidate?.path = path
      _ = policies[policy].monitors[monitor].noteUnrest(
        path, settle: candidate.settle, at: now.awake)
      return
    }
    propose(path, policy, monitor)
  }

  /// The first verdict: at once when satisfied, patiently when not.
  private mutating func observeFirst(_ policy: Int, _ monitor: Int, _ path: Path) {
    let first = policies[policy].monitors[monitor].firstSeen ?? now.awake
    policies[policy].monitors[monitor].firstSeen = first
    if path.status == .satisfied { return deliver(path, policy, monitor) }
    if policies[policy].monitors[monitor].candidate != nil {
      policies[policy].monitors[monitor].candidate?.path = path
      return
    }
    let settle = settleTime(policy, monitor, path)
    wait(
      for: path, settle: settle,
      until: first + max(settle, EngineLimits.firstVerdictPatience), policy, monitor)
  }

  /// A change of status: asks how long it must hold.
  private mutating func propose(_ path: Path, _ policy: Int, _ monitor: Int) {
    let settle = settleTime(policy, monitor, path)
    // A faulty settle function may have sent the policy to rest.
    guard policies[policy].isAtWork else { return }
    let begun = policies[policy].monitors[monitor].noteUnrest(path, settle: settle, at: now.awake)
    if begun, let deadline = policies[policy].monitors[monitor].unrest?.deadline {
      orders.append(.setTimer(timerID(.unrest, policy, monitor), Deadline(.awake, deadline)))
    }
    var deadline = now.awake + settle
    if path.status != .satisfied { deadline = max(deadline, resumeHold) }
    if deadline <= now.awake {
      deliver(path, policy, monitor)
    } else {
      wait(for: path, settle: settle, until: deadline, policy, monitor)
    }
  }

  private mutating func wait(
    for path: Path, settle: Duration, until deadline: Duration, _ policy: Int, _ monitor: Int
  ) {
    policies[policy].monitors[monitor].candidate = MonitorState.Candidate(
      path: path, deadline: deadline, settle: settle)
    orders.append(.setTimer(timerID(.settle, policy, monitor), Deadline(.awake, deadline)))
  }

  mutating func dropCandidate(_ policy: Int, _ monitor: Int) {
    policies[policy].monitors[monitor].candidate = nil
    orders.append(.clearTimer(timerID(.settle, policy, monitor)))
  }

  /// A candidate's time came, if it is still the one that was meant.
  mutating func settleDue(_ policy: Int, _ monitor: Int) {
    guard let candidate = policies[policy].monitors[monitor].candidate else { return }
    guard candidate.deadline <= now.awake else {
      orders.append(
        .setTimer(timerID(.settle, policy, monitor), Deadline(.awake, candidate.deadline)))
      return
    }
    if let unrest = policies[policy].monitors[monitor].unrest,
      now.awake - unrest.lastChange >= unrest.window
    {
      policies[policy].monitors[monitor].unrest = nil
      orders.append(.clearTimer(timerID(.unrest, policy, monitor)))
    }
    deliver(candidate.path, policy, monitor)
  }

  /// Unrest lasted its whole window: tells the status that held longest.
  mutating func unrestDue(_ policy: Int, _ monitor: Int) {
    guard var unrest = policies[policy].monitors[monitor].unrest,
      let path = filters[policies[policy].monitors[monitor].filter].path
    else { return }
    guard unrest.deadline <= now.awake else {
      orders.append(
        .setTimer(timerID(.unrest, policy, monitor), Deadline(.awake, unrest.deadline)))
      return
    }
    policies[policy].monitors[monitor].unrest = nil
    guard now.awake - unrest.lastChange < unrest.window,
      let longest = unrest.longest(at: now.awake)
    else { return }
    let window = policies[policy].monitors[monitor].unrestLimit(settle: unrest.window)
    if longest != policies[policy].monitors[monitor].delivered?.path {
      deliver(longest, policy, monitor, extra: .flapping)
      guard policies[policy].isAtWork else { return }
      if longest != path { propose(path, policy, monitor) }
    }
    unrest.deadline = now.awake + window
    unrest.held = [(path.status, .zero, path)]
    unrest.current = path.status
    unrest.currentSince = now.awake
    policies[policy].monitors[monitor].unrest = unrest
    orders.append(.setTimer(timerID(.unrest, policy, monitor), Deadline(.awake, unrest.deadline)))
  }

  /// Tells the policy: this path is the monitor's from now on.
  mutating func deliver(
    _ path: Path, _ policy: Int, _ monitor: Int, extra: ChangeCauses = []
  ) {
    if policies[policy].monitors[monitor].candidate != nil { dropCandidate(policy, monitor) }
    let event = makeEvent(path, policy, monitor, extra: extra)
    policies[policy].monitors[monitor].sequence = event.sequence
    policies[policy].monitors[monitor].owedCauses = []
    if event.isInitial || event.causes.contains(.status) {
      policies[policy].monitors[monitor].statusSince = now.boot
    }
    policies[policy].monitors[monitor].delivered = event.withoutPrevious
    orders.append(.deliver(policy: policies[policy].name, event))
    if !event.isInitial { endTimersUntilChange(policy, of: event.monitor) }
    run(policy, .path(event))
    releaseHeldExpiries(policy)
  }

  /// The event that telling this path now would be.
  private func makeEvent(
    _ path: Path, _ policy: Int, _ monitor: Int, extra: ChangeCauses = []
  ) -> PathEvent {
    let state = policies[policy].monitors[monitor]
    var causes: ChangeCauses = []
    if let old = state.delivered {
      causes = ChangeCauses(from: old.path, to: path).union(extra).union(state.owedCauses)
    }
    return PathEvent(
      monitor: state.declaration.name, path: path, isInitial: state.delivered == nil,
      causes: causes, flaps: filters[state.filter].flaps.counts(at: now.boot),
      since: state.delivered == nil ? nil : now.boot - state.statusSince,
      previous: state.delivered.map { .event($0) } ?? .none,
      sequence: state.sequence + 1, time: now.wall)
  }

  /// How long this path must hold before the policy hears of it.
  private mutating func settleTime(_ policy: Int, _ monitor: Int, _ path: Path) -> Duration {
    let standard = path.status == .satisfied ? .zero : EngineLimits.settleStandard
    switch policies[policy].monitors[monitor].declaration.settle {
    case .standard: return standard
    case .fixed(let time): return time
    case .function:
      let event = makeEvent(path, policy, monitor)
      return run(policy, .settle(event))?.settle ?? standard
    }
  }

  func timerID(_ kind: TimerID.Kind, _ policy: Int, _ monitor: Int) -> TimerID {
    TimerID(
      kind, policy: policies[policy].name,
      name: policies[policy].monitors[monitor].declaration.name)
  }
}
