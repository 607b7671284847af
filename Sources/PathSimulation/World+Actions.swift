package import PathCore

/// The world's answers to what the engine begins.
extension World {
  /// An action that was begun.
  package struct Start {
    package var at: Duration
    package var id: ActionID
    package var action: Action
    package var facts: [String: String]
  }

  package var starts: [Start] {
    log.compactMap { entry in
      guard case .perform(let id, let action, let facts) = entry.order else { return nil }
      return Start(at: entry.at, id: id, action: action, facts: facts)
    }
  }

  /// The newest start with this key ends, whether somebody waits for that or not.
  @discardableResult
  package func end(_ key: String, _ result: ActionResult, policy: String? = nil) -> [Order] {
    let start = starts.last { $0.id.key == key && (policy == nil || $0.id.policy == policy) }
    return start.map { feed(.result($0.id, result)) } ?? []
  }

  package var reports: [ActionReport] {
    log.compactMap { if case .action(let report) = $0.order { report } else { nil } }
  }
}
