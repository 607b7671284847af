#if os(Linux)
internal import PathCore

/// `for await path in NWPathMonitor()`: the present path, then every change, until the task or the
/// monitor is cancelled. Each iteration listens for itself, whether the monitor was started or not.
extension NWPathMonitor: AsyncSequence {
  /// A path.
  public typealias Element = NWPath
  /// Iteration never throws.
  public typealias Failure = Never
  /// The name that `AsyncSequence` has for it.
  public typealias AsyncIterator = Iterator

  /// Listens until it is let go.
  public struct Iterator: AsyncIteratorProtocol {
    private var changes: NWPathChanges.Iterator

    init(_ changes: NWPathChanges.Iterator) { self.changes = changes }

    /// The next path that differs; nil after the task or the monitor was cancelled.
    public mutating func next() async -> NWPath? { await changes.next()?.path }
  }

  /// Listens from now on; the first element is the present path.
  public func makeAsyncIterator() -> Iterator { Iterator(NWPathChanges.Iterator(core, .shown)) }

  /// The changes, each with what differs. Not in Apple's API.
  ///
  /// They are of all that is known: a reason, an alternative or another network behind the same
  /// address is a change here, but none for a handler or for iteration over the monitor itself.
  public var changes: NWPathChanges { NWPathChanges(core: core) }
}

/// A path that a monitor tells, and how it differs from the one told before.
public struct NWPathChange: Sendable {
  /// What can differ from one path to the next.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// Satisfied or not.
    case status
    /// Why it is not satisfied.
    case reason
    /// The interface that carries, or those that could.
    case interface
    /// Gateways, or which network it is.
    case network
    /// IPv4 or IPv6 came or went.
    case families
    /// Whether names can be resolved.
    case dns
    /// Expensive or constrained.
    case cost
  }

  /// The path now.
  public let path: NWPath
  /// The path before it; nil for the first.
  public let previous: NWPath?
  /// Empty for the first.
  public let causes: Set<Cause>
  /// Whether this is the path that an iteration begins with.
  public var isInitial: Bool { previous == nil }

  init(_ told: PathBoard.Told) {
    path = told.path
    previous = told.previous
    causes = Set(told.causes.words.compactMap(Cause.init))
  }
}

/// The changes that a monitor tells, for `for await`.
public struct NWPathChanges: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = NWPathChange
  /// Iteration never throws.
  public typealias Failure = Never
  /// The name that `AsyncSequence` has for it.
  public typealias AsyncIterator = Iterator

  let core: MonitorCore

  /// Listens from now on; the first element is the present path.
  public func makeAsyncIterator() -> Iterator { Iterator(core, .known) }

  /// Listens until it is let go.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription
    private var iterator: AsyncStream<NWPathChange>.Iterator
    private let scope: NWPath.Scope
    private var last: NWPath?

    /// Whoever reads more slowly than the network changes misses what is older than this many.
    private static let kept = 16

    init(_ core: MonitorCore, _ scope: NWPath.Scope) {
      let (stream, continuation) = AsyncStream.makeStream(
        of: NWPathChange.self, bufferingPolicy: .bufferingNewest(Self.kept))
      iterator = stream.makeAsyncIterator()
      self.scope = scope
      subscription = Subscription(core, scope, continuation)
    }

    /// The next change; nil after the task or the monitor was cancelled.
    public mutating func next() async -> NWPathChange? {
      while let change = await iterator.next() {
        // What lay between two equal paths was missed.
        if let last, change.path.equals(last, in: scope) { continue }
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

    init(
      _ core: MonitorCore, _ scope: NWPath.Scope,
      _ continuation: AsyncStream<NWPathChange>.Continuation
    ) {
      self.core = core
      self.continuation = continuation
      let source = core.source
      let listener = source.add(
        PathBoard.Listener(query: core.query, settle: core.settle, scope: scope) { told in
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
#endif
