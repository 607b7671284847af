/// Everything the engine keeps for one policy; it outlives the policy's text.
struct PolicyState {
  var declaration: PolicyDeclaration
  var monitors: [MonitorState] = []
  var alerts: [String: LiveAlert] = [:]
  var timers: [String: NamedTimer] = [:]
  var recurring: [String: Turn] = [:]
  var published: [String: PlainData] = [:]
  var state: PlainData
  /// By the action's key.
  var actions: [String: ActionSlot] = [:]
  var runs: [String: RunLog] = [:]
  /// Random numbers drawn so far.
  var draws: Int64 = 0
  /// What must outlive the process changed since it was last asked for.
  var isMemoryChanged = false
  var calls: Int64 = 0
  var faultsInARow = 0
  var restLength = EngineLimits.restShortest
  /// The boot time at which a resting policy may try again.
  var restUntil: Duration?
  /// The alert that the engine itself raised because the policy keeps failing.
  var faultAlert: AlertContent?
  var timerCalls = MinuteBudget(limit: EngineLimits.timerCallsPerMinute)
  var actionCalls = MinuteBudget(limit: EngineLimits.actionsPerMinute)
  var logLines = MinuteBudget(limit: EngineLimits.logLinesPerMinute)

  init(declaration: PolicyDeclaration) {
    self.declaration = declaration
    state = declaration.state
    monitors = declaration.monitors.map { MonitorState(declaration: $0, filter: 0) }
  }

  var name: String { declaration.name }
  var isAtWork: Bool { declaration.isEnabled && restUntil == nil }
  var hasUnreportedChange: Bool {
    // By index: an element handed to a closure would be copied, with all it refers to.
    for index in monitors.indices where monitors[index].candidate != nil { return true }
    return false
  }
}

/// An alert that is up.
struct LiveAlert {
  var content: AlertContent
  /// By the boot clock; nil when it stays until resolved.
  var expires: Duration?
  /// The time came while a change was unreported.
  var isExpiryHeld = false

  /// The time for which an `expiry` wake-up is asked.
  var armedExpiry: Duration? { isExpiryHeld ? nil : expires }
}

/// A policy's timer that runs.
struct NamedTimer {
  /// By the boot clock.
  var deadline: Duration
  var untilChange: String?
  var acrossReboot: Bool
}

/// The next turn of a recurring timer.
struct Turn {
  /// By the boot clock.
  var deadline: Duration
  var period: Duration

  /// Missed turns, as after a sleep, are one late turn; the turns keep their rhythm.
  mutating func advance(beyond now: Duration) {
    let missed = (now - deadline).nanoseconds / max(period.nanoseconds, 1)
    deadline += .nanoseconds(period.nanoseconds * (missed + 1))
  }
}

/// At most so many in each minute of the boot clock.
struct MinuteBudget {
  let limit: Int
  private var minute: Duration = .zero
  private(set) var used = 0

  init(limit: Int) { self.limit = limit }

  /// Counts one more; false when the minute's budget is spent.
  mutating func take(at now: Duration) -> Bool {
    if now - minute >= .seconds(60) {
      minute = now
      used = 0
    }
    used = min(used + 1, limit + 2)
    return used <= limit
  }

  /// Whether the last `take` was the first to be refused this minute.
  var isJustSpent: Bool { used == limit + 1 }
}
