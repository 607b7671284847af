/// What a policy asks for: an action, when it may happen, and whether it is tried again.
package struct ActionRequest: Hashable, Sendable {
  package var key: String
  package var action: Action
  /// A waiting action is dropped when the path's status is another.
  package var onlyWhile: PathStatus?
  package var limit: RateLimit?
  /// So long after its start, changes of the network are its own doing.
  package var disturbs: Duration?
  /// Nil: it is tried once.
  package var retry: RetryRule?
  /// What a command finds in its environment, as NETVANE_….
  package var facts: [String: String] = [:]

  package init(
    key: String, action: Action, onlyWhile: PathStatus? = nil, limit: RateLimit? = nil,
    disturbs: Duration? = nil, retry: RetryRule? = nil
  ) {
    self.key = key
    self.action = action
    self.onlyWhile = onlyWhile
    self.limit = limit
    self.disturbs = disturbs
    self.retry = retry
  }
}

/// At most so many runs in any stretch of this length.
package struct RateLimit: Hashable, Sendable {
  package var count: Int
  package var per: Duration

  package init(count: Int, per: Duration) {
    self.count = count
    self.per = per
  }

  package var text: String { "\(count) in \(per.shortText)" }
}

/// How an action that failed is tried again.
package struct RetryRule: Hashable, Sendable {
  /// The first wait, which doubles with each failure up to `cap`.
  package var base: Duration
  package var cap: Duration
  /// Nil: no bound.
  package var attempts: Int?
  /// Of time during which trying makes sense; nil: no bound.
  package var within: Duration?
  package var during: During
  /// The first attempt waits for nothing but the path.
  package var isNow: Bool

  /// When trying makes sense.
  package enum During: Hashable, Sendable {
    /// While the policy's first monitor is satisfied.
    case firstMonitor
    case monitor(String)
    case always
  }

  package init(
    base: Duration = .seconds(1), cap: Duration = .seconds(120), attempts: Int? = nil,
    within: Duration? = nil, during: During = .firstMonitor, isNow: Bool = false
  ) {
    self.base = base
    self.cap = cap
    self.attempts = attempts
    self.within = within
    self.during = during
    self.isNow = isNow
  }

  /// The whole wait after so many failures; a try comes after half of it at the earliest.
  package func delay(afterFailures count: Int) -> Duration {
    var delay = base
    for _ in 1..<max(1, min(count, 64)) {
      if delay >= cap { return cap }
      delay += delay
    }
    return min(delay, cap)
  }
}
