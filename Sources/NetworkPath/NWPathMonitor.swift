public import Dispatch
internal import PathCore

/// Tells what path a program would get, now and whenever that changes.
///
///     let monitor = NWPathMonitor()
///     monitor.pathUpdateHandler = { path in print(path.status) }
///     monitor.start(queue: .main)
///
/// The handler is told the present path first, and then every path that differs from the one
/// before, one at a time, even on a concurrent queue. After `cancel()` it may be started again.
public final class NWPathMonitor: Sendable, CustomDebugStringConvertible {
  let core: MonitorCore

  /// Watches whatever an ordinary connection would use.
  public convenience init() { self.init(filter: NWPathFilter()) }

  /// Watches interfaces of one type; what else changes is not told.
  public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
    self.init(filter: NWPathFilter(required: requiredInterfaceType))
  }

  /// Watches every interface but those of some types.
  public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
    self.init(filter: NWPathFilter(prohibited: prohibitedInterfaceTypes))
  }

  /// Watches what a filter accepts. Not in Apple's API.
  ///
  /// A change is told when it has held for `settle`; the default tells each at once. With a
  /// `network`, a script takes the kernel's place.
  public init(
    filter: NWPathFilter = NWPathFilter(), settle: Duration = .zero,
    network: ScriptedNetwork? = nil
  ) {
    core = MonitorCore(
      filter: filter.core, settle: settle < .zero ? .zero : settle,
      source: network ?? KernelSource.shared, script: network)
  }

  deinit { core.abandon() }

  /// Called on the queue with each path. One that is set late is told the present path too.
  @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { core.handler }
    set { core.setHandler(newValue) }
  }

  /// The path as it is now, whether the monitor was started or not, on any thread. What is set here
  /// is read until the next change; that it can be set is an oddity of Apple's API.
  public var currentPath: NWPath {
    get { core.currentPath }
    set { core.setCurrentPath(newValue) }
  }

  /// The queue that `start` was given; nil while the monitor is not started.
  public var queue: DispatchQueue? { core.queue }

  /// Begins to tell; does nothing in a monitor that was started and not cancelled.
  public func start(queue: DispatchQueue) { core.start(queue) }

  /// Ends telling, and iterations. Called on the queue, no handler is called after it returns;
  /// from elsewhere, one that is running may still be.
  public func cancel() { core.cancel() }

  public var debugDescription: String {
    "NWPathMonitor (\(queue == nil ? "not started" : "started")), \(currentPath.debugDescription)"
  }
}
