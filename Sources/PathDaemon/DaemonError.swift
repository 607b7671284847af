/// Why the daemon did not start.
package enum DaemonError: Error, Hashable, Sendable {
  case loop(LoopError)
  /// What policies keep is somebody else's, or not to be touched: somebody has to decide.
  case state(String)
  /// The recording would take the place of a file that is there.
  case record(String)

  package var message: String {
    switch self {
    case .loop(let error): error.message
    case .state(let message), .record(let message): message
    }
  }
}
