/// Something to be done. The engine performs nothing itself.
package enum Order: Sendable {
  /// A policy's monitor has a new path.
  case deliver(policy: String, PathEvent)
  indirect case alert(AlertNotice)
  /// A value that others may observe, only when it differs from the one before.
  case publish(PublishNotice)
  /// Wake me at that time of that clock with `Fact.timer`; replaces an earlier wish of this name.
  case setTimer(TimerID, Deadline)
  case clearTimer(TimerID)
  /// The policy's state after a handler that changed it.
  case persist(policy: String, PlainData)
  case log(policy: String, text: String)
  /// Do this; the answer is a `result`.
  indirect case perform(ActionID, Action, facts: [String: String])
  /// End what was begun; the answer still comes.
  case cancel(ActionID)
  /// What became of an action.
  indirect case action(ActionReport)
  case policy(name: String, PolicyStanding, detail: String)
  indirect case fault(PolicyFault)
  case gap(detail: String)
}

/// When a timer is due, and by which clock.
package struct Deadline: Hashable, Sendable {
  package enum Clock: UInt8, Hashable, Sendable {
    /// Stands still while the machine sleeps.
    case awake
    case boot
  }

  package var clock: Clock
  package var at: Duration

  package init(_ clock: Clock, _ at: Duration) {
    self.clock = clock
    self.at = at
  }
}

/// A value that a policy publishes.
package struct PublishNotice: Hashable, Sendable {
  package var policy: String
  package var name: String
  /// Nil when it is withdrawn: its policy is gone or off.
  package var value: PlainData?
  /// Published in an earlier run, and told again at the start of this one.
  package var isRestored: Bool

  package init(policy: String, name: String, value: PlainData?, isRestored: Bool = false) {
    self.policy = policy
    self.name = name
    self.value = value
    self.isRestored = isRestored
  }
}

/// What became of an alert.
package struct AlertNotice: Hashable, Sendable {
  package enum State: String, CaseIterable, Hashable, Sendable {
    case raised, updated, dismissed, expired, resolved
  }

  /// Why an alert was resolved, or why it is told as raised when nobody raised it now.
  package enum Cause: String, CaseIterable, Hashable, Sendable {
    case handler
    case policyRemoved = "policy-removed"
    /// Raised in an earlier run, and still up.
    case restored
  }

  package var policy: String
  package var state: State
  package var content: AlertContent
  package var cause: Cause?

  package init(policy: String, state: State, content: AlertContent, cause: Cause? = nil) {
    self.policy = policy
    self.state = state
    self.content = content
    self.cause = cause
  }
}

/// Whether a policy is at work.
package enum PolicyStanding: String, CaseIterable, Hashable, Sendable {
  case loaded, rejected, disabled, resting, removed
}
