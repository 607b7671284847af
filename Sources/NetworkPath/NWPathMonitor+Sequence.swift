internal import PathCore

/// `for await path in NWPathMonitor()`: the present path, then every change, until the task or the
/// monitor is cancelled. Each iteration listens for itself, whether the monitor was started or not.
extension NWPathMonitor: AsyncSequence {
  public typealias Element = NWPath
  public typealias Failure = Never
  public typealias AsyncIterator = Iterator

  public struct Iterator: AsyncIteratorProtocol {
    private var changes: NWPathChanges.Iterator

    init(_ changes: NWPathChanges.Iterator) { self.changes = changes }

    public mutating func next() async -> NWPath? { await changes.next()?.path }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(changes.makeAsyncIterator()) }

  /// The same with what changed. Not in Apple's API.
  public var changes: NWPathChanges { NWPathChanges(core: core) }
}

/// A path that a monitor tells, and how it differs from the one told before.
public struct NWPathChange: Sendable {
  /// What can differ from one path to the next.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    case status, reason
    /// The interface that carries, or those that could.
    case interface
    /// Gateways, or which network it is.
    case network
    /// IPv4 or IPv6 came or went.
    case families
    case dns
    /// Expensive or constrained.
    case cost
  }

  public let path: NWPath
  /// The path before it; nil for the first.
  public let previous: NWPath?
  /// Empty for the first.
  public let causes: Set<Cause>
  public var isInitial: Bool { previous == nil }

  init(_ told: PathBoard.Told) {
    path = told.path
    previous = told.previous
    causes = Set(told.causes.words.compactMap(Cause.init))
  }
}

/// The changes that a monitor tells, for `for await`.
public struct NWPathChanges: AsyncSequence, Sendable {
  public typealias Element = NWPathChange
  public typealias Failure = Never
  public typealias AsyncIterator = Iterator

  let core: MonitorCore

  public func makeAsyncIterator() -> Iterator { Iterator(core) }

  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription
    private var iterator: AsyncStream<NWPathChange>.Iterator
    private var last: NWPath?

    /// Whoever reads more slowly than the network changes misses what is older than this many.
    private static let kept = 16

    init(_ core: MonitorCore) {
      let (stream, continuation) = AsyncStream.makeStream(
        of: NWPathChange.self, bufferingPolicy: .bufferingNewest(Self.kept))
      iterator = stream.makeAsyncIterator()
      subscription = Subscription(core, continuation)
    }

    public mutating func next() async -> NWPathChange? {
      while let change = await iterator.next() {
        // What lay between two equal paths was missed.
        if change.path == last { continue }
        last = change.path
        return change
      }
      return nil
    }
  }

  /// Ends when nobody holds it, when the task is cancelled, or when the monitor is.
  private final class Subscription: Sendable {
    private let core: MonitorCore
    private let listener: Int
    private let iteration: Int
    private let continuation: AsyncStream<NWPathChange>.Continuation

    init(_ core: MonitorCore, _ continuation: AsyncStream<NWPathChange>.Continuation) {
      self.core = core
      self.continuation = continuation
      let source = core.source
      let listener = source.add(
        PathBoard.Listener(filter: core.filter, settle: core.settle) { told in
          continuation.yield(NWPathChange(told))
        })
      let iteration = core.addIteration { continuation.finish() }
      self.listener = listener
      self.iteration = iteration
      continuation.onTermination = { _ in
        source.remove(listener)
        core.removeIteration(iteration)
      }
    }

    deinit { continuation.finish() }
  }
}
