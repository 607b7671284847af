import PathCore
import PathSimulation

/// Which verb is whose.
extension Simulation {
  /// Does what was asked; the answer, if there is one.
  func perform(_ question: Question) throws(Objection) -> PlainValue? {
    switch question.verb {
    case "mark": mark = try started().log.count
    case "hint", "primary", "milliseconds", "drawn": return try help(question)
    case "count": return .integer(Int64(try count(question)))
    case _ where question.verb.hasPrefix("expect") || question.verb.hasPrefix("t."):
      try expect(question)
    default:
      // What the policy got wrong before this is to be expected first.
      try checkFaults()
      try happen(question)
    }
    return nil
  }

  /// Something happens to the policy.
  private func happen(_ question: Question) throws(Objection) {
    if question.verb.hasPrefix("net.") { return try changeNetwork(question) }
    switch question.verb {
    case "network": try setNetwork(question)
    case "config": try setConfig(question)
    case "path": try setPath(question)
    case "play": try setStandardNetwork()
    case "advance": try run(for: try question.duration(0))
    case "sleep": try fallAsleep(for: try question.duration(0))
    case "overrun": try overrun()
    case "press": try press(question)
    case "dismiss": try dismiss(question)
    case "finish_action": try finishAction(question)
    case "reload": try reload(question)
    case "restart": try restart(question)
    default: throw .misuse("'\(question.verb)' is no verb")
    }
  }

  /// What the prelude cannot do alone.
  private func help(_ question: Question) throws(Objection) -> PlainValue? {
    switch question.verb {
    case "hint":
      let words = (question[1].elements ?? []).compactMap(\.text)
      return .bytes(Array(PolicyTesting.hint(question[0].text ?? "", words).utf8))
    case "primary": return .bytes(Array((network.primary ?? "wlan0").utf8))
    case "milliseconds":
      let time = try Question.duration(question[0], "gen")
      return .integer(max(1, time.nanoseconds / 1_000_000))
    default:
      note(Drawn(value: question[0], simplest: question[1]))
      return nil
    }
  }

  private func setConfig(_ question: Question) throws(Objection) {
    guard !isStarted else {
      throw .misuse("sim.config comes before the policy starts: before sim.network and sim.path")
    }
    try set(config: question[0], "sim.config")
  }

  /// These settings, and no others, over those of the policy from its next load on.
  func set(config given: PlainValue, _ place: String) throws(Objection) {
    guard given.pairs != nil, let data = PlainEncoder.encode(given) else {
      throw .misuse("\(place) takes a table of settings, not \(Question.shown(given))")
    }
    config = data
    configPlace = place
  }

  private func expect(_ question: Question) throws(Objection) {
    checks += 1
    switch question.verb {
    case "expect", "expect_soft": try expectState(question)
    case "expect_count": try expectCount(question)
    case "expect_nothing": try expectNothing()
    case "expect_order": try expectOrder(question)
    case "expect_fuel": try expectFuel(question)
    case "expect_fault": try expectFault(question)
    case "t.check": try check(question)
    case "t.equal": try equal(question)
    default: throw .misuse("'\(question.verb)' is no verb")
    }
  }

  private func check(_ question: Question) throws(Objection) {
    if question[0].bool == true { return }
    throw .miss(question[1].text ?? "t.check: it does not hold")
  }

  private func equal(_ question: Question) throws(Objection) {
    let differences = Match.whole(wanted: question[1], got: question[0], "value")
    guard !differences.isEmpty else { return }
    throw .miss(question[2].text ?? "t.equal: they differ", differences)
  }
}
