import PathCore
import PathSimulation

/// What happened: how often, in which order, and at what price.
extension Simulation {
  /// The words for what is counted, in the order of the manual.
  static let events: [String] =
    ["alert.raised", "alert.updated", "alert.dismissed", "alert.expired", "alert.resolved"]
    + PathStatus.allCases.map { "path.\($0.rawValue)" }
    + [
      "action.started", "action.waiting", "action.succeeded", "action.failed", "action.refused",
      "action.dropped", "published", "log", "fault",
    ]

  /// The word for an order; nil for what is not counted. What an earlier run had up is not news.
  static func event(_ order: Order) -> String? {
    switch order {
    case .alert(let notice): notice.cause == .restored ? nil : "alert.\(notice.state.rawValue)"
    case .deliver(_, let event): "path.\(event.path.status.rawValue)"
    case .action(let report): "action.\(report.state.rawValue)"
    case .publish: "published"
    case .log: "log"
    case .fault: "fault"
    case .setTimer, .clearTimer, .persist, .perform, .cancel, .policy, .gap: nil
    }
  }

  private func event(_ question: Question, _ value: PlainValue) throws(Objection) -> String {
    let word = try Question.text(value, "\(question.shown) takes an event such as alert.raised")
    guard Self.events.contains(word) else {
      throw .misuse("there is no event '\(word)' to count\(PolicyTesting.hint(word, Self.events))")
    }
    return word
  }

  func count(_ question: Question) throws(Objection) -> Int {
    try count(of: try event(question, question[0]))
  }

  private func count(of event: String) throws(Objection) -> Int {
    let world = try started()
    try charge(world.log.count)
    return world.log.count { Self.event($0.order) == event }
  }

  func expectCount(_ question: Question) throws(Objection) {
    let event = try event(question, question[0])
    guard let wanted = question[1].integer, wanted >= 0 else {
      throw .misuse("sim.expect_count takes an event and how often, not \(question[1].kind)")
    }
    let got = Int64(try count(of: event))
    guard got != wanted else { return }
    throw .miss(
      "\(event) is counted otherwise",
      [Difference(field: event, wanted: String(wanted), got: String(got))])
  }

  /// Alerts, values, actions, log lines and faults since the mark.
  func expectNothing() throws(Objection) {
    let world = try started()
    try charge(world.log.count - mark)
    for entry in world.log.dropFirst(mark) {
      switch entry.order {
      case .alert, .publish, .action, .log, .fault:
        throw .miss("something happened: \(entry.order)")
      case .deliver, .setTimer, .clearTimer, .persist, .perform, .cancel, .policy, .gap: break
      }
    }
  }

  /// These events, in this order, whatever comes between them.
  func expectOrder(_ question: Question) throws(Objection) {
    guard let elements = question[0].elements, !elements.isEmpty else {
      throw .misuse("sim.expect_order takes a list of events such as \"alert.raised\"")
    }
    var wanted: [String] = []
    for element in elements { wanted.append(try event(question, element)) }
    let world = try started()
    try charge(world.log.count - mark)
    let seen = world.log.dropFirst(mark).compactMap { Self.event($0.order) }
    var next = 0
    for event in seen where next < wanted.count && wanted[next] == event { next += 1 }
    guard next < wanted.count else { return }
    throw .miss(
      "the order is another",
      [
        Difference(
          field: "order", wanted: wanted.joined(separator: ", "),
          got: seen.filter { wanted.contains($0) }.suffix(20).joined(separator: ", "))
      ])
  }

  func expectFuel(_ question: Question) throws(Objection) {
    let word = try question.text(0, "a handler's name and the most that it may use")
    guard let handler = Handler(rawValue: word) else {
      throw .misuse(
        "there is no handler '\(word)'"
          + PolicyTesting.hint(word, Handler.allCases.map(\.rawValue)))
    }
    guard let most = question[1].integer, most > 0 else {
      throw .misuse("sim.expect_fuel takes a handler and a number of units")
    }
    guard let use = host.record.uses[handler], use.calls > 0 else {
      throw .miss("\(word) was never called, so its fuel says nothing")
    }
    guard use.mostFuel > most else { return }
    throw .miss(
      "\(word) took more fuel",
      [Difference(field: "fuel", wanted: "at most \(most)", got: String(use.mostFuel))])
  }

  func expectFault(_ question: Question) throws(Objection) {
    let text = try question.text(0, "a part of what the fault says")
    guard let fault = faults.first else {
      throw .miss("the policy did not fail, though it should: \(LuaText.quoted(Array(text.utf8)))")
    }
    guard fault.located.contains(text) else {
      throw .miss(
        "the policy failed otherwise",
        [Difference(field: "fault", wanted: "… \(text) …", got: fault.located)])
    }
    faults.removeFirst()
  }
}
