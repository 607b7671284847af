import Dispatch
import NetworkPath

/// A switch for watching: off and on as often as one likes, with one monitor. What is started runs
/// until it is cancelled, so the switch turns off when it ends.
final class StopAndStart: Sendable {
  private let monitor: NWPathMonitor
  private let queue = DispatchQueue(label: "stop-and-start")

  init(_ monitor: NWPathMonitor, onChange: @escaping @Sendable (Bool) -> Void) {
    self.monitor = monitor
    monitor.pathUpdateHandler = { path in onChange(path.status == .satisfied) }
  }

  var isWatching: Bool {
    get { monitor.queue != nil }
    set { if newValue { monitor.start(queue: queue) } else { monitor.cancel() } }
  }

  deinit { monitor.cancel() }
}
