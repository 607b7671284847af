import NetworkPath

/// Where an app begins: with what kind of connection, or why it cannot.
enum LaunchGate: Equatable {
  case main(NWInterface.InterfaceType)
  case offline(String)

  /// Waits a little for a machine that is just connecting.
  static func decide(_ monitor: NWPathMonitor, patience: Duration = .seconds(5)) async -> LaunchGate
  {
    do {
      let path = try await monitor.waitUntilSatisfied(timeout: patience)
      return .main(path.availableInterfaces.first?.type ?? .other)
    } catch {
      return .offline(monitor.currentPath.why)
    }
  }
}
