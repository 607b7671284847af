package import PathCore
package import PathPolicy
package import PathSimulation

/// A world with the real policies in it.
package final class Simulator: World {
  package let runtime: PolicyRuntime

  package init(seed: UInt64 = 1) {
    runtime = PolicyRuntime()
    super.init(host: runtime, seed: seed)
  }

  package func load(
    _ scripts: [PolicyScript], reason: StartReason = .start,
    memories: [String: PolicyMemory] = [:],
    settings: @escaping (String) -> PolicySettings = { _ in PolicySettings(deadline: nil) }
  ) {
    feed(
      .policies(
        runtime.load(scripts, reason: reason, memories: memories, settings: settings)))
  }
}
