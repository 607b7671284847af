public import Observation

/// The path as something a view observes. It is right from the start, and changes when the path
/// does; nothing in it waits for a timer.
///
///     let status = NetworkStatus()
///     if status.isConnected { … }
@MainActor @Observable public final class NetworkStatus {
  /// The path that was told last.
  public private(set) var path: NWPath

  public var isConnected: Bool { path.status == .satisfied }
  /// The type of the interface that carries; nil while nothing does.
  public var connectionType: NWInterface.InterfaceType? {
    isConnected ? path.availableInterfaces.first?.type : nil
  }
  public var isExpensive: Bool { path.isExpensive }
  public var isConstrained: Bool { path.isConstrained }

  @ObservationIgnored private var task: Task<Void, Never>?

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
