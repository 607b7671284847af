/// What the engine knows at one moment, for people and programs that ask. Times are from then on;
/// one that is past is negative.
package struct EngineStatus: Sendable {
  /// By name; those that were never loaded are among them.
  package var policies: [Policy] = []
  /// Files that policies share and that were not taken: what was read before holds.
  package var files: [File] = []
  /// By policy and key; the engine's own are among them.
  package var alerts: [Alert] = []

  package struct Policy: Sendable {
    package var name: String
    package var about: String
    package var standing: Standing
    /// Why its newer text is not taken, `file:line: message`; the version before it runs.
    package var edit: String?
    /// Why its last handler failed, likewise; what it decided did not count.
    package var fault: String?
    package var monitors: [Monitor] = []
    package var timers: [Timer] = []
    package var actions: [Action] = []
    package var published: [Published] = []
  }

  package enum Standing: Hashable, Sendable {
    case running
    /// It failed too often. Why is nil once a person dismissed the alert that says so.
    case resting(Duration, why: String?)
    case disabled
    /// No version of it was ever loaded: why.
    case rejected(String)

    package var word: String {
      switch self {
      case .running: "running"
      case .resting: "resting"
      case .disabled: "disabled"
      case .rejected: "rejected"
      }
    }
  }

  package struct File: Hashable, Sendable {
    package var name: String
    package var located: String
  }

  package struct Alert: Hashable, Sendable {
    package var policy: String
    package var content: AlertContent
    package var expires: Duration?

    /// As people name it.
    package var name: String { "\(policy)/\(content.key)" }
  }

  /// What a policy was told of the path, and what waits to be told.
  package struct Monitor: Hashable, Sendable {
    package var name: String
    /// Nil before the first verdict.
    package var status: PathStatus?
    package var pending: Pending?
  }

  package struct Pending: Hashable, Sendable {
    package var status: PathStatus
    /// When it will have held long enough.
    package var due: Duration
  }

  package struct Timer: Hashable, Sendable {
    package var name: String
    package var due: Duration
    package var isRecurring: Bool
  }

  package struct Action: Hashable, Sendable {
    package enum State: Hashable, Sendable {
      case running
      /// Until the next try.
      case waiting(Duration)
      case waitingForPath
      /// Until one that is at work ends.
      case waitingForTurn
    }

    package var key: String
    package var kind: String
    package var state: State
    /// Tries that were begun.
    package var attempt: Int
    /// Another one takes its place when it ends.
    package var hasPending: Bool
  }

  package struct Published: Hashable, Sendable {
    package var name: String
    package var value: PlainData
  }
}
