import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The policies that people get, side by side as `make run` has them, through the real engine. The
/// test is the world: it says what the network does, answers actions and presses buttons.
final class Desk {
  let simulator = Simulator()
  private let directory: PolicyDirectory
  private var answered: Set<ActionID> = []

  /// `before`: an earlier run that was killed, and is remembered.
  init(_ config: String = "return {}", after before: Desk? = nil) throws {
    directory = try PolicyDirectory(reading: Repository.path("policies"))
    #expect(directory.refused == [])
    var memories: [String: PolicyMemory] = [:]
    for script in directory.scripts {
      memories[script.name] = before?.simulator.engine.memory(of: script.name)
    }
    simulator.advance(before?.simulator.awake ?? .zero)
    try load(config, reason: .start, memories: memories)
  }

  /// Another configuration is another version of each policy it has settings for.
  func reload(_ config: String) throws { try load(config, reason: .reload) }

  private func load(
    _ config: String, reason: StartReason, memories: [String: PolicyMemory] = [:]
  ) throws {
    let settings = try ConfigurationReader.parse(Array(config.utf8), file: "config.lua")
    simulator.load(directory.scripts, reason: reason, memories: memories) { name in
      var own = settings.settings(for: name)
      own.deadline = nil
      return own
    }
    let rejected = simulator.log.compactMap {
      if case .policy(_, .rejected, let detail) = $0.order { detail } else { nil }
    }
    #expect(rejected == [])
  }

  // MARK: The network

  func up() { simulator.feed(.snapshot(.online())) }
  func down() { simulator.feed(.snapshot(.offline())) }
  func pass(_ milliseconds: Int) { simulator.advance(.milliseconds(milliseconds)) }
  func pass(minutes: Int) { simulator.advance(.seconds(minutes * 60)) }

  /// These work, the first of them carries.
  func uplinks(_ working: InterfaceType..., expensive: Bool = false) {
    simulator.feed(.snapshot(.uplinks(working, isExpensive: expensive)))
  }

  func sleep(hours: Int) {
    simulator.feed(.asleep)
    simulator.sleep(.seconds(hours * 3600))
    simulator.feed(.resumed)
  }

  // MARK: The person

  func press(_ policy: String, _ key: String, _ button: String) {
    simulator.feed(.button(policy: policy, key: key, button: button))
  }

  func close(_ policy: String, _ key: String) {
    simulator.feed(.dismissed(policy: policy, key: key))
  }

  // MARK: Actions

  /// The actions at work, the oldest first.
  var atWork: [ActionID] { simulator.begun.map(\.id).filter { !answered.contains($0) } }

  /// The actions of one policy that were begun.
  func begun(_ policy: String) -> [(id: ActionID, action: Action)] {
    simulator.begun.filter { $0.id.policy == policy }
  }

  /// Their text forms, without the timeout.
  func acts(_ policy: String) -> [String] {
    begun(policy).map { entry in
      let text = "\(entry.action)"
      return text.firstRange(of: " within ").map { String(text[..<$0.lowerBound]) } ?? text
    }
  }

  func isAtWork(_ policy: String, _ key: String) -> Bool {
    atWork.contains { $0.policy == policy && $0.key == key }
  }

  /// The one that is at work with this key ends like this.
  func answer(
    _ policy: String, _ key: String, _ result: ActionResult,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let open = atWork.filter { $0.policy == policy && $0.key == key }
    #expect(open.count == 1, "\(open)", sourceLocation: location)
    for id in open {
      answered.insert(id)
      simulator.feed(.result(id, result))
    }
  }

  // MARK: What is seen

  func alert(_ policy: String, _ key: String) -> AlertContent? {
    simulator.alerts[policy + "/" + key]
  }

  var banner: AlertContent? { alert("reconnect-banner", "connection") }
  var popup: AlertContent? { alert("offline-popup", "offline") }

  /// States of one policy's alerts so far.
  func states(_ policy: String) -> [AlertNotice.State] {
    simulator.notices.compactMap { $0.notice.policy == policy ? $0.notice.state : nil }
  }

  func value(_ policy: String, _ name: String) -> String? {
    simulator.published["\(policy)/\(name)"].flatMap { PlainReader.decode($0) }.map { value in
      value.text ?? value.bool.map { "\($0)" } ?? "?"
    }
  }

  /// What a value was, one after the other.
  func values(_ policy: String, _ name: String) -> [String] {
    simulator.log.compactMap {
      guard case .publish(let notice) = $0.order, notice.policy == policy, notice.name == name
      else { return nil }
      let value = notice.value.flatMap { PlainReader.decode($0) }
      return value?.text ?? value?.bool.map { "\($0)" } ?? "?"
    }
  }

  var faults: [String] { simulator.faults.map(\.located) }
}
