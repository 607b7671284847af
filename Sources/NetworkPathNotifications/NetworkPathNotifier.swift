#if os(Linux)
public import Dispatch
public import Foundation
public import NetworkPath

/// For code that listens to notifications.
extension Notification.Name {
  /// The path changed; `userInfo` has it under `NetworkPathNotifier.pathKey`.
  public static let networkPathDidChange = Notification.Name("NetworkPathDidChange")
}

/// Posts a notification for each change of the path, and for nothing else: the first path is not a
/// change. It posts until it is let go.
public final class NetworkPathNotifier: Sendable {
  /// The `NWPath` in `userInfo`.
  public static let pathKey = "path"

  private let monitor: NWPathMonitor

  /// Posts on `queue`; `network` is for tests.
  public init(
    filter: NWPathFilter = NWPathFilter(), settle: Duration = .zero,
    center: NotificationCenter = .default, queue: DispatchQueue = .main,
    network: ScriptedNetwork? = nil
  ) {
    monitor = NWPathMonitor(filter: filter, settle: settle, network: network)
    monitor.pathUpdateHandler = { [weak self] path in
      guard let self, path.sequence > 1 else { return }
      center.post(
        name: .networkPathDidChange, object: self, userInfo: [Self.pathKey: path])
    }
    monitor.start(queue: queue)
  }

  deinit { monitor.cancel() }
}
#endif
