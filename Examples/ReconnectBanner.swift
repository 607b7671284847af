import NetworkPath
import Observation

/// "Not connected" while there is no path, then "Back online" for five seconds. An outage within the
/// five seconds goes from one to the other: the time that hides a banner ends with the banner.
@MainActor @Observable final class ReconnectBanner {
  enum Banner { case hidden, notConnected, backOnline }

  private(set) var banner = Banner.hidden

  /// Follows the monitor until the task is cancelled.
  func follow(_ monitor: NWPathMonitor) async {
    var hiding: Task<Void, Never>?
    for await change in monitor.changes where change.isInitial || change.causes.contains(.status) {
      hiding?.cancel()
      hiding = nil
      if change.path.status != .satisfied {
        banner = .notConnected
      } else if !change.isInitial {
        banner = .backOnline
        hiding = Task {
          guard (try? await monitor.sleep(for: .seconds(5))) != nil, !Task.isCancelled else {
            return
          }
          banner = .hidden
        }
      }
    }
    hiding?.cancel()
  }
}
