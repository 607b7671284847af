/// Calling a policy and taking its decision: all of it, or none.
extension Engine {
  /// Calls one handler, if the policy has it and is at work.
  @discardableResult
  mutating func run(_ policy: Int, _ event: HandlerEvent) -> HandlerOutcome? {
    let handler = event.handler
    guard policies[policy].isAtWork, policies[policy].has(handler) else {
      return nil
    }
    policies[policy].calls += 1
    let request = HandlerRequest(
      policy: policies[policy].name, event: event, now: now,
      activeAlerts: policies[policy].alerts.isEmpty ? [] : policies[policy].alerts.keys.sorted(),
      activeTimers: policies[policy].timers.isEmpty ? [] : policies[policy].timers.keys.sorted(),
      delivered: delivered(policy, beside: event), pending: pending(policy),
      seed: seed &+ UInt64(bitPattern: policies[policy].calls))
    switch answer(request, policies[policy].calls) {
    case .done(let outcome):
      // A settle function decides nothing, so its success ends no row of faults.
      if handler == .settle { return outcome }
      if let fault = limitFault(policy, handler, outcome) {
        host.reset(policies[policy].name, state: policies[policy].state)
        fail(policy, fault)
        return nil
      }
      commit(policy, outcome, of: event)
      succeed(policy)
      return outcome
    case .failed(let fault):
      host.reset(policies[policy].name, state: policies[policy].state)
      fail(policy, fault)
      return nil
    }
  }

  /// What the host says, unless a replay knows that one of the sandbox's limits had the last word.
  private mutating func answer(_ request: HandlerRequest, _ call: Int64) -> HandlerReply {
    let id = CallID(policy: request.policy, call: call)
    if !kills.isEmpty, let fault = kills.removeValue(forKey: id) { return .failed(fault) }
    let reply = host.call(request)
    if case .failed(let fault) = reply, fault.kind.isLimitOfMachine {
      killed.append(.killed(call: call, fault))
      if killed.count > 1000 { killed.removeFirst() }
    }
    return reply
  }

  /// The last event of each monitor; of the one that this event is of, it is this one.
  private func delivered(_ policy: Int, beside event: HandlerEvent) -> [PathEvent] {
    if case .path = event, policies[policy].monitors.count == 1 { return [] }
    var events: [PathEvent] = []
    events.reserveCapacity(policies[policy].monitors.count)
    for monitor in policies[policy].monitors.indices {
      if let event = policies[policy].monitors[monitor].delivered { events.append(event) }
    }
    return events
  }

  /// Monitors whose status is another by now than the one told, and only has to last.
  private func pending(_ policy: Int) -> [String] {
    var pending: [String] = []
    for monitor in policies[policy].monitors.indices {
      guard let told = policies[policy].monitors[monitor].delivered?.path.status,
        let status = policies[policy].monitors[monitor].candidate?.path.read({ $0.status }),
        status != told
      else { continue }
      pending.append(policies[policy].monitors[monitor].declaration.name)
      pending.append(status.rawValue)
    }
    return pending
  }

  /// A decision that would exceed a bound is no decision.
  private func limitFault(
    _ policy: Int, _ handler: Handler, _ outcome: HandlerOutcome
  ) -> PolicyFault? {
    let count = outcome.intents.count
    if count == 0 { return nil }
    var takenKey: String?
    for intent in outcome.intents {
      if case .raise(let content, _) = intent, EngineLimits.ownAlertKeys.contains(content.key) {
        takenKey = content.key
      }
    }
    let message: String
    if let takenKey {
      message = "the alert key '\(takenKey)' is kept for Netvane itself"
    } else if count <= EngineLimits.intentsPerHandler,
      policies[policy].timers.count + count <= EngineLimits.timersPerPolicy,
      policies[policy].alerts.count + count <= EngineLimits.alertsPerPolicy,
      policies[policy].published.count + count <= EngineLimits.publishedPerPolicy,
      policies[policy].actions.count + count <= EngineLimits.actionKeysPerPolicy
    {
      // Far from every bound, whatever the decisions are: nothing needs counting.
      return nil
    } else if let bound = brokenBound(policy, outcome) {
      message = "at most \(bound) are allowed"
    } else {
      return nil
    }
    return PolicyFault(
      policy: policies[policy].name, handler: handler, kind: .limit,
      file: policies[policy].name + ".lua", line: policies[policy].declaration.line(of: handler),
      message: message + "; nothing of this call took effect")
  }

  /// The bound that the decisions would break: `256 timers at a time`.
  private func brokenBound(_ policy: Int, _ outcome: HandlerOutcome) -> String? {
    var timers = Set(policies[policy].timers.keys)
    var alerts = Set(policies[policy].alerts.keys)
    var names = Set(policies[policy].published.keys)
    var actions = Set(policies[policy].actions.keys)
    for intent in outcome.intents {
      switch intent {
      case .raise(let content, _): alerts.insert(content.key)
      case .resolve(let key): alerts.remove(key)
      case .startTimer(let request): timers.insert(request.name)
      case .cancelTimer(let name): timers.remove(name)
      case .publish(let name, _): names.insert(name)
      case .act(let request): actions.insert(request.key)
      case .cancelAction(let key):
        if policies[policy].actions[key]?.serial == nil { actions.remove(key) }
      case .log: break
      }
    }
    let bounds = [
      (outcome.intents.count, EngineLimits.intentsPerHandler, "decisions in one handler"),
      (timers.count, EngineLimits.timersPerPolicy, "timers at a time"),
      (alerts.count, EngineLimits.alertsPerPolicy, "alerts at a time"),
      (names.count, EngineLimits.publishedPerPolicy, "published names"),
      (actions.count, EngineLimits.actionKeysPerPolicy, "actions at a time"),
    ]
    return bounds.first { $0.0 > $0.1 }.map { "\($0.1) \($0.2)" }
  }

  private mutating func commit(
    _ policy: Int, _ outcome: HandlerOutcome, of event: HandlerEvent
  ) {
    var before: [(key: String, alert: LiveAlert?)] = []
    var published: [(name: String, data: PlainData)] = []
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
        if let place = published.firstIndex(where: { $0.name == name }) {
          published[place].data = data
        } else {
          published.append((name, data))
        }
      case .log(let text): log(policy, text)
      case .act(let request): ask(policy, withFacts(request, policy, event))
      case .cancelAction(let key): cancelAction(policy, key)
      }
    }
    for entry in before { tellAlert(policy, entry.key, before: entry.alert) }
    for (name, data) in published where policies[policy].publish(name, data) {
      orders.append(
        .publish(PublishNotice(policy: policies[policy].name, name: name, value: data)))
    }
    if let state = outcome.state, state != policies[policy].state {
      policies[policy].state = state
      orders.append(.persist(policy: policies[policy].name, state))
    }
  }

  /// A command's environment tells of the event; no other action has one.
  private func withFacts(
    _ request: ActionRequest, _ policy: Int, _ event: HandlerEvent
  ) -> ActionRequest {
    guard request.action.kind == .exec else { return request }
    var path = policies[policy].monitors.first?.delivered
    if case .path(let told) = event { path = told }
    var request = request
    request.facts = event.facts(policy: policies[policy].name, key: request.key, path: path)
    return request
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
      var text = text
      if text.utf8.count > EngineLimits.logTextBytes {
        text = String(decoding: text.utf8.prefix(EngineLimits.logTextBytes), as: UTF8.self) + "…"
      }
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
    guard policies[policy].faultsInARow > 0 || policies[policy].faultAlert != nil else { return }
    forgiveFaults(policy)
  }

  /// Past faults count no more: a handler went well, or the policy's text changed.
  mutating func forgiveFaults(_ policy: Int, cause: AlertNotice.Cause = .handler) {
    policies[policy].faultsInARow = 0
    policies[policy].lastFault = nil
    policies[policy].restLength = EngineLimits.restShortest
    let name = policies[policy].name
    if policies[policy].restUntil != nil {
      policies[policy].restUntil = nil
      orders.append(.clearTimer(TimerID(.rest, policy: name)))
    }
    if let alert = policies[policy].faultAlert {
      policies[policy].faultAlert = nil
      orders.append(
        .alert(AlertNotice(policy: name, state: .resolved, content: alert, cause: cause)))
    }
  }

  mutating func fail(_ policy: Int, _ fault: PolicyFault) {
    orders.append(.fault(fault))
    policies[policy].faultsInARow += 1
    policies[policy].lastFault = fault.located
    guard policies[policy].faultsInARow >= EngineLimits.faultsBeforeRest else { return }
    let rest = policies[policy].restLength
    policies[policy].restLength = min(rest * 2, EngineLimits.restLongest)
    policies[policy].restUntil = now.boot + rest
    let name = policies[policy].name
    orders.append(
      .policy(name: name, .resting, detail: "for \(rest.shortText) after: \(fault.located)"))
    orders.append(.setTimer(TimerID(.rest, policy: name), Deadline(.boot, now.boot + rest)))
    // Nothing is pending for a policy that rests, so no alert's end waits for it either.
    dropPending(policy)
    releaseHeldExpiries(policy)
    if policies[policy].faultAlert == nil {
      let alert = AlertContent(
        key: EngineLimits.faultAlertKey, severity: .warning,
        title: "The policy \(name) keeps failing", body: fault.located)
      policies[policy].faultAlert = alert
      orders.append(.alert(AlertNotice(policy: name, state: .raised, content: alert)))
    }
  }

  /// Candidates and unrest of all the policy's monitors are forgotten.
  mutating func dropPending(_ policy: Int) {
    for monitor in policies[policy].monitors.indices {
      dropCandidate(policy, monitor)
      endUnrest(policy, monitor)
    }
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
