/// Named and recurring timers, and the one place where a wake-up finds its owner.
extension Engine {
  mutating func fire(_ id: TimerID) {
    // What waits to be told is told at the end of the fact.
    if id.kind == .outcome { return }
    guard let policy = policyIndex(id.policy) else { return }
    if isAsleep || awaitsSnapshot {
      deferred.insert(id)
      return
    }
    switch id.kind {
    case .settle: withMonitor(id.name, policy) { $0.settleDue(policy, $1) }
    case .unrest: withMonitor(id.name, policy) { $0.unrestDue(policy, $1) }
    case .named: namedDue(policy, id.name)
    case .every: recurringDue(policy, id.name)
    case .expiry: expiryDue(policy, id.name)
    case .rest: restDue(policy)
    case .retry: retryDue(policy, id.name)
    case .outcome: break
    }
  }

  private mutating func withMonitor(
    _ name: String, _ policy: Int, _ body: (inout Engine, Int) -> Void
  ) {
    guard policies[policy].isAtWork else { return }
    for monitor in policies[policy].monitors.indices
    where policies[policy].monitors[monitor].declaration.name == name {
      return body(&self, monitor)
    }
  }

  /// The first snapshot after a sleep was judged; what came due before it fires now: changes first,
  /// then timers in the order of their deadlines. The end of a rest may show a change, too.
  mutating func fireDeferred() {
    guard !deferred.isEmpty else { return }
    func rank(_ id: TimerID) -> UInt8 {
      id.kind == .rest ? TimerID.Kind.unrest.rawValue : id.kind.rawValue
    }
    let due = deferred.sorted {
      (rank($0), dueTime($0), $0) < (rank($1), dueTime($1), $1)
    }
    deferred = []
    for id in due { fire(id) }
  }

  /// When a timer was due, by the boot clock; zero for those that are about changes.
  private func dueTime(_ id: TimerID) -> Duration {
    guard let policy = policyIndex(id.policy) else { return .zero }
    return switch id.kind {
    case .settle, .unrest, .rest, .outcome: .zero
    case .retry: policies[policy].actions[id.name]?.due ?? .zero
    case .named: policies[policy].timers[id.name]?.deadline ?? .zero
    case .every: policies[policy].recurring[id.name]?.deadline ?? .zero
    case .expiry: policies[policy].alerts[id.name]?.expires ?? .zero
    }
  }

  // MARK: Named timers

  mutating func startTimer(_ policy: Int, _ request: TimerRequest) {
    if request.isOnce, policies[policy].timers[request.name] != nil { return }
    let deadline = now.boot + request.after
    policies[policy].timers[request.name] = NamedTimer(
      deadline: deadline, untilChange: request.untilChange, acrossReboot: request.acrossReboot)
    orders.append(
      .setTimer(
        TimerID(.named, policy: policies[policy].name, name: request.name),
        Deadline(.boot, deadline)))
  }

  mutating func endTimer(_ policy: Int, _ name: String) {
    guard policies[policy].timers[name] != nil else { return }
    policies[policy].timers[name] = nil
    orders.append(
      .clearTimer(TimerID(.named, policy: policies[policy].name, name: name)))
  }

  mutating func endTimersUntilChange(_ policy: Int, of monitor: String) {
    guard !policies[policy].timers.isEmpty else { return }
    var ending: [String] = []
    for (name, timer) in policies[policy].timers where timer.untilChange == monitor {
      ending.append(name)
    }
    for name in ending.sorted() { endTimer(policy, name) }
  }

  private mutating func namedDue(_ policy: Int, _ name: String) {
    guard let timer = policies[policy].timers[name] else { return }
    let id = TimerID(.named, policy: policies[policy].name, name: name)
    guard timer.deadline <= now.boot else {
      orders.append(.setTimer(id, Deadline(.boot, timer.deadline)))
      return
    }
    // A resting policy's timers wait for it.
    guard policies[policy].isAtWork else { return }
    policies[policy].timers[name] = nil
    callTimer(policy, name, late: now.boot - timer.deadline)
  }

  private mutating func recurringDue(_ policy: Int, _ name: String) {
    guard var turn = policies[policy].recurring[name] else { return }
    let id = TimerID(.every, policy: policies[policy].name, name: name)
    let deadline = turn.deadline
    guard deadline <= now.boot else {
      orders.append(.setTimer(id, Deadline(.boot, deadline)))
      return
    }
    // Nor does a resting policy wake anybody by its turns.
    guard policies[policy].isAtWork else { return }
    turn.advance(beyond: now.boot)
    policies[policy].recurring[name] = turn
    orders.append(.setTimer(id, Deadline(.boot, turn.deadline)))
    callTimer(policy, name, late: now.boot - deadline)
  }

  private mutating func callTimer(_ policy: Int, _ name: String, late: Duration) {
    guard policies[policy].isAtWork else { return }
    if policies[policy].timerCalls.take(at: now.boot) {
      run(policy, .timer(name: name, late: late))
    } else if policies[policy].timerCalls.isJustSpent {
      fail(
        policy,
        PolicyFault(
          policy: policies[policy].name, handler: .timer, kind: .limit,
          file: policies[policy].name + ".lua", line: policies[policy].declaration.line(of: .timer),
          message: "more than \(EngineLimits.timerCallsPerMinute) timers fired in a minute; "
            + "the timer '\(name)' and others are dropped"))
    }
  }

  /// After a rest or a restart: timers that came due during it, in the order of their deadlines.
  mutating func fireOverdue(_ policy: Int) {
    guard !policies[policy].awaitsVerdicts else { return }
    let name = policies[policy].name
    var due: [(at: Duration, id: TimerID)] = []
    for (key, timer) in policies[policy].timers where timer.deadline <= now.boot {
      due.append((timer.deadline, TimerID(.named, policy: name, name: key)))
    }
    for (key, turn) in policies[policy].recurring where turn.deadline <= now.boot {
      due.append((turn.deadline, TimerID(.every, policy: name, name: key)))
    }
    due.sort { ($0.at, $0.id) < ($1.at, $1.id) }
    for entry in due { fire(entry.id) }
  }
}
