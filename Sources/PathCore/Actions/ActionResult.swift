/// How one action ended.
package struct ActionResult: Hashable, Sendable {
  package enum Ending: String, CaseIterable, Hashable, Sendable {
    case succeeded
    case failed
    /// It was not begun, because it may not be.
    case refused
    /// It was not begun, or not finished, because nobody wants it any more.
    case dropped
  }

  package var ending: Ending
  /// For people: what went wrong. Empty when nothing did.
  package var error: String
  /// What the command ended with.
  package var exitCode: Int32?
  /// The number of the signal that ended the command.
  package var signal: Int32?
  /// The HTTP status.
  package var statusCode: Int?
  /// The first bytes of the command's output or of the answer's body; untrusted.
  package var output: [UInt8]
  /// There was more than was kept.
  package var isOutputCut: Bool

  package init(
    _ ending: Ending, error: String = "", exitCode: Int32? = nil, signal: Int32? = nil,
    statusCode: Int? = nil, output: [UInt8] = [], isOutputCut: Bool = false
  ) {
    self.ending = ending
    self.error = error
    self.exitCode = exitCode
    self.signal = signal
    self.statusCode = statusCode
    self.output = output
    self.isOutputCut = isOutputCut
  }

  package init(_ refusal: ActionRefusal) { self.init(.refused, error: refusal.message) }

  package var isOK: Bool { ending == .succeeded }
  package var wasDropped: Bool { ending == .dropped }
}

extension ActionReport {
  /// What people read of an action that ended.
  package init(_ id: ActionID, _ kind: Action.Kind, _ result: ActionResult) {
    let state: State =
      switch result.ending {
      case .succeeded: .succeeded
      case .failed: .failed
      case .refused: .refused
      case .dropped: .dropped
      }
    self.init(
      policy: id.policy, key: id.key, kind: kind.rawValue, state: state, detail: result.error)
  }
}
