/// Unrest that never settles: told once in each window, as the status that held longest.
extension Engine {
  /// Asks for an `unrest` wake-up exactly while one is wanted.
  mutating func armUnrest(_ policy: Int, _ monitor: Int) {
    let wanted = policies[policy].monitors[monitor].wantedUnrest
    guard wanted != policies[policy].monitors[monitor].armedUnrest else { return }
    policies[policy].monitors[monitor].armedUnrest = wanted
    let id = timerID(.unrest, policy, monitor)
    if let wanted {
      orders.append(.setTimer(id, Deadline(.awake, wanted)))
    } else {
      orders.append(.clearTimer(id))
    }
  }

  mutating func endUnrest(_ policy: Int, _ monitor: Int) {
    policies[policy].monitors[monitor].unrest = nil
    armUnrest(policy, monitor)
  }

  /// Unrest lasted its whole window. That is news by itself, whatever was told before: tells the
  /// status that held longest, and begins another window.
  mutating func unrestDue(_ policy: Int, _ monitor: Int) {
    policies[policy].monitors[monitor].armedUnrest = nil
    guard var unrest = policies[policy].monitors[monitor].unrest,
      let path = filters[policies[policy].monitors[monitor].filter].path
    else { return }
    let candidate = policies[policy].monitors[monitor].candidate
    if candidate == nil, policies[policy].monitors[monitor].isRested(at: now.awake) {
      return endUnrest(policy, monitor)
    }
    guard unrest.deadline <= now.awake else { return armUnrest(policy, monitor) }
    let told = policies[policy].monitors[monitor].delivered?.path.status
    let longest = unrest.longest(at: now.awake, told: told)
    if longest.wrappedValue.status != .satisfied, now.awake < resumeHold {
      policies[policy].monitors[monitor].unrest?.deadline = resumeHold
      return armUnrest(policy, monitor)
    }
    // Another window begins below.
    policies[policy].monitors[monitor].unrest = nil
    tell(longest, policy, monitor, extra: .flapping)
    guard policies[policy].isAtWork else { return releaseHeldExpiries(policy) }
    let limit = policies[policy].monitors[monitor].unrestLimit(settle: unrest.window)
    policies[policy].monitors[monitor].unrest = Unrest(
      from: path, window: unrest.window, deadline: now.awake + limit, at: now.awake)
    if longest != path {
      // A change that waited for another status than the one told waits on from where it was.
      propose(
        path, since: told == longest.wrappedValue.status ? candidate?.since : nil, policy, monitor)
    } else {
      armUnrest(policy, monitor)
    }
    // Not before: the present path may be the next change, and pending again.
    releaseHeldExpiries(policy)
  }
}
