/// Actions: one at work and one behind it for each key, the latest wins. The engine says when; the
/// order's reader does it, and answers with a `result`.
extension Engine {
  /// A policy asks for an action.
  mutating func ask(_ policy: Int, _ request: ActionRequest) {
    guard policies[policy].actionCalls.take(at: now.boot) else {
      // Its handler is not told: it might ask again for ever.
      guard policies[policy].actionCalls.isJustSpent else { return }
      return report(
        policy, request, .refused,
        "more than \(EngineLimits.actionsPerMinute) actions in a minute; the rest is left out")
    }
    guard isWanted(policy, request) else { return }
    guard let slot = policies[policy].actions[request.key] else { return begin(policy, request) }
    if slot.serial == nil {
      endSlot(policy, slot, ActionResult(.dropped, error: Self.replaced))
      begin(policy, request)
      // Who asks again does not lose its turn.
      if let turn = slot.turn { policies[policy].actions[request.key]?.turn?.number = turn.number }
      return
    }
    policies[policy].actions[request.key]?.pending = request
    policies[policy].isMemoryChanged = true
    if let older = slot.pending {
      turnAway(policy, older, ActionResult(.dropped, error: Self.replaced))
    }
  }

  private static let replaced = "a newer one took its place"

  /// `ctx.cancel(key)`: what waits is dropped, what runs is ended.
  mutating func cancelAction(_ policy: Int, _ key: String) {
    guard let slot = policies[policy].actions[key] else { return }
    policies[policy].isMemoryChanged = true
    let result = ActionResult(.dropped, error: "it was cancelled")
    if let pending = slot.pending {
      policies[policy].actions[key]?.pending = nil
      turnAway(policy, pending, result)
    }
    if let serial = slot.serial {
      // Its own result tells the rest; it is not tried again.
      policies[policy].actions[key]?.request.retry = nil
      orders.append(.cancel(ActionID(policy: policies[policy].name, key: key, serial: serial)))
    } else {
      endSlot(policy, slot, result)
    }
  }

  /// Whether the path is such that the action makes sense, as it is now: the policy may not have
  /// been told yet. One that does not is dropped.
  private mutating func isWanted(_ policy: Int, _ request: ActionRequest) -> Bool {
    guard let result = unwanted(policy, request) else { return true }
    turnAway(policy, request, result)
    return false
  }

  /// What becomes of an action for which the path is not such; nil for all others.
  func unwanted(_ policy: Int, _ request: ActionRequest) -> ActionResult? {
    guard let wanted = request.onlyWhile, let monitor = policies[policy].monitors.first else {
      return nil
    }
    let present = filters[monitor.filter].path?.wrappedValue.status
    if wanted == present ?? monitor.delivered?.path.status { return nil }
    return ActionResult(.dropped, error: "the path is not \(wanted.rawValue)")
  }

  private mutating func begin(_ policy: Int, _ request: ActionRequest) {
    policies[policy].actions[request.key] = ActionSlot(request)
    if request.retry == nil {
      attempt(policy, request.key)
    } else {
      beginRetry(policy, request.key)
    }
  }

  /// One try, once there is a place for it. Beyond its limit a retry waits until it may run again,
  /// and a single action is refused.
  mutating func attempt(_ policy: Int, _ key: String, isItsTurn: Bool = false) {
    guard let slot = policies[policy].actions[key] else { return }
    let request = slot.request
    var runs = policies[policy].runs[key] ?? RunLog()
    if let limit = request.limit {
      if let free = runs.nextFree(limit, at: now.boot) {
        if let rule = request.retry, isWithin(rule, slot, waiting: free - now.boot) {
          report(policy, request, .waiting, "more than \(limit.text)")
          return wait(policy, key, until: free)
        }
        let refusal = ActionResult(.refused, error: "more than \(limit.text)")
        return endSlot(policy, slot, refusal)
      }
    }
    guard isItsTurn || isFree(policy) else { return lineUp(policy, key) }
    if request.limit != nil {
      runs.note(at: now.boot)
      policies[policy].runs[key] = runs
      forgetOldRuns(policy)
    }
    start(policy, slot)
  }

  private mutating func start(_ policy: Int, _ waiting: ActionSlot) {
    var slot = waiting
    let request = slot.request
    serial += 1
    if let time = request.disturbs { noteDisturbance(time) }
    slot.serial = serial
    slot.attempt += 1
    slot.due = nil
    slot.lastTry = now.boot
    policies[policy].actions[request.key] = slot
    policies[policy].isMemoryChanged = true
    policies[policy].lastServed = serial
    let id = ActionID(policy: policies[policy].name, key: request.key, serial: serial)
    working.append(id)
    // Whoever carries it out tells it once it has begun.
    report(policy, request, .started, slot.attempt > 1 ? "try \(slot.attempt)" : "")
    orders.append(.perform(id, request.action, facts: request.facts))
  }

  /// A policy that makes up keys cannot fill the memory: those that rested longest are forgotten.
  private mutating func forgetOldRuns(_ policy: Int) {
    while policies[policy].runs.count > EngineLimits.limitedKeysPerPolicy {
      let oldest = policies[policy].runs.min {
        ($0.value.last, $0.key) < ($1.value.last, $1.key)
      }
      guard let oldest else { return }
      policies[policy].runs[oldest.key] = nil
    }
  }

  /// What became of an action that was begun. A result that nobody waits for is an old one's.
  mutating func takeResult(_ id: ActionID, _ result: ActionResult) {
    working.removeAll { $0 == id }
    guard let policy = policyIndex(id.policy), var slot = policies[policy].actions[id.key],
      slot.serial == id.serial
    else { return }
    slot.serial = nil
    if result.ending == .refused { forgetStart(policy, &slot, id) }
    policies[policy].actions[id.key] = slot
    let mayRetry = result.ending == .failed && slot.request.retry != nil && slot.pending == nil
    if mayRetry, let wait = scheduleRetry(policy, id.key) {
      report(policy, slot.request, .failed, "\(result.error); the next try \(wait)")
    } else {
      endSlot(policy, slot, result)
    }
  }

  /// What was refused was never begun: it is no try and no run, and disturbs nothing.
  private mutating func forgetStart(_ policy: Int, _ slot: inout ActionSlot, _ id: ActionID) {
    slot.attempt -= 1
    if slot.request.limit != nil { policies[policy].runs[id.key]?.takeBack() }
    disturbances.removeAll { $0.serial == id.serial }
  }

  /// Nothing more comes of the slot's action: says so, tells the policy, lets the next one begin.
  mutating func endSlot(_ policy: Int, _ slot: ActionSlot, _ result: ActionResult) {
    let key = slot.request.key
    policies[policy].actions[key] = nil
    policies[policy].isMemoryChanged = true
    if slot.due != nil {
      orders.append(.clearTimer(TimerID(.retry, policy: policies[policy].name, name: key)))
    }
    turnAway(policy, slot.request, result, attempt: slot.attempt)
    if let pending = slot.pending, isWanted(policy, pending) { begin(policy, pending) }
  }

  private mutating func turnAway(
    _ policy: Int, _ request: ActionRequest, _ result: ActionResult, attempt: Int = 0
  ) {
    let name = policies[policy].name
    orders.append(
      .action(
        ActionReport(
          ActionID(policy: name, key: request.key, serial: 0), request.action.kind, result)))
    outcomes.append(
      (
        name,
        ActionOutcome(
          key: request.key, kind: request.action.kind, result: result, attempt: attempt)
      ))
  }

  mutating func report(
    _ policy: Int, _ request: ActionRequest, _ state: ActionReport.State, _ detail: String
  ) {
    orders.append(
      .action(
        ActionReport(
          policy: policies[policy].name, key: request.key, kind: request.action.kind.rawValue,
          state: state, detail: detail)))
  }

  /// Tells policies what became of their actions, once everything else of the fact is done: a few,
  /// for what a policy answers may end in another. The rest wait for a wake-up of their own, so
  /// that the kernel and signals get their turns in between.
  mutating func tellOutcomes() {
    if outcomes.isEmpty || outcomeWake != nil { return }
    var told = 0
    while told < outcomes.count, told < EngineLimits.outcomesPerFact {
      let (name, outcome) = outcomes[told]
      told += 1
      if let policy = policyIndex(name) { run(policy, .result(outcome)) }
    }
    outcomes.removeFirst(told)
    guard let next = outcomes.first else { return }
    let id = TimerID(.outcome, policy: next.policy)
    outcomeWake = id
    orders.append(.setTimer(id, Deadline(.awake, now.awake)))
  }

  /// The policy goes: nothing of its actions stays.
  mutating func endActions(_ policy: Int) {
    let name = policies[policy].name
    for key in policies[policy].actions.keys.sorted() {
      guard let slot = policies[policy].actions.removeValue(forKey: key) else { continue }
      report(policy, slot.request, .dropped, "the policy is gone")
      if let serial = slot.serial {
        orders.append(.cancel(ActionID(policy: name, key: key, serial: serial)))
      }
      if slot.due != nil { orders.append(.clearTimer(TimerID(.retry, policy: name, name: key))) }
    }
  }

  // MARK: The path's part in it

  /// The status by which what waits is dropped: what the policy's first monitor was told, or what
  /// it will be told first. A blip that nobody was told of drops nothing.
  private func statusForActions(_ policy: Int) -> PathStatus? {
    guard let monitor = policies[policy].monitors.first else { return nil }
    return monitor.delivered?.path.status ?? filters[monitor.filter].path?.wrappedValue.status
  }

  /// The policy was told another status: what waits only for this one is dropped.
  mutating func dropUnwanted(_ policy: Int) {
    guard !policies[policy].actions.isEmpty, let status = statusForActions(policy) else { return }
    for key in policies[policy].actions.keys.sorted() {
      guard let slot = policies[policy].actions[key] else { continue }
      let result = ActionResult(.dropped, error: "the path became \(status.rawValue)")
      if let pending = slot.pending, let wanted = pending.onlyWhile, wanted != status {
        policies[policy].actions[key]?.pending = nil
        turnAway(policy, pending, result)
      }
      if slot.serial == nil, let wanted = slot.request.onlyWhile, wanted != status {
        endSlot(policy, slot, result)
      }
    }
  }

  /// An action that changes the network itself begins: what changes for a while is its own doing.
  private mutating func noteDisturbance(_ time: Duration) {
    disturbances.removeAll { $0.until <= now.awake }
    disturbances.append(
      Disturbance(serial: serial, from: now.awake, until: now.awake + time))
    // Of more the one that ends first is missed least.
    guard disturbances.count > EngineLimits.disturbances else { return }
    let first = disturbances.indices.min { disturbances[$0].until < disturbances[$1].until }
    if let first { disturbances.remove(at: first) }
  }

  /// Whether what changes now is an action's doing; what led to the action itself is not.
  var isDisturbed: Bool {
    disturbances.contains { now.awake > $0.from && now.awake < $0.until }
  }
}
