import Dispatch
import NetworkPath
import Synchronization

/// Notes what a handler is told, and whether it was ever called while it ran.
final class Ears: Sendable {
  private struct State {
    var heard: [NWPath] = []
    var inside = 0
    var overlapped = false
  }

  private let state = Mutex(State())
  let queue: DispatchQueue

  init(concurrent: Bool = false) {
    queue = DispatchQueue(label: "ears", attributes: concurrent ? .concurrent : [])
  }

  var heard: [NWPath] { state.withLock { $0.heard } }
  var statuses: [NWPath.Status] { heard.map(\.status) }
  /// The first interface of each path, or its status.
  var story: [String] { heard.map { $0.availableInterfaces.first?.name ?? "\($0.status)" } }
  var overlapped: Bool { state.withLock { $0.overlapped } }

  var handler: @Sendable (NWPath) -> Void {
    { path in
      self.state.withLock { state in
        state.inside += 1
        if state.inside > 1 { state.overlapped = true }
        state.heard.append(path)
      }
      self.state.withLock { $0.inside -= 1 }
    }
  }

  func listen(to monitor: NWPathMonitor) {
    monitor.pathUpdateHandler = handler
    monitor.start(queue: queue)
  }
}

extension ScriptedNetwork {
  static func wifi() -> ScriptedNetwork { ScriptedNetwork([.wifi("wlan0")]) }
  static func everything() -> ScriptedNetwork {
    ScriptedNetwork([.wired("eth0"), .wifi("wlan0"), .cellular("wwan0")])
  }
}
