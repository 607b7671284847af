/// Retries: exponential, with a random part, while trying makes sense.
extension Engine {
  /// Between a path's return and the try that it allows: not everybody's at once.
  private static let returnJitter = Duration.seconds(2)

  mutating func beginRetry(_ policy: Int, _ key: String) {
    guard let rule = policies[policy].actions[key]?.request.retry else { return }
    policies[policy].isMemoryChanged = true
    let firstDue = rule.isNow ? now.boot : now.boot + jittered(policy, rule.base)
    policies[policy].actions[key]?.firstDue = firstDue
    guard makesSense(policy, rule) else {
      return report(policy, key, "waits for the path")
    }
    policies[policy].actions[key]?.openSince = now.awake
    if rule.isNow { return attempt(policy, key) }
    wait(policy, key, until: firstDue)
  }

  /// Plans the try after a failure, and says when it comes; nil when there is none.
  mutating func scheduleRetry(_ policy: Int, _ key: String) -> String? {
    guard let slot = policies[policy].actions[key], let rule = slot.request.retry else {
      return nil
    }
    if let most = rule.attempts, slot.attempt >= most { return nil }
    let delay = jittered(policy, rule.delay(afterFailures: slot.attempt))
    guard isWithin(rule, slot, waiting: delay), !isOrphan(policy, rule) else { return nil }
    guard makesSense(policy, rule) else {
      // No snapshot may have said so yet, as in a sleep.
      pause(policy, key, slot)
      return "waits for the path"
    }
    wait(policy, key, until: now.boot + delay)
    // In whole milliseconds: nobody reads more.
    return "in \(Duration.milliseconds(delay.nanoseconds / 1_000_000).shortText)"
  }

  /// Sets the time of the next try.
  mutating func wait(_ policy: Int, _ key: String, until due: Duration) {
    policies[policy].actions[key]?.due = due
    policies[policy].isMemoryChanged = true
    orders.append(
      .setTimer(TimerID(.retry, policy: policies[policy].name, name: key), Deadline(.boot, due)))
  }

  mutating func retryDue(_ policy: Int, _ key: String) {
    guard let slot = policies[policy].actions[key], let due = slot.due, slot.serial == nil else {
      return
    }
    guard due <= now.boot else { return wait(policy, key, until: due) }
    policies[policy].actions[key]?.due = nil
    attempt(policy, key)
  }

  /// After each snapshot, and when policies changed or the machine sleeps: where trying makes no
  /// sense any more, it pauses and its clock stands still; where it makes sense again, it goes on.
  mutating func reviewRetries() {
    for policy in policies.indices where !policies[policy].actions.isEmpty {
      for key in policies[policy].actions.keys.sorted() {
        guard let slot = policies[policy].actions[key], let rule = slot.request.retry else {
          continue
        }
        if slot.serial == nil, isOrphan(policy, rule) {
          endSlot(policy, slot, ActionResult(.dropped, error: "the monitor it waits for is gone"))
          continue
        }
        let isOpen = makesSense(policy, rule)
        if isOpen, slot.openSince == nil {
          resume(policy, key, slot, rule)
        } else if !isOpen, slot.openSince != nil {
          pause(policy, key, slot)
        }
      }
    }
  }

  private mutating func pause(_ policy: Int, _ key: String, _ slot: ActionSlot) {
    policies[policy].actions[key]?.endTurn(at: now.awake)
    policies[policy].actions[key]?.spent = slot.spent(at: now.awake)
    policies[policy].actions[key]?.openSince = nil
    policies[policy].isMemoryChanged = true
    guard slot.due != nil || slot.turn != nil else { return }
    policies[policy].actions[key]?.due = nil
    if slot.due != nil {
      orders.append(.clearTimer(TimerID(.retry, policy: policies[policy].name, name: key)))
    }
    report(policy, key, "waits for the path")
  }

  /// The path is back: soon, but never sooner than a whole wait after the last try began.
  private mutating func resume(
    _ policy: Int, _ key: String, _ slot: ActionSlot, _ rule: RetryRule
  ) {
    policies[policy].actions[key]?.openSince = now.awake
    policies[policy].isMemoryChanged = true
    guard slot.serial == nil else { return }
    var due = now.boot + draw(policy, upTo: Self.returnJitter)
    if let last = slot.lastTry {
      due = max(due, min(last, now.boot) + rule.delay(afterFailures: slot.attempt))
    } else if let firstDue = slot.firstDue {
      due = max(due, firstDue)
    }
    // A path that comes and goes uses up the time without a try. The first one is never late.
    guard slot.attempt == 0 || isWithin(rule, slot, waiting: due - now.boot) else {
      return endSlot(policy, slot, ActionResult(.failed, error: "its time is over"))
    }
    wait(policy, key, until: due)
  }

  /// Whether the time for trying lasts until after this wait.
  func isWithin(_ rule: RetryRule, _ slot: ActionSlot, waiting time: Duration) -> Bool {
    rule.within.map { slot.spent(at: now.awake) + time <= $0 } ?? true
  }

  /// It waits for a monitor that the policy does not have any more.
  private func isOrphan(_ policy: Int, _ rule: RetryRule) -> Bool {
    guard case .monitor(let name) = rule.during else { return false }
    return !policies[policy].monitors.contains { $0.declaration.name == name }
  }

  private func makesSense(_ policy: Int, _ rule: RetryRule) -> Bool {
    let monitors = policies[policy].monitors
    let monitor: MonitorState?
    switch rule.during {
    case .always: return true
    case .firstMonitor: monitor = monitors.first
    case .monitor(let name): monitor = monitors.first { $0.declaration.name == name }
    }
    guard let monitor, !isAsleep, !awaitsSnapshot else { return false }
    return filters[monitor.filter].path?.wrappedValue.status == .satisfied
  }

  private mutating func report(_ policy: Int, _ key: String, _ detail: String) {
    guard let request = policies[policy].actions[key]?.request else { return }
    orders.append(
      .action(
        ActionReport(
          policy: policies[policy].name, key: key, kind: request.action.kind.rawValue,
          state: .waiting, detail: detail)))
  }

  // MARK: Chance, as it was recorded

  /// Between half a wait and the whole of it.
  private mutating func jittered(_ policy: Int, _ wait: Duration) -> Duration {
    let half = Duration.nanoseconds(wait.nanoseconds / 2)
    return half + draw(policy, upTo: wait - half)
  }

  /// From nothing to `most`: the same for the same seed, policy and number of draws.
  private mutating func draw(_ policy: Int, upTo most: Duration) -> Duration {
    policies[policy].draws &+= 1
    var state = seed &+ UInt64(bitPattern: policies[policy].draws) &* 0x9E37_79B9_7F4A_7C15
    for byte in policies[policy].name.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
    state ^= state >> 31
    let range = UInt64(max(most.nanoseconds, 0)) + 1
    return .nanoseconds(Int64(state.multipliedFullWidth(by: range).high))
  }
}
