import NetworkPath
import Observation

/// A page and its one error: "Try again" waits for a path, and a path that comes back loads the
/// page once, whoever asked for it.
@MainActor @Observable final class ErrorView {
  enum Content: Equatable {
    case empty
    case page(String)
    case error(String)
  }

  private(set) var content = Content.empty
  private let monitor: NWPathMonitor
  private let load: @Sendable () async throws -> String
  private var loading: Task<Void, Never>?

  init(_ monitor: NWPathMonitor, load: @escaping @Sendable () async throws -> String) {
    self.monitor = monitor
    self.load = load
  }

  /// Pressed as often as one likes, it is one load.
  func tryAgain() {
    guard loading == nil else { return }
    loading = Task {
      defer { loading = nil }
      do {
        _ = try await monitor.waitUntilSatisfied()
        content = .page(try await load())
      } catch {
        if !Task.isCancelled { content = .error("The page did not load.") }
      }
    }
  }

  /// Shows an outage, and loads the page when it is over.
  func follow() async {
    for await change in monitor.changes where change.isInitial || change.causes.contains(.status) {
      if change.path.status == .satisfied {
        tryAgain()
      } else {
        content = .error(change.path.why)
      }
    }
  }
}
