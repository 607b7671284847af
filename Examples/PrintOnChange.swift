import Dispatch
import NetworkPath

/// Prints each path: the five lines that everybody begins with.
func printOnChange(
  _ monitor: NWPathMonitor, _ queue: DispatchQueue, print: @escaping @Sendable (String) -> Void
) {
  monitor.pathUpdateHandler = { path in
    switch path.status {
    case .satisfied: print("connected by \(path.availableInterfaces.first?.name ?? "?")")
    case .unsatisfied: print("not connected: \(path.why)")
    case .requiresConnection: print("a try is worth it: \(path.why)")
    @unknown default: print("unknown")
    }
  }
  monitor.start(queue: queue)
}
