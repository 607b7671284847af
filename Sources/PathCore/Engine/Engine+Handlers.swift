/// Calling a policy and taking its decision: all of it, or none.
extension Engine {
  /// Calls one handler, if the policy has it and is at work.
  @discardableResult
  mutating func run(_ policy: Int, _ event: HandlerEvent) -> HandlerOutcome? {
    let handler = event.handler
    guard policies[policy].isAtWork, policies[policy].declaration.handlers.contains(handler) else {
      return nil
    }
    policies[policy].calls += 1
    let request = HandlerRequest(
      policy: policies[policy].name, event: event, now: now,
      activeAlerts: policies[policy].alerts.keys.sorted(),
      activeTimers: policies[policy].timers.keys.sorted(),
      delivered: policies[policy].monitors.compactMap(\.delivered),
      seed: seed &+ UInt64(bitPattern: policies[policy].calls))
    switch host.call(request) {
    case .done(let outcome):
      if let fault = limitFault(policy, handler, outcome) {
        host.reset(policies[policy].name, state: policies[policy].state)
        fail(policy, fault)
        return nil
      }
      // A settle function decides nothing, so its success ends no row of faults.
      if handler != .settle {
        commit(policy, outcome)
        succeed(policy)
      }
      return outcome
    case .failed(let fault):
      host.reset(policies[policy].name, state: policies[policy].state)
      fail(policy, fault)
      return nil
    }
  }

  /// A decision that would exceed a bound is no decision.
  private func limitFault(
    _ policy: Int, _ handler: Handler, _ outcome: HandlerOutcome
  ) -> PolicyFault? {
    if outcome.intents.isEmpty { return nil }
    let state = policies[policy]
    var timers = Set(state.timers.keys)
    var alerts = Set(state.alerts.keys)
    var names = Set(state.published.keys)
    for intent in outcome.intents {
      switch intent {
      case .raise(let content, _): alerts.insert(content.key)
      case .resolve(let key): alerts.remove(key)
      case .startTimer(let request): timers.insert(request.name)
      case .cancelTimer(let name): timers.remove(name)
      case .publish(let name, _): names.insert(name)
      case .log: break
      }
    }
    let bounds = [
      (outcome.intents.count, EngineLimits.intentsPerHandler, "decisions in one handler"),
      (timers.count, EngineLimits.timersPerPolicy, "timers at a time"),
      (alerts.count, EngineLimits.alertsPerPolicy, "alerts at a time"),
      (names.count, EngineLimits.publishedPerPolicy, "published names"),
    ]
    guard let broken = bounds.first(where: { $0.0 > $0.1 }) else { return nil }
    return PolicyFault(
      policy: state.name, handler: handler, kind: .limit, file: state.name + ".lua", line: 0,
      message: "at most \(broken.1) \(broken.2) are allowed; nothing of this call took effect")
  }

  private mutating func commit(_ policy: Int, _ outcome: HandlerOutcome) {
    var before: [(key: String, alert: LiveAlert?)] = []
    var published: [String] = []
    for intent in outcome.intents {
      switch intent {
      case .raise(let content, let expires):
        note(&before, content.key, policy)
        policies[policy].alerts[content.key] = LiveAlert(
          content: content, expires: expires.map { now.boot + $0 })
      case .resolve(let key):
        note(&before, key, policy)
        policies[policy].alerts[key] = nil
      case .startTimer(let request): startTimer(policy, request)
      case .cancelTimer(let name): endTimer(policy, name)
      case .publish(let name, let data):
        if policies[policy].published[name] != data {
          policies[policy].published[name] = data
          if !published.contains(name) { published.append(name) }
        }
      case .log(let text): log(policy, text)
      }
    }
    for entry in before { tellAlert(policy, entry.key, before: entry.alert) }
    for name in published {
      if let data = policies[policy].published[name] {
        orders.append(.publish(policy: policies[policy].name, name: name, data))
      }
    }
    if let state = outcome.state, state != policies[policy].state {
      policies[policy].state = state
      orders.append(.persist(policy: policies[policy].name, state))
    }
  }

  private func note(
    _ before: inout [(key: String, alert: LiveAlert?)], _ key: String, _ policy: Int
  ) {
    if !before.contains(where: { $0.key == key }) {
      before.append((key, policies[policy].alerts[key]))
    }
  }

  private mutating func log(_ policy: Int, _ text: String) {
    if policies[policy].logLines.take(at: now.boot) {
      orders.append(.log(policy: policies[policy].name, text: text))
    } else if policies[policy].logLines.isJustSpent {
      orders.append(
        .log(
          policy: policies[policy].name,
          text: "more than \(EngineLimits.logLinesPerMinute) lines a minute; the rest is left out"))
    }
  }

  // MARK: Faults

  private mutating func succeed(_ policy: Int) {
    guard policies[policy].faultsInARow > 0 || policies[policy].isFaultAlertActive else { return }
    policies[policy].faultsInARow = 0
    policies[policy].restLength = EngineLimits.restShortest
    if policies[policy].isFaultAlertActive {
      policies[policy].isFaultAlertActive = false
      orders.append(
        .alert(
          AlertNotice(
            policy: policies[policy].name, state: .resolved,
            content: faultAlert(policy, message: ""), cause: .handler)))
    }
  }

  mutating func fail(_ policy: Int, _ fault: PolicyFault) {
    orders.append(.fault(fault))
    policies[policy].faultsInARow += 1
    guard policies[policy].faultsInARow >= EngineLimits.faultsBeforeRest else { return }
    let rest = policies[policy].restLength
    policies[policy].restLength = min(rest * 2, EngineLimits.restLongest)
    policies[policy].restUntil = now.boot + rest
    let name = policies[policy].name
    orders.append(
      .policy(name: name, .resting, detail: "for \(rest.shortText) after: \(fault.located)"))
    orders.append(.setTimer(TimerID(.rest, policy: name), Deadline(.boot, now.boot + rest)))
    for monitor in policies[policy].monitors.indices
    where policies[policy].monitors[monitor].candidate != nil {
      dropCandidate(policy, monitor)
    }
    if !policies[policy].isFaultAlertActive {
      policies[policy].isFaultAlertActive = true
      orders.append(
        .alert(
          AlertNotice(
            policy: name, state: .raised, content: faultAlert(policy, message: fault.located))))
    }
  }

  private func faultAlert(_ policy: Int, message: String) -> AlertContent {
    AlertContent(
      key: EngineLimits.faultAlertKey, severity: .warning,
      title: "The policy \(policies[policy].name) keeps failing", body: message)
  }

  /// The rest is over: the policy hears what it missed, and overdue timers fire.
  mutating func restDue(_ policy: Int) {
    guard let until = policies[policy].restUntil else { return }
    guard until <= now.boot else {
      orders.append(
        .setTimer(TimerID(.rest, policy: policies[policy].name), Deadline(.boot, until)))
      return
    }
    policies[policy].restUntil = nil
    policies[policy].faultsInARow = EngineLimits.faultsBeforeRest - 1
    orders.append(.policy(name: policies[policy].name, .loaded, detail: "tries again"))
    for monitor in policies[policy].monitors.indices { observe(policy, monitor) }
    fireOverdue(policy)
  }
}
