import PathCore
import PathPolicy
import PathSimulation

/// Time that passes, and what people and machines do in it.
extension Simulation {
  func fallAsleep(for time: Duration) throws(Objection) {
    try feed(.asleep)
    try started().suspend(for: time)
    try feed(.resumed)
    try look()
    try run(for: .zero)
  }

  func overrun() throws(Objection) {
    try feed(.gap(detail: "simulated"))
    try look()
  }

  /// The same text again: what a reload keeps is kept.
  func reload(_ question: Question) throws(Objection) {
    let options = try question.options(0, ["config"], isOptional: true)
    _ = try started()
    try change(options)
    try feed(.policies(try load(reason: .reload, anew: true)))
  }

  /// The process is killed, and started again with what it had stored.
  func restart(_ question: Question) throws(Objection) {
    let options = try question.options(0, ["after", "config", "reboot"], isOptional: true)
    let world = try started()
    let isReboot = try options.bool("reboot") ?? false
    let time = try options.duration("after") ?? .zero
    let stored = BootStamp(bootID: "first", at: world.now)
    let memory = world.engine.memory(of: script.name)
    try change(options)
    world.pass(time)
    if isReboot { world.reboot(uptime: Self.uptimeAtStart) }
    try replaceHost()
    let now = BootStamp(bootID: isReboot ? "second" : "first", at: world.now)
    var memories: [String: PolicyMemory] = [:]
    memories[script.name] = memory?.translated(from: stored, to: now)
    try feed(.policies(try load(reason: isReboot ? .boot : .start, memories: memories)))
    try look()
    try run(for: .zero)
  }

  /// The operator set something else meanwhile.
  private func change(_ options: Options) throws(Objection) {
    guard options["config"] != .null else { return }
    try set(config: options["config"], "\(options.what): config")
  }

  /// How long a machine takes until Netvane runs.
  private static let uptimeAtStart = Duration.seconds(20)

  // MARK: People

  func press(_ question: Question) throws(Objection) {
    let key = try question.text(0, "an alert's key")
    let button = try question.text(1, "an alert's key and a button")
    let content = try activeAlert(key)
    let buttons = content.buttons.map(\.id)
    guard buttons.contains(button) else {
      throw .misuse("the alert '\(key)' has no button '\(button)'\(hint(button, buttons))")
    }
    try feed(.button(policy: script.name, key: key, button: button))
  }

  func dismiss(_ question: Question) throws(Objection) {
    let key = try question.text(0, "an alert's key")
    _ = try activeAlert(key)
    try feed(.dismissed(policy: script.name, key: key))
  }

  private func activeAlert(_ key: String) throws(Objection) -> AlertContent {
    let prefix = script.name + "/"
    let world = try started()
    guard let content = world.alerts[prefix + key] else {
      let keys = world.alerts.keys.map { String($0.dropFirst(prefix.count)) }.sorted()
      throw .misuse(
        "no alert '\(key)' is active" + (keys.isEmpty ? "; none is" : hint(key, keys)))
    }
    return content
  }

  // MARK: Actions

  func finishAction(_ question: Question) throws(Objection) {
    let key = try question.text(0, "an action's key")
    let options = try question.options(
      1, ["error", "exit", "ok", "output", "refused", "status_code"], isOptional: true)
    _ = try started()
    guard let action = running[key] else {
      let keys = running.keys.sorted()
      throw .misuse(
        "no action '\(key)' is at work" + (keys.isEmpty ? "; none is" : hint(key, keys)))
    }
    let isOK = try options.bool("ok") ?? (options["error"] == .null)
    let isRefused = try options.bool("refused") ?? false
    var result = ActionResult(isRefused ? .refused : isOK ? .succeeded : .failed)
    result.error = try options.text("error") ?? (isOK ? "" : "it failed")
    result.exitCode = try options.integer("exit", 0...255).map { Int32(clamping: $0) }
    result.statusCode = try options.integer("status_code", 100...599).map { Int(clamping: $0) }
    result.output = Array((try options.text("output") ?? "").utf8)
    running[key] = nil
    try feed(.result(action.id, result))
  }
}
