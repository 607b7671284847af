import Dispatch
import Foundation
import NetworkPath
import NetworkPathNotifications

/// For code that listens to notifications: one poster, and a listener for each that wants to know.
final class Broadcast {
  private let notifier: NetworkPathNotifier
  private let center: NotificationCenter
  private var observers: [any NSObjectProtocol] = []

  init(_ network: ScriptedNetwork? = nil, center: NotificationCenter, queue: DispatchQueue) {
    self.center = center
    notifier = NetworkPathNotifier(center: center, queue: queue, network: network)
  }

  func onChange(_ body: @escaping @Sendable (NWPath) -> Void) {
    observers.append(
      center.addObserver(forName: .networkPathDidChange, object: notifier, queue: nil) { note in
        if let path = note.userInfo?[NetworkPathNotifier.pathKey] as? NWPath { body(path) }
      })
  }

  deinit { for observer in observers { center.removeObserver(observer) } }
}
