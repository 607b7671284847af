/// Something that happened. The engine learns of the world through these alone.
package enum Fact: Sendable {
  /// The policies to run from now on; those of the same name keep their timers, alerts and state.
  case policies(PolicySet)
  case snapshot(Snapshot)
  /// Kernel events were lost; the next snapshot was read from scratch.
  case gap(detail: String)
  case timer(TimerID)
  case button(policy: String, key: String, button: String)
  case dismissed(policy: String, key: String)
  /// How an action that was ordered ended.
  indirect case result(ActionID, ActionResult)
  /// For a replay: this call of this policy was ended by a limit (time, fuel, memory), as the fault
  /// says. A trace has it behind the fact that led to the call; the engine is given it before that
  /// one.
  indirect case killed(call: Int64, PolicyFault)
  case asleep
  case resumed
  case stop
}

/// What loading a policy directory gave.
package struct PolicySet: Sendable {
  package var reason: StartReason
  package var loaded: [PolicyDeclaration]
  package var rejected: [PolicyFault]
  /// Names whose text changed since they were last loaded.
  package var changed: Set<String>
  /// Names of `rejected` that are not to go on with the text they have: it was never accepted.
  package var stopped: Set<String> = []
  /// What earlier runs left of each policy, by the clocks of now; counts for those that are new to
  /// the engine.
  package var memories: [String: PolicyMemory]
  /// States that a policy's `migrate` made of older ones.
  package var migrated: [String: PlainData]
  /// The texts that a replay needs from here on: by policy, those of `changed`. What a run starts
  /// with is in the trace's header as well.
  package var hashes: [String: String] = [:]
  /// The same for the configuration; nil where it is the one before.
  package var config: String?

  package init(
    reason: StartReason, loaded: [PolicyDeclaration], rejected: [PolicyFault] = [],
    changed: Set<String> = [], memories: [String: PolicyMemory] = [:],
    migrated: [String: PlainData] = [:]
  ) {
    self.reason = reason
    self.loaded = loaded
    self.rejected = rejected
    self.changed = changed
    self.memories = memories
    self.migrated = migrated
  }
}

/// Names a wake-up that the engine asked for.
package struct TimerID: Hashable, Sendable {
  package enum Kind: UInt8, CaseIterable, Hashable, Sendable {
    /// A change must have held this long.
    case settle
    /// Unrest must have been reported by now.
    case unrest
    /// A policy's own timer.
    case named
    case every
    /// An alert's end.
    case expiry
    /// A failing policy may try again.
    case rest
    /// An action is tried again.
    case retry
    /// More ends of actions wait to be told than one fact may tell.
    case outcome
  }

  package var kind: Kind
  package var policy: String
  /// The monitor, the timer, or the key of the alert or action; empty for `rest` and `outcome`.
  package var name: String

  package init(_ kind: Kind, policy: String, name: String = "") {
    self.kind = kind
    self.policy = policy
    self.name = name
  }
}

extension TimerID: Comparable {
  package static func < (left: TimerID, right: TimerID) -> Bool {
    if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
    return left.policy == right.policy ? left.name < right.name : left.policy < right.policy
  }
}
