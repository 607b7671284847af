#if os(Linux)
internal import PathCore

/// There was no usable path before the time was over.
public struct NWPathTimeout: Error, Sendable, CustomStringConvertible {
  /// The path as it was then.
  public let path: NWPath

  /// One sentence with the reason.
  public var description: String { "no usable path in time: \(path.why)" }
}

extension NWPathMonitor {
  /// Returns a satisfied path as soon as there is one: at once if there is. Throws `NWPathTimeout`
  /// when the time is over, and `CancellationError` when the task is cancelled. Not in Apple's API.
  public func waitUntilSatisfied(timeout: Duration? = nil) async throws -> NWPath {
    try await first(timeout) { $0.status == .satisfied }
  }

  /// Waits this long by the clock that the monitor settles changes by: the system's, which stands
  /// still while the machine sleeps, or a scripted network's. Throws `CancellationError` when the
  /// task is cancelled. Not in Apple's API.
  public func sleep(for time: Duration) async throws {
    do { _ = try await first(time) { _ in false } } catch is NWPathTimeout {}
  }

  private func first(
    _ timeout: Duration?, where isWanted: @escaping @Sendable (NWPath) -> Bool
  ) async throws -> NWPath {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NWPath.self, bufferingPolicy: .bufferingOldest(1))
    let source = core.source
    let listener = source.add(
      PathBoard.Listener(
        query: core.query, settle: core.settle, deadline: timeout.map { source.now + $0 },
        expire: { continuation.finish() },
        tell: { told in if isWanted(told.path) { continuation.yield(told.path) } }))
    defer { source.remove(listener) }
    for await path in stream { return path }
    try Task.checkCancellation()
    throw NWPathTimeout(path: source.path(for: core.query))
  }
}
#endif
