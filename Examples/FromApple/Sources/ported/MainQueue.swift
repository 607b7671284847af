import Network

/// A model of the main actor, which needs the main queue and imports nothing for it.
@MainActor final class Connectivity {
  private(set) var isOnline = false
  private(set) var updates = 0
  private let monitor: NWPathMonitor

  init(monitor: NWPathMonitor = NWPathMonitor(prohibitedInterfaceTypes: [.cellular])) {
    self.monitor = monitor
  }

  func start(_ changed: @escaping @MainActor @Sendable (Bool) -> Void) {
    monitor.pathUpdateHandler = { path in
      let isOnline = path.status == .satisfied
      DispatchQueue.main.async { [weak self] in
        guard let self else { return }
        self.isOnline = isOnline
        self.updates += 1
        changed(isOnline)
      }
    }
    monitor.start(queue: .main)
  }

  func stop() {
    monitor.cancel()
  }
}
