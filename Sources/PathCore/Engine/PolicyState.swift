/// Everything the engine keeps for one policy; it outlives the policy's text.
struct PolicyState {
  var declaration: PolicyDeclaration { didSet { handlerBits = Self.bits(declaration.handlers) } }
  /// The handlers that it has, for the one question that each event asks.
  private var handlerBits: UInt16
  var monitors: [MonitorState] = []
  // What outlives the process. Whatever changes it marks it, so that nobody can forget to.
  var alerts: [String: LiveAlert] = [:] { didSet { isMemoryChanged = true } }
  var timers: [String: NamedTimer] = [:] { didSet { isMemoryChanged = true } }
  var recurring: [String: Turn] = [:] { didSet { isMemoryChanged = true } }
  var published: [String: PlainData] = [:] { didSet { isMemoryChanged = true } }
  var state: PlainData { didSet { isMemoryChanged = true } }
  /// The `version` that the state is of.
  var version: Int64 { didSet { isMemoryChanged = true } }
  var wasStarted = false { didSet { isMemoryChanged = true } }
  /// The alert that the engine itself raised because the policy keeps failing.
  var faultAlert: AlertContent? { didSet { isMemoryChanged = true } }
  /// By the action's key.
  var actions: [String: ActionSlot] = [:] { didSet { isMemoryChanged = true } }
  var runs: [String: RunLog] = [:] { didSet { isMemoryChanged = true } }
  /// Whether `memory` may differ from what was last taken to be stored.
  var isMemoryChanged = false
  /// It was restored, and not every monitor has given its first verdict since: what came due while
  /// nobody ran waits for that.
  var awaitsVerdicts = false
  /// It was switched off since it last started.
  var wasOff = false
  /// The start of its last action.
  var lastServed: UInt64 = 0
  /// Random numbers drawn so far.
  var draws: Int64 = 0
  var calls: Int64 = 0
  var faultsInARow = 0
  /// Why its last handler failed, `file:line: message`; nil when that one went well.
  var lastFault: String?
  var restLength = EngineLimits.restShortest
  /// The boot time at which a resting policy may try again.
  var restUntil: Duration?
  var timerCalls = MinuteBudget(limit: EngineLimits.timerCallsPerMinute)
  var actionCalls = MinuteBudget(limit: EngineLimits.actionsPerMinute)
  var logLines = MinuteBudget(limit: EngineLimits.logLinesPerMinute)

  init(declaration: PolicyDeclaration) {
    self.declaration = declaration
    handlerBits = Self.bits(declaration.handlers)
    state = declaration.state
    version = declaration.version
    monitors = declaration.monitors.map { MonitorState(declaration: $0, filter: 0) }
  }

  /// Takes a value to publish; whether it is another than before.
  mutating func publish(_ name: String, _ data: PlainData) -> Bool {
    if published[name] == data { return false }
    published[name] = data
    return true
  }

  func has(_ handler: Handler) -> Bool { handlerBits & Self.bit(handler) != 0 }

  private static func bits(_ handlers: Set<Handler>) -> UInt16 {
    handlers.reduce(0) { $0 | bit($1) }
  }

  private static func bit(_ handler: Handler) -> UInt16 {
    switch handler {
    case .settle: 1
    case .start: 2
    case .path: 4
    case .timer: 8
    case .button: 16
    case .dismissed: 32
    case .result: 64
    case .system: 128
    }
  }

  var name: String { declaration.name }
  var isAtWork: Bool { declaration.isEnabled && restUntil == nil }
  var hasUnreportedChange: Bool {
    // What happened before the first verdict of this run may be a change that nobody reported.
    if awaitsVerdicts, restUntil == nil { return true }
    // By index: an element handed to a closure would be copied, with all it refers to.
    for index in monitors.indices where monitors[index].candidate != nil { return true }
    return false
  }
}

typealias LiveAlert = PolicyMemory.Alert
typealias NamedTimer = PolicyMemory.Timer
typealias Turn = PolicyMemory.Turn

extension PolicyMemory.Alert {
  /// The time for which an `expiry` wake-up is asked.
  var armedExpiry: Duration? { isExpiryHeld ? nil : expires }
}

extension PolicyMemory.Turn {
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
