/// Runs a policy's functions. The engine's only question to the outside: synchronous, bounded, and
/// the same answer for the same request.
package protocol PolicyHost: AnyObject {
  func call(_ request: HandlerRequest) -> HandlerReply
  /// The policy's private memory is thrown away and made anew; `state` is what it then starts from.
  func reset(_ policy: String, state: PlainData)
}

/// What a handler is told about what happened.
package enum HandlerEvent: Sendable {
  case settle(PathEvent)
  case path(PathEvent)
  case start(reason: StartReason)
  case timer(name: String, late: Duration)
  case button(key: String, button: String)
  case dismissed(key: String)
  indirect case result(ActionOutcome)
  case system(SystemEvent)

  package var handler: Handler {
    switch self {
    case .settle: .settle
    case .path: .path
    case .start: .start
    case .timer: .timer
    case .button: .button
    case .dismissed: .dismissed
    case .result: .result
    case .system: .system
    }
  }
}

/// Why `on_start` is called.
package enum StartReason: String, CaseIterable, Hashable, Sendable {
  case boot, start, reload
}

/// What happened to the machine or to our view of it.
package enum SystemEvent: String, CaseIterable, Hashable, Sendable {
  case asleep, resumed, gap
}

/// One call of one handler: all that it may read.
package struct HandlerRequest: Sendable {
  package var policy: String
  package var event: HandlerEvent
  package var now: Moment
  package var activeAlerts: [String]
  package var activeTimers: [String]
  /// The last event each monitor delivered; the event's own may be missing.
  package var delivered: [PathEvent]
  /// Of monitors whose status is about to change: each one's name, and the status that waits.
  package var pending: [String]
  /// Feeds the policy's random generator.
  package var seed: UInt64
}

/// What came of a call.
package enum HandlerReply: Sendable {
  case done(HandlerOutcome)
  case failed(PolicyFault)
}

/// What a handler decided.
package struct HandlerOutcome: Sendable {
  package var intents: [Intent]
  /// The new `ctx.state`; nil when it is as it was.
  package var state: PlainData?
  /// What a settle function answered.
  package var settle: Duration?
  package var fuelUsed: Int64

  package init(
    intents: [Intent] = [], state: PlainData? = nil, settle: Duration? = nil, fuelUsed: Int64 = 0
  ) {
    self.intents = intents
    self.state = state
    self.settle = settle
    self.fuelUsed = fuelUsed
  }
}

/// Why a policy could not be loaded or a handler's decision was thrown away.
package struct PolicyFault: Error, Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case load, error, fuel, deadline, memory, data, limit

    /// Whether it may come later, or not at all, in another process: it depends on the clock, or on
    /// the order in which a collector works.
    package var isLimitOfMachine: Bool {
      switch self {
      case .fuel, .deadline, .memory: true
      case .load, .error, .data, .limit: false
      }
    }
  }

  package var policy: String
  package var handler: Handler?
  package var kind: Kind
  package var file: String
  /// Zero only where there is no text it could be a line of: a file or directory that cannot be
  /// read, which `file` or the message names.
  package var line: Int
  package var message: String

  package init(
    policy: String, handler: Handler?, kind: Kind, file: String, line: Int, message: String
  ) {
    self.policy = policy
    self.handler = handler
    self.kind = kind
    self.file = file
    self.line = line
    self.message = message
  }

  /// `file:line: message`, as compilers say it.
  package var located: String {
    if file.isEmpty { return message }
    return line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)"
  }
}
