/// The life of alerts: what changed in a handler, what people do, and the end of their time.
extension Engine {
  /// Says what became of one key between the start of a handler and its end.
  mutating func tellAlert(_ policy: Int, _ key: String, before: LiveAlert?) {
    let name = policies[policy].name
    let after = policies[policy].alerts[key]
    switch (before, after) {
    case (nil, nil): return
    case (nil, let alert?):
      orders.append(
        .alert(AlertNotice(policy: name, state: .raised, content: alert.content)))
    case (let old?, nil):
      orders.append(
        .alert(
          AlertNotice(policy: name, state: .resolved, content: old.content, cause: .handler)))
    case (let old?, let alert?):
      if old.content != alert.content {
        orders.append(
          .alert(AlertNotice(policy: name, state: .updated, content: alert.content)))
      }
    }
    armExpiry(policy, key, before: before?.armedExpiry, after: after?.armedExpiry)
  }

  private mutating func armExpiry(
    _ policy: Int, _ key: String, before: Duration?, after: Duration?
  ) {
    guard before != after else { return }
    let id = TimerID(.expiry, policy: policies[policy].name, name: key)
    if let after {
      orders.append(.setTimer(id, Deadline(.boot, after)))
    } else {
      orders.append(.clearTimer(id))
    }
  }

  /// An alert's time came. While a change is unreported it waits: the change may be the very outage
  /// that a "back online" banner would hide.
  mutating func expiryDue(_ policy: Int, _ key: String) {
    guard let alert = policies[policy].alerts[key], let expires = alert.expires else { return }
    guard expires <= now.boot else {
      orders.append(
        .setTimer(
          TimerID(.expiry, policy: policies[policy].name, name: key), Deadline(.boot, expires)))
      return
    }
    if policies[policy].hasUnreportedChange {
      policies[policy].alerts[key]?.isExpiryHeld = true
    } else {
      expire(policy, key)
    }
  }

  /// The change was reported or is gone: alerts whose time came meanwhile end now.
  mutating func releaseHeldExpiries(_ policy: Int) {
    guard !policies[policy].alerts.isEmpty, !policies[policy].hasUnreportedChange else { return }
    var held: [String] = []
    for (key, alert) in policies[policy].alerts where alert.isExpiryHeld { held.append(key) }
    for key in held.sorted() { expire(policy, key) }
  }

  private mutating func expire(_ policy: Int, _ key: String) {
    guard let alert = policies[policy].alerts.removeValue(forKey: key) else { return }
    orders.append(
      .alert(
        AlertNotice(policy: policies[policy].name, state: .expired, content: alert.content)))
  }

  mutating func press(policy name: String, key: String, button: String) {
    guard let policy = policyIndex(name), let alert = policies[policy].alerts[key],
      alert.content.buttons.contains(where: { $0.id == button })
    else { return }
    run(policy, .button(key: key, button: button))
  }

  mutating func dismiss(policy name: String, key: String) {
    if key == EngineLimits.rejectedAlertKey { return dismissRejection(of: name) }
    guard let policy = policyIndex(name) else { return }
    if key == EngineLimits.faultAlertKey, let content = policies[policy].faultAlert {
      policies[policy].faultAlert = nil
      orders.append(.alert(AlertNotice(policy: name, state: .dismissed, content: content)))
      return
    }
    guard let alert = policies[policy].alerts.removeValue(forKey: key) else { return }
    orders.append(
      .alert(AlertNotice(policy: name, state: .dismissed, content: alert.content)))
    if alert.armedExpiry != nil {
      orders.append(.clearTimer(TimerID(.expiry, policy: name, name: key)))
    }
    run(policy, .dismissed(key: key))
  }
}
