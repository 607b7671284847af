import PathCore
import PathPolicy
import PathTestKit

/// Policies written in a test, under the real engine and a virtual clock.
struct Rig {
  let simulator = Simulator()

  /// One policy, `p.lua`.
  init(_ text: String, modules: [String: String] = [:], settings: PolicySettings = .untimed) {
    self.init(["p": text], modules: modules, settings: settings)
  }

  init(
    _ policies: [String: String], modules: [String: String] = [:],
    settings: PolicySettings = .untimed
  ) {
    load(policies, modules: modules, settings: settings)
  }

  func load(
    _ policies: [String: String], modules: [String: String] = [:], reason: StartReason = .start,
    settings: PolicySettings = .untimed
  ) {
    let scripts = policies.map { PolicyScript($0.key, $0.value, modules: modules) }
    simulator.load(scripts, reason: reason) { _ in settings }
  }

  /// A policy whose `on_path` has this body, from its second line on.
  static func onPath(_ body: String, _ table: String = "") -> Rig {
    Rig("local p = { api = 1, \(table) } function p.on_path(ctx, ev)\n\(body)\nend return p")
  }

  func online() { simulator.feed(.snapshot(.online())) }

  func offline(settling time: Duration = .seconds(6)) {
    simulator.feed(.snapshot(.offline()))
    simulator.advance(time)
  }

  var faults: [PolicyFault] {
    simulator.log.compactMap { if case .fault(let fault) = $0.order { fault } else { nil } }
  }

  var rejections: [String] {
    simulator.log.compactMap {
      if case .policy(_, .rejected, let detail) = $0.order { detail } else { nil }
    }
  }

  var logged: [String] {
    simulator.log.compactMap { if case .log(_, let text) = $0.order { text } else { nil } }
  }

  var notices: [String] {
    simulator.log.compactMap {
      if case .alert(let notice) = $0.order { "\(notice.state) \(notice.content.key)" } else { nil }
    }
  }

  /// A published value of `p`.
  func value(_ name: String) -> PlainValue? {
    simulator.published["p/\(name)"].flatMap { PlainReader.decode($0) }
  }

  /// What the first fault of `on_path` with this body says, in `p.lua:LINE: message` form.
  static func fault(onPath body: String, _ table: String = "") -> String? {
    let rig = onPath(body, table)
    rig.online()
    return rig.faults.first?.located ?? rig.rejections.first
  }

  /// What loading this text is refused for.
  static func rejection(
    _ text: String, modules: [String: String] = [:], settings: PolicySettings = .untimed
  ) -> String? {
    let rig = Rig(text, modules: modules, settings: settings)
    return rig.rejections.first
  }
}

extension PolicySettings {
  /// Only fuel ends a call: a slow machine changes no result.
  static var untimed: PolicySettings { PolicySettings(deadline: nil) }
}

extension ActionResult {
  static let done = ActionResult(.succeeded)

  static func failed(_ error: String) -> ActionResult { ActionResult(.failed, error: error) }

  /// As a machine without the grant says it.
  static let notGranted = ActionResult(.refused, error: "it is not granted")
  static let cancelled = ActionResult(.dropped, error: "it was cancelled")
}

extension PolicyScript {
  init(_ name: String, _ text: String, modules: [String: String] = [:]) {
    self.init(
      name: name, file: name + ".lua", source: Array(text.utf8),
      modules: modules.sorted { $0.key < $1.key }.map {
        PolicyModule(name: $0.key, file: "lib/\($0.key).lua", source: Array($0.value.utf8))
      })
  }
}

/// Whether a message stands at the place and says all of these.
func says(_ message: String?, _ place: String, _ parts: String...) -> Bool {
  guard let message, message.hasPrefix(place + ": ") else { return false }
  return parts.allSatisfy { message.contains($0) }
}
