package import PathCore
package import PathSimulation

/// A world whose policies are scripted: `on` first, then `start`.
package final class ScriptedWorld: World {
  package let host: ScriptedHost

  package init(seed: UInt64 = 1) {
    let host = ScriptedHost()
    self.host = host
    super.init(host: host, seed: seed)
    beforeFact = { fact in
      switch fact {
      case .timer(let id) where id.kind == .rest: host.resting.remove(id.policy)
      case .policies(let set): host.resting.subtract(set.changed)
      default: break
      }
    }
    afterFact = { orders in
      for order in orders {
        switch order {
        case .policy(let name, .resting, _): host.resting.insert(name)
        case .policy(let name, .loaded, _): host.resting.remove(name)
        default: break
        }
      }
    }
  }

  package func start(_ declarations: PolicyDeclaration...) { start(declarations) }

  /// Starts with what an earlier run left.
  package func start(
    _ declarations: [PolicyDeclaration], reason: StartReason = .start,
    memories: [String: PolicyMemory] = [:], migrated: [String: PlainData] = [:]
  ) {
    feed(
      .policies(
        PolicySet(
          reason: reason, loaded: declarations, changed: Set(declarations.map(\.name)),
          memories: memories, migrated: migrated)))
  }

  package func reload(
    _ declarations: [PolicyDeclaration], changed: Set<String> = [], rejected: [PolicyFault] = []
  ) {
    feed(
      .policies(
        PolicySet(reason: .reload, loaded: declarations, rejected: rejected, changed: changed)))
  }
}
