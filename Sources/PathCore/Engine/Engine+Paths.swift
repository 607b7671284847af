/// From snapshots to delivered paths: evaluation once per filter, debounce once per monitor.
extension Engine {
  mutating func take(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    guard !isAsleep else { return }
    let wasWaiting = awaitsSnapshot
    awaitsSnapshot = false
    for index in filters.indices { evaluate(index, snapshot) }
    for policy in policies.indices {
      for monitor in policies[policy].monitors.indices {
        switch filters[policies[policy].monitors[monitor].filter].news {
        case .moved: observe(policy, monitor)
        case .refined: refine(policy, monitor)
        case .none: if wasWaiting { observe(policy, monitor) }
        }
      }
    }
    reviewRetries()
    if owesResync { settleResync() }
    if wasWaiting { fireDeferred() }
  }

  /// Judges one filter, and notes in it what that changed.
  mutating func evaluate(_ index: Int, _ snapshot: Snapshot) {
    var path = PathEvaluator.path(of: snapshot, filter: filters[index].filter)
    guard let old = filters[index].path else {
      filters[index].news = .moved
      filters[index].path = Boxed(wrappedValue: path)
      return
    }
    if old.wrappedValue != path {
      filters[index].news = .moved
      if old.wrappedValue.status != path.status { filters[index].flaps.add(now.boot) }
    } else {
      let knowsMore = path.network.knowsMore(than: old.wrappedValue.network)
      if !knowsMore { path.network = old.wrappedValue.network }
      let isRefined = knowsMore || path.why != old.wrappedValue.why
      filters[index].news = isRefined ? .refined : .none
      if !isRefined { return }
    }
    filters[index].path = Boxed(wrappedValue: path)
  }

  /// A network identity that became known is no change, yet later ones compare with it; nor is
  /// another sentence for the same verdict.
  private mutating func refine(_ policy: Int, _ monitor: Int) {
    guard let path = filters[policies[policy].monitors[monitor].filter].path else { return }
    if let event = policies[policy].monitors[monitor].delivered, event.sharedPath == path {
      policies[policy].monitors[monitor].delivered = event.refined(path)
    }
    if policies[policy].monitors[monitor].candidate?.path == path {
      policies[policy].monitors[monitor].candidate?.path = path
    }
  }

  /// A gap explains only what the snapshot after it shows.
  private mutating func settleResync() {
    owesResync = false
    for policy in policies.indices {
      for monitor in policies[policy].monitors.indices
      where policies[policy].monitors[monitor].candidate == nil {
        policies[policy].monitors[monitor].owedCauses.remove(.resync)
      }
    }
  }

  /// Compares the present path with what the policy was told, and decides when to tell.
  mutating func observe(_ policy: Int, _ monitor: Int) {
    guard policies[policy].isAtWork,
      let path = filters[policies[policy].monitors[monitor].filter].path
    else { return }
    guard policies[policy].monitors[monitor].delivered != nil else {
      return observeFirst(policy, monitor, path)
    }
    if policies[policy].monitors[monitor].delivered?.sharedPath == path {
      guard policies[policy].monitors[monitor].candidate != nil else { return }
      policies[policy].monitors[monitor].unrest?.noteReturn(path, at: now.awake)
      policies[policy].monitors[monitor].owedCauses.remove(.resync)
      dropCandidate(policy, monitor)
      releaseHeldExpiries(policy)
      return
    }
    if policies[policy].monitors[monitor].candidate?.path.wrappedValue.status
      == path.wrappedValue.status,
      let settle = policies[policy].monitors[monitor].candidate?.settle
    {
      guard policies[policy].monitors[monitor].candidate?.path != path else { return }
      policies[policy].monitors[monitor].candidate?.path = path
      policies[policy].monitors[monitor].noteUnrest(path, settle: settle, at: now.awake)
      return armUnrest(policy, monitor)
    }
    propose(path, policy, monitor)
  }

  /// The first verdict: at once when satisfied, patiently when not.
  private mutating func observeFirst(_ policy: Int, _ monitor: Int, _ path: Boxed<Path>) {
    let first = policies[policy].monitors[monitor].firstSeen ?? now.awake
    policies[policy].monitors[monitor].firstSeen = first
    if path.wrappedValue.status == .satisfied { return deliver(path, policy, monitor) }
    if policies[policy].monitors[monitor].candidate?.path.wrappedValue.status
      == path.wrappedValue.status
    {
      policies[policy].monitors[monitor].candidate?.path = path
      return
    }
    let settle = settleTime(policy, monitor, path)
    // A faulty settle function may have sent the policy to rest.
    guard policies[policy].isAtWork else { return }
    waitForFirst(path, settle: settle, since: now.awake, policy, monitor)
  }

  /// A status that is not satisfied must hold for its settle, and none is told before the patience
  /// is over; but statuses that take turns do not put the first verdict off for ever.
  private mutating func waitForFirst(
    _ path: Boxed<Path>, settle: Duration, since: Duration, _ policy: Int, _ monitor: Int
  ) {
    let first = policies[policy].monitors[monitor].firstSeen ?? now.awake
    let limit = first + policies[policy].monitors[monitor].unrestLimit(settle: settle)
    let patience = first + EngineLimits.firstVerdictPatience
    let deadline = max(patience, min(since + settle, limit), resumeHold)
    if deadline <= now.awake {
      deliver(path, policy, monitor)
    } else {
      wait(for: path, settle: settle, since: since, until: deadline, policy, monitor)
    }
  }

  /// A change of status, or the first departure from the delivered path: asks how long it must
  /// hold.
  mutating func propose(
    _ path: Boxed<Path>, since: Duration? = nil, _ policy: Int, _ monitor: Int
  ) {
    if now.awake >= resumeHold {
      policies[policy].monitors[monitor].owedCauses.remove(.resumed)
    }
    if since == nil { policies[policy].monitors[monitor].isSelfInflicted = isDisturbed }
    let settle = settleTime(policy, monitor, path)
    // A faulty settle function may have sent the policy to rest.
    guard policies[policy].isAtWork else { return }
    if since == nil {
      policies[policy].monitors[monitor].noteUnrest(path, settle: settle, at: now.awake)
    }
    let begun = since ?? now.awake
    var deadline = begun + settle
    if path.wrappedValue.status != .satisfied { deadline = max(deadline, resumeHold) }
    if deadline <= now.awake {
      deliver(path, policy, monitor)
    } else {
      wait(for: path, settle: settle, since: begun, until: deadline, policy, monitor)
    }
  }

  /// The policy's text changed: what waits asks it anew, counting from when it was first seen.
  mutating func resettle(_ policy: Int, _ monitor: Int) {
    guard policies[policy].isAtWork, !isAsleep, !awaitsSnapshot,
      let candidate = policies[policy].monitors[monitor].candidate
    else { return }
    if policies[policy].monitors[monitor].delivered != nil {
      propose(candidate.path, since: candidate.since, policy, monitor)
    } else {
      let settle = settleTime(policy, monitor, candidate.path)
      guard policies[policy].isAtWork else { return }
      waitForFirst(candidate.path, settle: settle, since: candidate.since, policy, monitor)
    }
  }

  private mutating func wait(
    for path: Boxed<Path>, settle: Duration, since: Duration, until deadline: Duration,
    _ policy: Int, _ monitor: Int
  ) {
    policies[policy].monitors[monitor].candidate = MonitorState.Candidate(
      path: path, since: since, deadline: deadline, settle: settle)
    orders.append(.setTimer(timerID(.settle, policy, monitor), Deadline(.awake, deadline)))
    armUnrest(policy, monitor)
  }

  mutating func dropCandidate(_ policy: Int, _ monitor: Int) {
    guard policies[policy].monitors[monitor].candidate != nil else { return }
    policies[policy].monitors[monitor].candidate = nil
    orders.append(.clearTimer(timerID(.settle, policy, monitor)))
    armUnrest(policy, monitor)
  }

  /// A candidate's time came, if it is still the one that was meant.
  mutating func settleDue(_ policy: Int, _ monitor: Int) {
    guard let deadline = policies[policy].monitors[monitor].candidate?.deadline else { return }
    guard deadline <= now.awake else {
      orders.append(.setTimer(timerID(.settle, policy, monitor), Deadline(.awake, deadline)))
      return
    }
    guard let path = policies[policy].monitors[monitor].candidate.take()?.path else { return }
    endUnrest(policy, monitor)
    deliver(path, policy, monitor)
  }

  /// Tells the policy: this path is the monitor's from now on.
  mutating func deliver(
    _ path: Boxed<Path>, _ policy: Int, _ monitor: Int, extra: ChangeCauses = []
  ) {
    tell(path, policy, monitor, extra: extra)
    releaseHeldExpiries(policy)
    noteVerdicts(policy)
  }

  /// Delivers, and leaves alerts whose end waits to the caller.
  mutating func tell(
    _ path: Boxed<Path>, _ policy: Int, _ monitor: Int, extra: ChangeCauses
  ) {
    dropCandidate(policy, monitor)
    let event = makeEvent(path, policy, monitor, extra: extra)
    policies[policy].monitors[monitor].sequence = event.sequence
    policies[policy].monitors[monitor].owedCauses = []
    if event.isInitial || event.causes.contains(.status) {
      policies[policy].monitors[monitor].statusSince = now.boot
      policies[policy].monitors[monitor].unrest = nil
    }
    armUnrest(policy, monitor)
    policies[policy].monitors[monitor].delivered = event.withoutPrevious
    orders.append(.deliver(policy: policies[policy].name, event))
    if !event.isInitial { endTimersUntilChange(policy, of: event.monitor) }
    if event.isInitial || event.causes.contains(.status) { dropUnwanted(policy) }
    run(policy, .path(event))
  }

  /// The event that telling this path now would be.
  private mutating func makeEvent(
    _ path: Boxed<Path>, _ policy: Int, _ monitor: Int, extra: ChangeCauses = []
  ) -> PathEvent {
    // Field by field: a copy of the whole state would cost more than all of this.
    let filter = policies[policy].monitors[monitor].filter
    let flaps = filters[filter].flaps.counts(at: now.boot)
    let name = policies[policy].monitors[monitor].declaration.name
    let sequence = policies[policy].monitors[monitor].sequence + 1
    guard let old = policies[policy].monitors[monitor].delivered else {
      return PathEvent(
        monitor: name, path: path, causes: [], flaps: flaps, since: nil, previous: nil,
        sequence: sequence, time: now.wall, isSelfInflicted: false)
    }
    let causes = filters[filter].causes(from: old.sharedPath, to: path).union(extra)
      .union(policies[policy].monitors[monitor].owedCauses)
    return PathEvent(
      monitor: name, path: path, causes: causes, flaps: flaps,
      since: now.boot - policies[policy].monitors[monitor].statusSince, previous: old,
      sequence: sequence, time: now.wall,
      isSelfInflicted: policies[policy].monitors[monitor].isSelfInflicted)
  }

  /// How long this path must hold before the policy hears of it.
  private mutating func settleTime(_ policy: Int, _ monitor: Int, _ path: Boxed<Path>) -> Duration {
    let standard = path.wrappedValue.status == .satisfied ? .zero : EngineLimits.settleStandard
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
