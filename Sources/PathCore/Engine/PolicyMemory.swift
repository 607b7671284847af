/// What of a policy must outlive the process: a reload, a crash and a reboot. Times are of the boot
/// clock of the boot it was stored in.
package struct PolicyMemory: Hashable, Sendable {
  /// `ctx.state`, and the `version` of the policy that wrote it; nil while it is the default of the
  /// policy's text, whatever that may be by then.
  package var state: PlainData?
  package var version: Int64 = 0
  /// Whether the policy was ever started before.
  package var wasStarted = false
  package var timers: [String: Timer] = [:]
  package var recurring: [String: Turn] = [:]
  /// By their keys, which are also in their contents.
  package var alerts: [String: Alert] = [:]
  package var published: [String: PlainData] = [:]
  /// Running retries by the key of their action, in a form that only their own code reads.
  package var retries: [String: PlainData] = [:]
  /// What counts against an action's `limit`, by the action's key; likewise.
  package var limits: [String: PlainData] = [:]

  /// A named timer that runs.
  package struct Timer: Hashable, Sendable {
    package var deadline: Duration
    package var untilChange: String?
    package var acrossReboot: Bool

    package init(deadline: Duration, untilChange: String? = nil, acrossReboot: Bool = false) {
      self.deadline = deadline
      self.untilChange = untilChange
      self.acrossReboot = acrossReboot
    }
  }

  /// The next turn of a recurring timer.
  package struct Turn: Hashable, Sendable {
    package var deadline: Duration
    package var period: Duration

    package init(deadline: Duration, period: Duration) {
      self.deadline = deadline
      self.period = period
    }
  }

  /// An alert that is up.
  package struct Alert: Hashable, Sendable {
    package var content: AlertContent
    package var expires: Duration?
    package var isExpiryHeld: Bool

    package init(content: AlertContent, expires: Duration? = nil, isExpiryHeld: Bool = false) {
      self.content = content
      self.expires = expires
      self.isExpiryHeld = isExpiryHeld
    }
  }

  package init() {}

  /// The same by the boot clock of `now`, as it was stored at `stored`.
  ///
  /// Within one boot nothing changes: what came due meanwhile is late, not gone. In another boot
  /// timers run on by the wall clock, and one that came due meanwhile is dropped unless it was
  /// started with `across_reboot`. Turns and expiries that came due stay: one late turn, and an
  /// alert whose time is over. The last try of a retry is long ago.
  package func translated(from stored: BootStamp, to now: BootStamp) -> PolicyMemory {
    if stored.isSameBoot(as: now) { return self }
    var memory = self
    memory.timers = timers.compactMapValues { timer in
      var timer = timer
      timer.deadline = stored.translate(timer.deadline, to: now)
      return timer.acrossReboot || timer.deadline > now.boot ? timer : nil
    }
    memory.retries = retries.mapValues { ActionSlot.translate($0, from: stored, to: now) }
    memory.limits = limits.mapValues { RunLog.translate($0, from: stored, to: now) }
    memory.recurring = recurring.mapValues {
      Turn(deadline: stored.translate($0.deadline, to: now), period: $0.period)
    }
    memory.alerts = alerts.mapValues { alert in
      var alert = alert
      alert.expires = alert.expires.map { stored.translate($0, to: now) }
      return alert
    }
    return memory
  }
}
