import Network

/// Paths for `for await`, as people write it who need systems from before the monitor was a sequence.
func pathUpdates(of type: NWInterface.InterfaceType? = nil) -> AsyncStream<NWPath> {
  AsyncStream { continuation in
    let monitor = type.map { NWPathMonitor(requiredInterfaceType: $0) } ?? NWPathMonitor()
    monitor.pathUpdateHandler = { path in
      continuation.yield(path)
    }
    continuation.onTermination = { _ in
      monitor.cancel()
    }
    monitor.start(queue: .global(qos: .utility))
  }
}

/// The first answer, within a function that ends with it.
func isLoopbackUsable() async -> Bool {
  for await path in pathUpdates(of: .loopback) {
    return path.status == .satisfied && path.usesInterfaceType(.loopback)
  }
  return false
}

/// Whether a change is worth a reconnect.
func firstChange(from known: NWPath) async -> NWPath? {
  for await path in pathUpdates() where path != known {
    return path
  }
  return nil
}
