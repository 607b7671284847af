import PathCore
import PathTestKit

/// Policies that ask for what a test says, when it says so, and note what they are told.
final class ActionRig {
  let world: ScriptedWorld
  /// What `on_result` was told: `1500ms page failed #2 no`.
  private(set) var heard: [String] = []
  /// What a policy decides when it is told.
  var answer: (String, ActionOutcome, inout HandlerOutcome) throws -> Void = { _, _, _ in }
  /// What a policy decides when its path changed.
  var onPath: (HandlerRequest, inout HandlerOutcome) -> Void = { _, _ in }
  private var next: (inout HandlerOutcome) throws -> Void = { _ in }
  private let names: [String]

  /// Each policy waits for nothing when its path changes; the path is satisfied unless told not to.
  init(
    _ names: String..., seed: UInt64 = 1, isUp: Bool = true,
    monitors: [MonitorDeclaration] = [MonitorDeclaration(name: "internet", settle: .fixed(.zero))]
  ) {
    world = ScriptedWorld(seed: seed)
    self.names = names.isEmpty ? ["p"] : names
    for name in self.names { script(name) }
    load(reason: .start, monitors: monitors)
    if isUp { world.up() }
  }

  private func script(_ name: String) {
    world.host.on(name, .start) { _, outcome in outcome.raise("b", "x", buttons: ["go"]) }
    world.host.on(name, .path) { [unowned self] request, outcome in onPath(request, &outcome) }
    world.host.on(name, .button) { [unowned self] _, outcome in try next(&outcome) }
    world.host.on(name, .result) { [unowned self] request, outcome in
      guard case .result(let told) = request.event else { return }
      let time = world.awake.nanoseconds / 1_000_000
      var line = "\(time)ms \(told.key) \(told.result.ending.rawValue) #\(told.attempt)"
      if names.count > 1 { line = "\(name): \(line)" }
      if !told.result.error.isEmpty { line += " \(told.result.error)" }
      heard.append(line)
      try answer(name, told, &outcome)
    }
  }

  func load(
    reason: StartReason = .reload, without gone: Set<String> = [], isEnabled: Bool = true,
    changed: Bool = true,
    monitors: [MonitorDeclaration] = [MonitorDeclaration(name: "internet", settle: .fixed(.zero))]
  ) {
    let left = names.filter { !gone.contains($0) }
    let loaded = left.map { name in
      var declaration = world.host.declaration(name, isEnabled: isEnabled)
      declaration.monitors = monitors
      return declaration
    }
    world.feed(
      .policies(PolicySet(reason: reason, loaded: loaded, changed: changed ? Set(left) : [])))
  }

  /// Lets a policy decide something.
  @discardableResult
  func act(
    _ policy: String = "p", _ body: @escaping (inout HandlerOutcome) throws -> Void
  ) -> [Order] {
    next = body
    return world.feed(.button(policy: policy, key: "b", button: "go"))
  }

  @discardableResult
  func ask(_ requests: ActionRequest...) -> [Order] {
    act { outcome in outcome.intents += requests.map { .act($0) } }
  }

  @discardableResult
  func ask(_ policy: String, _ requests: ActionRequest...) -> [Order] {
    act(policy) { outcome in outcome.intents += requests.map { .act($0) } }
  }

  @discardableResult
  func cancel(_ key: String, _ policy: String = "p") -> [Order] {
    act(policy) { $0.intents.append(.cancelAction(key: key)) }
  }

  /// The newest start with this key ends.
  @discardableResult
  func end(
    _ key: String, _ ending: ActionResult.Ending = .failed, _ error: String = "no",
    policy: String = "p"
  ) -> [Order] {
    guard let id = ids.last(where: { $0.key == key && $0.policy == policy }) else { return [] }
    return world.feed(.result(id, ActionResult(ending, error: ending == .succeeded ? "" : error)))
  }

  // MARK: What became of it

  var ids: [ActionID] {
    world.log.compactMap { if case .perform(let id, _, _) = $0.order { id } else { nil } }
  }

  /// `1500ms page`.
  var starts: [String] { startTimes.map { "\($0.milliseconds)ms \($0.key)" } }

  var startTimes: [(milliseconds: Int64, key: String)] {
    world.log.compactMap { entry in
      guard case .perform(let id, _, _) = entry.order else { return nil }
      return (entry.at.nanoseconds / 1_000_000, id.key)
    }
  }

  var cancels: [ActionID] {
    world.log.compactMap { if case .cancel(let id) = $0.order { id } else { nil } }
  }

  /// `page waiting waits for the path`.
  var reports: [String] {
    world.log.compactMap { entry in
      guard case .action(let report) = entry.order else { return nil }
      return "\(report.key) \(report.state.rawValue)"
        + (report.detail.isEmpty ? "" : " \(report.detail)")
    }
  }

  /// When the next try of a key comes, from now on; nil when none is planned.
  func nextTry(_ key: String = "k", policy: String = "p") -> Duration? {
    world.timers[TimerID(.retry, policy: policy, name: key)].map { $0.at - world.boot }
  }
}

extension ActionRequest {
  /// A command; its name tells requests of one key apart.
  static func exec(
    _ key: String = "k", _ command: String = "c", onlyWhile: PathStatus? = nil,
    limit: RateLimit? = nil, disturbs: Duration? = nil, retry: RetryRule? = nil
  ) -> ActionRequest {
    ActionRequest(
      key: key, action: .exec(ExecRequest(command: command)), onlyWhile: onlyWhile, limit: limit,
      disturbs: disturbs, retry: retry)
  }
}
