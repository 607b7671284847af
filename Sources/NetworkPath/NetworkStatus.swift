#if os(Linux)
public import Observation

/// The path as something a view observes. It is right from the start, and changes when the path
/// does; nothing in it waits for a timer.
///
///     let status = NetworkStatus()
///     if status.isConnected { … }
@MainActor @Observable public final class NetworkStatus {
  /// The present path.
  public private(set) var path: NWPath

  /// Whether the path is satisfied.
  public var isConnected: Bool { path.status == .satisfied }
  /// The type of the interface that carries; nil while nothing does.
  public var connectionType: NWInterface.InterfaceType? {
    isConnected ? path.availableInterfaces.first?.type : nil
  }
  /// Whether traffic costs money.
  public var isExpensive: Bool { path.isExpensive }
  /// Whether the system's owner asks to save data.
  public var isConstrained: Bool { path.isConstrained }

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Follows a monitor for as long as the status is held.
  public init(_ monitor: NWPathMonitor = NWPathMonitor()) {
    path = monitor.currentPath
    task = Task { [weak self] in
      for await path in monitor {
        guard let self else { return }
        if self.path != path { self.path = path }
      }
    }
  }

  isolated deinit { task?.cancel() }
}
#endif
