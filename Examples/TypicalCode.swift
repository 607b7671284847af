import NetworkPath
import Dispatch

/// The class that one finds in many an app for Apple's systems; nothing in it is of Linux.
final class ConnectionWatcher: @unchecked Sendable {
  // Guarded by `queue`, on which the handler runs.
  private(set) var isConnected = false
  private(set) var isExpensive = false
  private(set) var connectionType: NWInterface.InterfaceType?

  var onChange: (@Sendable (String) -> Void)?

  private let monitor: NWPathMonitor
  private let queue = DispatchQueue(label: "ConnectionWatcher")

  init(monitor: NWPathMonitor = NWPathMonitor()) {
    self.monitor = monitor
  }

  func start() {
    monitor.pathUpdateHandler = { [weak self] path in
      guard let self else { return }
      self.isConnected = path.status == .satisfied
      self.isExpensive = path.isExpensive
      self.connectionType = self.type(of: path)
      if path.status == .satisfied {
        let names = path.availableInterfaces.map { $0.name }
        self.onChange?("connected by \(names.joined(separator: ", "))")
      } else {
        self.onChange?("not connected")
      }
    }
    monitor.start(queue: queue)
  }

  func stop() {
    monitor.cancel()
  }

  private func type(of path: NWPath) -> NWInterface.InterfaceType? {
    let types: [NWInterface.InterfaceType] = [.wifi, .cellular, .wiredEthernet, .loopback, .other]
    return types.first { path.usesInterfaceType($0) }
  }

  deinit {
    monitor.cancel()
  }
}
