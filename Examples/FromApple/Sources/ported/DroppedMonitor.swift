import Network

/// Starts a monitor that nobody keeps. The handler is called as long as the process runs.
func logConnectivity(_ log: @escaping @Sendable (String) -> Void) {
  let monitor = NWPathMonitor()
  monitor.pathUpdateHandler = { path in
    switch path.status {
    case .satisfied:
      let names = path.availableInterfaces.map(\.name).joined(separator: ", ")
      log("online: \(names)")
    case .requiresConnection:
      log("a connection has to be made first")
    case .unsatisfied:
      switch path.unsatisfiedReason {
      case .cellularDenied: log("cellular data is off")
      case .wifiDenied: log("Wi-Fi is off")
      default: log("offline")
      }
    @unknown default:
      log("unknown")
    }
    if path.isExpensive || path.isConstrained {
      log("saving data")
    }
  }
  // `DispatchQueue` without an import of Dispatch.
  monitor.start(queue: DispatchQueue(label: "connectivity"))
}
