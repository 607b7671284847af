/// Taking in a set of policies: the first one, or a changed one while running.
extension Engine {
  mutating func replacePolicies(with set: PolicySet) {
    let rejected = Set(set.rejected.map(\.policy))
    let loaded = set.loaded.filter { !rejected.contains($0.name) }
    noteRejections(set.rejected, loaded: Set(loaded.map(\.name)), stopped: set.stopped)
    let names = Set(loaded.map(\.name)).union(rejected)
    for index in policies.indices.reversed() {
      let name = policies[index].name
      if !names.contains(name) {
        remove(index)
      } else if set.stopped.contains(name) {
        stop(index)
      }
    }
    let known = Set(policies.map(\.name))
    for declaration in loaded {
      if let index = policyIndex(declaration.name) {
        adopt(
          declaration, index, isChanged: set.changed.contains(declaration.name),
          migrated: set.migrated[declaration.name])
      } else {
        policies.append(recalled(declaration, set))
      }
    }
    policies.sort { $0.name < $1.name }
    assignFilters()
    for declaration in loaded {
      guard let index = policyIndex(declaration.name) else { continue }
      start(index, set, isKnown: known.contains(declaration.name))
    }
    guard snapshot != nil, !isAsleep, !awaitsSnapshot else { return }
    for index in policies.indices {
      noteVerdicts(index)
      for monitor in policies[index].monitors.indices { observe(index, monitor) }
      // What a pending change of a monitor that is gone held back.
      releaseHeldExpiries(index)
    }
    reviewRetries()
  }

  /// Gives the new text of a policy the books of the old one.
  private mutating func adopt(
    _ declaration: PolicyDeclaration, _ index: Int, isChanged: Bool, migrated: PlainData?
  ) {
    let old = policies[index].declaration
    for monitor in policies[index].monitors.indices
    where !declaration.monitors.contains(where: {
      $0.name == old.monitors[monitor].name && $0.filter == old.monitors[monitor].filter
    }) {
      dropCandidate(index, monitor)
    }
    let monitors = policies[index].monitors
    policies[index].declaration = declaration
    policies[index].monitors = declaration.monitors.map { wanted in
      guard
        var kept = monitors.first(where: {
          $0.declaration.name == wanted.name && $0.declaration.filter == wanted.filter
        })
      else { return MonitorState(declaration: wanted, filter: 0) }
      kept.declaration = wanted
      return kept
    }
    guard isChanged else { return }
    // State that no handler ever changed is the text's own default. The host is told either way:
    // which state counts is for the engine to say.
    if let migrated {
      policies[index].state = migrated
      policies[index].version = declaration.version
    } else if policies[index].state == old.state {
      policies[index].state = declaration.state
      policies[index].version = declaration.version
    } else {
      policies[index].version = max(policies[index].version, declaration.version)
    }
    host.reset(declaration.name, state: policies[index].state)
  }

  /// Gives each distinct filter one place, and keeps the paths of those known before.
  private mutating func assignFilters() {
    var next: [FilterState] = []
    var places: [PathFilter: Int] = [:]
    let before = Dictionary(filters.map { ($0.filter, $0) }) { first, _ in first }
    for policy in policies.indices {
      for monitor in policies[policy].monitors.indices {
        let filter = policies[policy].monitors[monitor].declaration.filter
        if let index = places[filter] {
          policies[policy].monitors[monitor].filter = index
        } else {
          policies[policy].monitors[monitor].filter = next.count
          places[filter] = next.count
          next.append(before[filter] ?? FilterState(filter: filter))
        }
      }
    }
    filters = next
    guard let snapshot, !isAsleep, !awaitsSnapshot else { return }
    for index in filters.indices where filters[index].path == nil { evaluate(index, snapshot) }
  }

  private mutating func start(_ index: Int, _ set: PolicySet, isKnown: Bool) {
    let name = policies[index].name
    guard !isKnown || set.changed.contains(name) else { return }
    let wasResting = policies[index].restUntil != nil
    // A failure that an earlier run told of is over only when a handler went well.
    let isRestored = !isKnown && policies[index].wasRestored
    if !isRestored { forgiveFaults(index) }
    guard policies[index].declaration.isEnabled else {
      orders.append(.policy(name: name, .disabled, detail: policies[index].declaration.about))
      forgiveFaults(index, cause: .policyRemoved)
      standDown(index)
      beginAnew(index)
      return
    }
    orders.append(.policy(name: name, .loaded, detail: detail(index, isKnown: isKnown)))
    let published = isRestored ? policies[index].published : [:]
    if isRestored { tellRestored(index) }
    armRecurring(index)
    policies[index].wasStarted = true
    // What is new in a reload starts; only what ran before is loaded again.
    let first: StartReason = set.reason == .reload ? .start : set.reason
    run(index, .start(reason: isKnown && !policies[index].wasOff ? .reload : first))
    policies[index].wasOff = false
    if isRestored { tellRestored(index, published: published) }
    for monitor in policies[index].monitors.indices { resettle(index, monitor) }
    if wasResting { fireOverdue(index) }
  }

  private mutating func armRecurring(_ index: Int) {
    let name = policies[index].name
    let wanted = policies[index].declaration.every
    for gone in policies[index].recurring.keys.sorted()
    where !wanted.contains(where: { $0.name == gone }) {
      policies[index].recurring[gone] = nil
      orders.append(.clearTimer(TimerID(.every, policy: name, name: gone)))
    }
    for timer in wanted where policies[index].recurring[timer.name]?.period != timer.period {
      let turn = Turn(deadline: now.boot + timer.period, period: timer.period)
      policies[index].recurring[timer.name] = turn
      orders.append(
        .setTimer(TimerID(.every, policy: name, name: timer.name), Deadline(.boot, turn.deadline)))
    }
  }

  /// A policy's file is gone.
  private mutating func remove(_ index: Int) {
    forgiveFaults(index, cause: .policyRemoved)
    standDown(index)
    orders.append(.policy(name: policies[index].name, .removed, detail: ""))
    policies.remove(at: index)
  }

  /// What it runs is not to go on, but its file is there: what it keeps is for the next text.
  private mutating func stop(_ index: Int) {
    forgiveFaults(index, cause: .policyRemoved)
    standDown(index)
    policies.remove(at: index)
  }

  /// A policy that is off knows nothing of what happens meanwhile: when it is on again, each
  /// monitor gives its first verdict as at a start.
  private mutating func beginAnew(_ index: Int) {
    policies[index].wasOff = true
    policies[index].awaitsVerdicts = false
    policies[index].monitors = policies[index].monitors.map {
      MonitorState(declaration: $0.declaration, filter: $0.filter)
    }
  }

  /// Nobody looks after the policy's things any more: timers end, alerts are resolved, values are
  /// withdrawn.
  private mutating func standDown(_ index: Int) {
    let name = policies[index].name
    dropPending(index)
    for timer in policies[index].timers.keys.sorted() { endTimer(index, timer) }
    for timer in policies[index].recurring.keys.sorted() {
      orders.append(.clearTimer(TimerID(.every, policy: name, name: timer)))
    }
    policies[index].recurring = [:]
    endActions(index)
    for key in policies[index].published.keys.sorted() {
      policies[index].published[key] = nil
      orders.append(.publish(PublishNotice(policy: name, name: key, value: nil)))
    }
    for key in policies[index].alerts.keys.sorted() {
      guard let alert = policies[index].alerts.removeValue(forKey: key) else { continue }
      orders.append(
        .alert(
          AlertNotice(
            policy: name, state: .resolved, content: alert.content, cause: .policyRemoved)))
      if alert.armedExpiry != nil {
        orders.append(.clearTimer(TimerID(.expiry, policy: name, name: key)))
      }
    }
  }
}
