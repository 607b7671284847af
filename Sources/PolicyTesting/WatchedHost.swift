package import PathCore
package import PathPolicy

/// The policy under test, and what it was seen doing.
final class WatchedHost: PolicyHost {
  let runtime: PolicyRuntime
  private(set) var record: PolicyRecord
  /// Fuel of all calls of the run.
  private(set) var fuel: Int64 = 0
  /// Reads a clock, where time is measured.
  private let clock: (() -> Duration)?

  init(_ runtime: PolicyRuntime, clock: (() -> Duration)?) {
    self.runtime = runtime
    self.clock = clock
    record = PolicyRecord()
  }

  func call(_ request: HandlerRequest) -> HandlerReply {
    let began = clock?()
    let reply = runtime.call(request)
    let time = began.flatMap { began in clock.map { $0() - began } } ?? .zero
    let used = runtime.fuelUsed(by: request.policy)
    fuel += used
    record.note(request.event.handler, fuel: used, time: time)
    if case .done(let outcome) = reply {
      for intent in outcome.intents { record.verbs.insert(intent.verb) }
    }
    return reply
  }

  func reset(_ policy: String, state: PlainData) { runtime.reset(policy, state: state) }

  /// What was recorded so far is handed over.
  func takeRecord(of policy: String) -> PolicyRecord {
    var taken = record
    taken.ranLines.formUnion(runtime.ranLines(of: policy))
    record = PolicyRecord()
    return taken
  }
}

/// What a policy did in tests.
package struct PolicyRecord: Sendable {
  /// Of one handler.
  package struct Use: Sendable {
    package var calls: Int64 = 0
    package var fuel: Int64 = 0
    package var mostFuel: Int64 = 0
    package var time: Duration = .zero
  }

  package var uses: [Handler: Use] = [:]
  /// The verbs of `ctx` whose decisions took effect: `alert.raise`, `timer.start`, …
  package var verbs: Set<String> = []
  package var ranLines = LineSet()

  package init() {}

  mutating func note(_ handler: Handler, fuel: Int64, time: Duration) {
    var use = uses[handler] ?? Use()
    use.calls += 1
    use.fuel += fuel
    use.mostFuel = max(use.mostFuel, fuel)
    use.time += time
    uses[handler] = use
  }

  package mutating func add(_ other: PolicyRecord) {
    for (handler, more) in other.uses {
      var use = uses[handler] ?? Use()
      use.calls += more.calls
      use.fuel += more.fuel
      use.mostFuel = max(use.mostFuel, more.mostFuel)
      use.time += more.time
      uses[handler] = use
    }
    verbs.formUnion(other.verbs)
    ranLines.formUnion(other.ranLines)
  }
}

extension Intent {
  /// As policies write it.
  var verb: String {
    switch self {
    case .raise: "alert.raise"
    case .resolve: "alert.resolve"
    case .startTimer: "timer.start"
    case .cancelTimer: "timer.cancel"
    case .publish: "publish"
    case .log: "log"
    case .act(let request): request.retry == nil ? request.action.kind.rawValue : "retry"
    case .cancelAction: "cancel"
    }
  }
}
