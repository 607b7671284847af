#if os(Linux)
internal import PathCore

/// Where paths come from: the kernel, or a script.
protocol PathSource: Sendable {
  /// The listener is told the present path first, then every change, until it is removed.
  func add(_ listener: PathBoard.Listener) -> Int
  func remove(_ id: Int)
  /// The present path, whether anybody listens or not.
  func path(for query: PathQuery) -> NWPath
  /// The time that settling and deadlines are counted in.
  var now: Duration { get }
}
#endif
