/// A policy that goes on where an earlier run of Netvane stopped.
///
/// What was up is told again, marked as restored; what runs gets its wake-up; then the policy
/// starts. What came due while nobody ran waits for the first verdict of each monitor, since the
/// policy decides by `ctx.path`, and an alert's end may be overtaken by a change that nobody
/// reported.
extension Engine {
  /// A policy that is new to the engine, with what is remembered of it.
  func recalled(_ declaration: PolicyDeclaration, _ set: PolicySet) -> PolicyState {
    var policy = PolicyState(declaration: declaration)
    guard let memory = set.memories[declaration.name] else { return policy }
    policy.restore(memory, migrated: set.migrated[declaration.name], at: now.boot)
    // The host loaded the text alone; which state counts is for the engine to say.
    if policy.state != declaration.state { host.reset(declaration.name, state: policy.state) }
    return policy
  }

  /// What is told of a policy when it is loaded.
  func detail(_ policy: Int, isKnown: Bool) -> String {
    let about = policies[policy].declaration.about
    let (stored, declared) = (policies[policy].version, policies[policy].declaration.version)
    guard !isKnown, stored > declared else { return about }
    let note =
      "what it keeps is of version \(stored), and its text of version \(declared): it is kept as "
      + "it is"
    return about.isEmpty ? note : "\(about) (\(note))"
  }

  /// Tells which alerts are up, and asks for the wake-ups of what is not overdue. An alert whose
  /// time was over before this run began is told as expired, and not raised again.
  mutating func tellRestored(_ policy: Int) {
    let name = policies[policy].name
    if let content = policies[policy].faultAlert { tellRestored(name, content) }
    for (key, alert) in policies[policy].alerts.sorted(by: { $0.key < $1.key }) {
      if let expires = alert.expires, expires <= now.boot {
        policies[policy].alerts[key] = nil
        orders.append(
          .alert(AlertNotice(policy: name, state: .expired, content: alert.content)))
        continue
      }
      tellRestored(name, alert.content)
      if let expires = alert.armedExpiry {
        wake(TimerID(.expiry, policy: name, name: key), at: expires)
      }
    }
    for (key, timer) in policies[policy].timers.sorted(by: { $0.key < $1.key }) {
      wake(TimerID(.named, policy: name, name: key), at: timer.deadline)
    }
    for (key, turn) in policies[policy].recurring.sorted(by: { $0.key < $1.key }) {
      wake(TimerID(.every, policy: name, name: key), at: turn.deadline)
    }
  }

  /// Tells what an earlier run published and the policy, which has started by now, left as it was.
  mutating func tellRestored(_ policy: Int, published: [String: PlainData]) {
    let name = policies[policy].name
    for (key, value) in published.sorted(by: { $0.key < $1.key })
    where policies[policy].published[key] == value {
      orders.append(
        .publish(PublishNotice(policy: name, name: key, value: value, isRestored: true)))
    }
  }

  private mutating func tellRestored(_ policy: String, _ content: AlertContent) {
    orders.append(
      .alert(AlertNotice(policy: policy, state: .raised, content: content, cause: .restored)))
  }

  private mutating func wake(_ id: TimerID, at time: Duration) {
    if time > now.boot { orders.append(.setTimer(id, Deadline(.boot, time))) }
  }

  /// Once every monitor of a restored policy has given its first verdict, what was overdue fires.
  mutating func noteVerdicts(_ policy: Int) {
    guard policies[policy].awaitsVerdicts else { return }
    for monitor in policies[policy].monitors.indices
    where policies[policy].monitors[monitor].delivered == nil { return }
    policies[policy].awaitsVerdicts = false
    releaseHeldExpiries(policy)
    fireOverdue(policy)
  }
}

extension PolicyState {
  /// Whether anything of it is from an earlier run.
  var wasRestored: Bool { wasStarted }

  /// What must outlive the process.
  func memory(atAwake now: Duration) -> PolicyMemory {
    var memory = PolicyMemory()
    if state != declaration.state { memory.state = state }
    memory.version = version
    memory.wasStarted = wasStarted
    memory.timers = timers
    memory.recurring = recurring
    memory.alerts = alerts
    if let faultAlert {
      memory.alerts[faultAlert.key] = PolicyMemory.Alert(content: faultAlert)
    }
    memory.published = published
    for (key, slot) in actions { memory.retries[key] = slot.memory(atAwake: now) }
    for (key, log) in runs { memory.limits[key] = log.memory }
    return memory
  }

  /// Takes over what an earlier run left.
  fileprivate mutating func restore(
    _ memory: PolicyMemory, migrated: PlainData?, at now: Duration
  ) {
    if let migrated {
      state = migrated
    } else if let kept = memory.state {
      state = kept
      version = max(memory.version, version)
    }
    wasStarted = true
    timers = memory.timers
    // A turn comes after one period at the latest, whatever became of the clocks.
    recurring = memory.recurring.mapValues {
      Turn(deadline: min($0.deadline, now + $0.period), period: $0.period)
    }
    // Nobody is left who could let go what was held back then.
    alerts = memory.alerts.mapValues { alert in
      var alert = alert
      alert.isExpiryHeld = false
      return alert
    }
    faultAlert = alerts.removeValue(forKey: EngineLimits.faultAlertKey)?.content
    published = memory.published
    // Nothing was done in the future, whatever became of the clocks.
    actions = memory.retries.compactMapValues { kept in
      guard var slot = ActionSlot(memory: kept) else { return nil }
      slot.lastTry = slot.lastTry.map { min($0, now) }
      return slot
    }
    runs = memory.limits.compactMapValues { kept in
      RunLog(memory: kept).map { RunLog(times: $0.times.map { min($0, now) }) }
    }
    awaitsVerdicts = declaration.isEnabled
  }
}
