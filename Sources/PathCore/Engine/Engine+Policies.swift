/// Taking in a set of policies: the first one, or a changed one while running.
extension Engine {
  mutating func replacePolicies(with set: PolicySet) {
    for fault in set.rejected {
      orders.append(.policy(name: fault.policy, .rejected, detail: fault.located))
    }
    let rejected = Set(set.rejected.map(\.policy))
    let names = Set(set.loaded.map(\.name)).union(rejected)
    for index in policies.indices.reversed() where !names.contains(policies[index].name) {
      remove(index)
    }
    let old = policies
    // A rejected edit leaves the last good version at work.
    var next = old.filter { rejected.contains($0.name) }
    for declaration in set.loaded where !rejected.contains(declaration.name) {
      next.append(adopt(declaration, from: old.first { $0.name == declaration.name }, set))
    }
    policies = next.sorted { $0.name < $1.name }
    assignFilters()
    for index in policies.indices
    where set.loaded.contains(where: { $0.name == policies[index].name }) {
      start(index, set, isKnown: old.contains { $0.name == policies[index].name })
    }
    guard snapshot != nil, !isAsleep, !awaitsSnapshot else { return }
    for index in policies.indices {
      for monitor in policies[index].monitors.indices { observe(index, monitor) }
    }
  }

  /// The new text of a policy with the books of the old one.
  private mutating func adopt(
    _ declaration: PolicyDeclaration, from old: PolicyState?, _ set: PolicySet
  ) -> PolicyState {
    guard var state = old else {
      var fresh = PolicyState(declaration: declaration)
      fresh.monitors = declaration.monitors.map { MonitorState(declaration: $0, filter: 0) }
      return fresh
    }
    let changed = set.changed.contains(declaration.name)
    let monitors = state.monitors
    state.declaration = declaration
    state.monitors = declaration.monitors.map { wanted in
      if var kept = monitors.first(where: {
        $0.declaration.name == wanted.name && $0.declaration.filter == wanted.filter
      }) {
        kept.declaration = wanted
        return kept
      }
      return MonitorState(declaration: wanted, filter: 0)
    }
    for gone in monitors
    where !state.monitors.contains(where: { $0.declaration.name == gone.declaration.name }) {
      for kind in [TimerID.Kind.settle, .unrest] {
        orders.append(
          .clearTimer(TimerID(kind, policy: declaration.name, name: gone.declaration.name)))
      }
    }
    if changed {
      state.faultsInARow = 0
      state.restLength = EngineLimits.restShortest
      state.restUntil = nil
    }
    return state
  }

  /// Gives each distinct filter one place, and keeps the paths of those known before.
  private mutating func assignFilters() {
    var next: [FilterState] = []
    for policy in policies.indices {
      for monitor in policies[policy].monitors.indices {
        let filter = policies[policy].monitors[monitor].declaration.filter
        if let index = next.firstIndex(where: { $0.filter == filter }) {
          policies[policy].monitors[monitor].filter = index
        } else {
          policies[policy].monitors[monitor].filter = next.count
          next.append(
            filters.first { $0.filter == filter } ?? FilterState(filter: filter))
        }
      }
    }
    filters = next
    guard let snapshot, !isAsleep else { return }
    for index in filters.indices where filters[index].path == nil {
      _ = evaluate(index, snapshot)
    }
  }

  private mutating func start(_ index: Int, _ set: PolicySet, isKnown: Bool) {
    let name = policies[index].name
    guard policies[index].declaration.isEnabled else {
      orders.append(.policy(name: name, .disabled, detail: policies[index].declaration.about))
      return
    }
    guard !isKnown || set.changed.contains(name) else { return }
    orders.append(.policy(name: name, .loaded, detail: policies[index].declaration.about))
    let wanted = policies[index].declaration.every
    for gone in policies[index].recurring.keys.sorted()
    where !wanted.contains(where: { $0.name == gone }) {
      policies[index].recurring[gone] = nil
      orders.append(.clearTimer(TimerID(.every, policy: name, name: gone)))
    }
    for timer in wanted where policies[index].recurring[timer.name] == nil {
      let deadline = now.boot + timer.period
      policies[index].recurring[timer.name] = deadline
      orders.append(
        .setTimer(TimerID(.every, policy: name, name: timer.name), Deadline(.boot, deadline)))
    }
    run(index, .start(reason: isKnown ? .reload : set.reason))
  }

  /// A policy's file is gone: its timers end and its alerts are resolved.
  private mutating func remove(_ index: Int) {
    let state = policies[index]
    for name in state.timers.keys.sorted() { endTimer(index, name) }
    for name in state.recurring.keys.sorted() {
      orders.append(.clearTimer(TimerID(.every, policy: state.name, name: name)))
    }
    for monitor in state.monitors.indices where state.monitors[monitor].candidate != nil {
      dropCandidate(index, monitor)
    }
    for key in state.alerts.keys.sorted() {
      guard let alert = state.alerts[key] else { continue }
      orders.append(
        .alert(
          AlertNotice(
            policy: state.name, state: .resolved, content: alert.content, cause: .policyRemoved)))
      if alert.expires != nil {
        orders.append(.clearTimer(TimerID(.expiry, policy: state.name, name: key)))
      }
    }
    orders.append(.policy(name: state.name, .removed, detail: ""))
    policies.remove(at: index)
  }
}
