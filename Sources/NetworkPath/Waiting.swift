internal import PathCore

/// There was no usable path before the time was over.
public struct NWPathTimeout: Error, Sendable, CustomStringConvertible {
  /// The path as it was then.
  public let path: NWPath

  public var description: String { "no usable path in time: \(path.why)" }
}

extension NWPathMonitor {
  /// Returns a satisfied path as soon as there is one: at once if there is. Throws `NWPathTimeout`
  /// when the time is over, and `CancellationError` when the task is cancelled. Not in Apple's API.
  public func waitUntilSatisfied(timeout: Duration? = nil) async throws -> NWPath {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NWPath?.self, bufferingPolicy: .bufferingNewest(1))
    let source = core.source
    let listener = source.add(
      PathBoard.Listener(
        filter: core.filter, settle: core.settle, deadline: timeout.map { source.now + $0 },
        expire: { continuation.finish() },
        tell: { told in
          if told.path.status == .satisfied { continuation.yield(told.path) }
        }))
    defer { source.remove(listener) }
    for await path in stream { if let path { return path } }
    try Task.checkCancellation()
    throw NWPathTimeout(path: source.path(for: core.filter))
  }
}
