package import PathCore

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

  package func start(_ declarations: PolicyDeclaration...) {
    feed(
      .policies(
        PolicySet(
          reason: .start, loaded: declarations, changed: Set(declarations.map(\.name)))))
  }

  package func reload(
    _ declarations: [PolicyDeclaration], changed: Set<String> = [], rejected: [PolicyFault] = []
  ) {
    feed(
      .policies(
        PolicySet(reason: .reload, loaded: declarations, rejected: rejected, changed: changed)))
  }
}
