/// Unrest that never settles: told once in each window, as the status that held longest.
extension Engine {
  /// Asks for an `unrest` wake-up exactly while a candidate waits that will not settle before.
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

  /// Unrest lasted its whole window: tells the status that held longest, and begins another window.
  mutating func unrestDue(_ policy: Int, _ monitor: Int) {
    policies[policy].monitors[monitor].armedUnrest = nil
    guard var unrest = policies[policy].monitors[monitor].unrest,
      policies[policy].monitors[monitor].candidate != nil,
      let path = filters[policies[policy].monitors[monitor].filter].path
    else { return }
    guard unrest.deadline <= now.awake else { return armUnrest(policy, monitor) }
    let longest = unrest.longest(at: now.awake)
    if longest.wrappedValue.status != .satisfied, now.awake < resumeHold {
      policies[policy].monitors[monitor].unrest?.deadline = resumeHold
      return armUnrest(policy, monitor)
    }
    let isNews = longest != policies[policy].monitors[monitor].delivered?.sharedPath
    if isNews {
      tell(longest, policy, monitor, extra: .flapping)
      guard policies[policy].isAtWork else { return releaseHeldExpiries(policy) }
    }
    let limit = policies[policy].monitors[monitor].unrestLimit(settle: unrest.window)
    policies[policy].monitors[monitor].unrest = Unrest(
      from: path, window: unrest.window, deadline: now.awake + limit, at: now.awake)
    if isNews, longest != path {
      propose(path, policy, monitor)
    } else {
      armUnrest(policy, monitor)
    }
    // Not before: the present path may be the next change, and pending again.
    releaseHeldExpiries(policy)
  }
}
