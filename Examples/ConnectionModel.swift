import NetworkPath
import Observation

/// State that a view observes: what it shows follows from the path alone.
@MainActor @Observable final class ConnectionModel {
  private let status: NetworkStatus

  init(_ monitor: NWPathMonitor) { status = NetworkStatus(monitor) }

  var title: String {
    guard status.isConnected else { return "Offline" }
    return status.isExpensive ? "Online (metered)" : "Online"
  }

  var maySyncPhotos: Bool {
    status.isConnected && !status.isExpensive && !status.isConstrained
  }
}
