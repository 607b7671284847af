package import PathCore

/// Policies as closures, and a strict witness of what the engine does with its host: whatever the
/// engine must never do is noted in `complaints`.
package final class ScriptedHost: PolicyHost {
  package typealias Body = (HandlerRequest, inout HandlerOutcome) throws -> Void

  private var bodies: [String: [Handler: Body]] = [:]
  /// Every call, in order.
  package private(set) var requests: [HandlerRequest] = []
  package private(set) var complaints: [String] = []
  package private(set) var resets: [(policy: String, state: PlainData)] = []
  /// What each policy's `ctx.state` holds.
  private var states: [String: PlainData] = [:]
  /// Policies that failed, and were not reset since.
  private var spoilt: Set<String> = []
  /// Policies that may not be called at all.
  package var resting: Set<String> = []

  /// Why a handler of a script failed.
  package struct Failure: Error {
    package var message: String

    package init(_ message: String) { self.message = message }
  }

  package init() {}

  package func on(_ policy: String, _ handler: Handler, _ body: @escaping Body) {
    bodies[policy, default: [:]][handler] = body
  }

  package func forget(_ policy: String) { bodies[policy] = nil }

  /// A declaration with the handlers that are scripted so far.
  package func declaration(
    _ name: String, settle: SettleRule = .standard, settleMax: Duration? = nil,
    every: [RecurringTimer] = [], isEnabled: Bool = true, state: PlainData = .emptyMap
  ) -> PolicyDeclaration {
    PolicyDeclaration(
      name: name, isEnabled: isEnabled,
      monitors: [MonitorDeclaration(name: "internet", settle: settle, settleMax: settleMax)],
      every: every, handlers: Set(bodies[name, default: [:]].keys), state: state)
  }

  package func call(_ request: HandlerRequest) -> HandlerReply {
    requests.append(request)
    inspect(request)
    let handler = request.event.handler
    guard let body = bodies[request.policy]?[handler] else {
      complain(request, "is not scripted")
      return .done(HandlerOutcome())
    }
    var outcome = HandlerOutcome()
    do {
      try body(request, &outcome)
    } catch {
      spoilt.insert(request.policy)
      let message = (error as? Failure)?.message ?? "\(error)"
      return .failed(
        PolicyFault(
          policy: request.policy, handler: handler, kind: .error, file: request.policy + ".lua",
          line: 7, message: message))
    }
    if let state = outcome.state { states[request.policy] = state }
    return .done(outcome)
  }

  package func reset(_ policy: String, state: PlainData) {
    resets.append((policy, state))
    spoilt.remove(policy)
    states[policy] = state
  }

  /// The state a policy would see now.
  package func state(of policy: String) -> PlainData { states[policy] ?? .emptyMap }

  /// What the engine promises of every request.
  private func inspect(_ request: HandlerRequest) {
    if resting.contains(request.policy) { complain(request, "is called while it rests") }
    if spoilt.contains(request.policy) { complain(request, "failed and was not reset") }
    if request.activeAlerts != Set(request.activeAlerts).sorted() {
      complain(request, "is given unsorted alerts")
    }
    if request.activeTimers != Set(request.activeTimers).sorted() {
      complain(request, "is given unsorted timers")
    }
    let monitors = request.delivered.map(\.monitor)
    if monitors != Set(monitors).sorted() { complain(request, "is given unsorted paths") }
    for event in request.delivered {
      if event.previous != nil { complain(request, "is given paths with predecessors") }
    }
    switch request.event {
    case .path(let event), .settle(let event): inspect(event, request)
    default: break
    }
  }

  private func inspect(_ event: PathEvent, _ request: HandlerRequest) {
    guard let previous = event.previous else {
      if !event.isInitial { complain(request, "hears a change from nothing") }
      return
    }
    if event.isInitial { complain(request, "hears a first verdict after another") }
    if previous.path == event.path { complain(request, "hears what it knows") }
    if previous.previous != nil { complain(request, "is given a chain of predecessors") }
    if event.sequence != previous.sequence + 1 { complain(request, "misses a sequence number") }
  }

  private func complain(_ request: HandlerRequest, _ what: String) {
    complaints.append("\(request.policy) \(request.event.handler.rawValue) \(what)")
  }
}

/// Deciding, in a script.
extension HandlerOutcome {
  package mutating func raise(
    _ key: String, _ title: String, expires: Duration? = nil, buttons: [String] = [],
    body: String = ""
  ) {
    intents.append(
      .raise(
        AlertContent(
          key: key, title: title, body: body,
          buttons: buttons.map { AlertButton(id: $0, label: $0) }),
        expires: expires))
  }

  package mutating func resolve(_ key: String) { intents.append(.resolve(key: key)) }

  package mutating func start(
    _ name: String, _ after: Duration, once: Bool = false, untilChange: String? = nil
  ) {
    intents.append(
      .startTimer(
        TimerRequest(name: name, after: after, isOnce: once, untilChange: untilChange)))
  }

  package mutating func cancel(_ name: String) { intents.append(.cancelTimer(name: name)) }

  package mutating func publish(_ name: String, _ text: String) {
    intents.append(.publish(name: name, .text(text)))
  }

  package mutating func log(_ text: String) { intents.append(.log(text)) }

  package mutating func act(_ request: ActionRequest) { intents.append(.act(request)) }
}

extension PlainData {
  package static func text(_ text: String) -> PlainData {
    var writer = PlainWriter()
    writer.text(text)
    return PlainData(bytes: writer.bytes)
  }
}

extension HandlerRequest {
  /// The change that the handler hears of.
  package var change: PathEvent? {
    switch event {
    case .path(let event), .settle(let event): event
    default: nil
    }
  }
}
