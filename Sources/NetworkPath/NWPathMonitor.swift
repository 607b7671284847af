#if os(Linux)
internal import PathCore

/// Tells what path a program would get, now and whenever that changes.
///
///     let monitor = NWPathMonitor()
///     monitor.pathUpdateHandler = { path in print(path.status) }
///     monitor.start(queue: .main)
///
/// The handler is called with the present path first, and then with every path that differs from
/// the one before, one at a time, even on a concurrent queue. A monitor that is started and has a
/// handler runs until `cancel()`, or until the handler is set to nil, whether anybody holds it or
/// not. After `cancel()` it may be started again.
public final class NWPathMonitor: Sendable, CustomDebugStringConvertible {
  let core: MonitorCore

  /// Watches whatever an ordinary connection would use.
  public convenience init() { self.init(filter: NWPathFilter()) }

  /// Watches interfaces of one type; changes of others are not reported.
  public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
    self.init(filter: NWPathFilter(required: requiredInterfaceType))
  }

  /// Watches every interface but those of some types.
  public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
    self.init(filter: NWPathFilter(prohibited: prohibitedInterfaceTypes))
  }

  /// Watches what a filter accepts. Not in Apple's API.
  ///
  /// A change is reported when it has lasted for `settle`; by default each is at once. With a
  /// `network`, a script takes the kernel's place.
  public init(
    filter: NWPathFilter = NWPathFilter(), settle: Duration = .zero,
    network: ScriptedNetwork? = nil
  ) {
    core = MonitorCore(
      query: .route(filter.core), settle: settle < .zero ? .zero : settle,
      source: network ?? KernelSource.shared, script: network)
  }

  private init(query: PathQuery, network: ScriptedNetwork?) {
    core = MonitorCore(
      query: query, settle: .zero, source: network ?? KernelSource.shared, script: network)
  }

  /// A monitor of the links that frames of one's own can be sent over: cables with a carrier,
  /// whether a route leads out by them or not. Of virtual cables, such as a container's, only those
  /// that have an address are seen.
  public static var ethernetChannel: NWPathMonitor { ethernetChannel(network: nil) }

  /// The same over a scripted network, for tests. Not in Apple's API.
  public static func ethernetChannel(network: ScriptedNetwork?) -> NWPathMonitor {
    NWPathMonitor(query: .ethernetChannel, network: network)
  }

  deinit { core.abandon() }

  /// Called on the queue with each path; a first one that is set after the start is called with
  /// the present path too. While there is one, a started monitor keeps itself alive.
  @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { core.handler }
    set { core.setHandler(newValue, of: self) }
  }

  /// The path as it is now, whether the monitor was started or not, on any thread.
  ///
  /// While no monitor of the process is started, the kernel is asked whether something changed, and
  /// read again only if so. What is set here is read until the next change; that it can be set is
  /// an oddity of Apple's API.
  public var currentPath: NWPath {
    get { core.currentPath }
    set { core.setCurrentPath(newValue) }
  }

  /// The queue that `start` was given; nil while the monitor is not started.
  public var queue: DispatchQueue? { core.queue }

  /// Begins to call the handler; does nothing in a monitor that is started already.
  public func start(queue: DispatchQueue) { core.start(self, on: queue) }

  /// Ends the calls, and iterations. If this is called on the queue, the handler is not called
  /// after it returns; from elsewhere, a call that has begun may still be running.
  public func cancel() { core.cancel() }

  /// Whether it is started, and its path, for logs.
  public var debugDescription: String {
    "NWPathMonitor (\(queue == nil ? "not started" : "started")), \(currentPath.debugDescription)"
  }
}
#endif
