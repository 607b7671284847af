package import PathCore

/// The policies of one directory, each in a state of its own.
package final class PolicyRuntime: PolicyHost {
  private var policies: [String: LoadedPolicy] = [:]
  private let paths = PathBytes()

  package init() {}

  /// Loads every script; a broken one is reported and stops no other. Policies whose files were
  /// `refused` are rejected too: like a broken edit, that leaves the last good version at work.
  /// `memories` are what earlier runs left; a policy of a newer version migrates its state.
  package func load(
    _ scripts: [PolicyScript], refused: [PolicyFault] = [], reason: StartReason,
    memories: [String: PolicyMemory] = [:],
    settings: (String) -> PolicySettings = { _ in PolicySettings() }
  ) -> PolicySet {
    var set = PolicySet(reason: reason, loaded: [], rejected: refused)
    for script in scripts { set.memories[script.name] = memories[script.name] }
    for script in scripts.sorted(by: { $0.name < $1.name }) {
      let wanted = settings(script.name)
      if let old = policies[script.name], old.script == script, old.settings == wanted {
        set.loaded.append(old.declaration)
        continue
      }
      do throws(PolicyFault) {
        let policy = try LoadedPolicy(script: script, settings: wanted, paths: paths)
        if let kept = kept(script.name, memories) {
          set.migrated[script.name] = try policy.take(over: kept.state, version: kept.version)
        }
        policies[script.name] = policy
        set.loaded.append(policy.declaration)
        set.changed.insert(script.name)
      } catch {
        set.rejected.append(error)
      }
    }
    let names = Set(scripts.map(\.name)).union(refused.map(\.policy))
    policies = policies.filter { names.contains($0.key) }
    return set
  }

  /// The state that some handler left, and its version; nil where each text has its own default.
  private func kept(
    _ name: String, _ memories: [String: PolicyMemory]
  ) -> (state: PlainData, version: Int64)? {
    if let old = policies[name] {
      return old.hasOwnState ? (old.state, old.stateVersion) : nil
    }
    guard let memory = memories[name], let state = memory.state else { return nil }
    return (state, memory.version)
  }

  package func call(_ request: HandlerRequest) -> HandlerReply {
    guard let policy = policies[request.policy] else {
      return .failed(
        PolicyFault(
          policy: request.policy, handler: request.event.handler, kind: .load,
          file: request.policy + ".lua", line: 0, message: "the policy is not loaded"))
    }
    return policy.call(request)
  }

  package func reset(_ policy: String, state: PlainData) {
    policies[policy]?.reset(state: state)
  }

  /// Fuel of the last call of each policy.
  package func fuelUsed(by policy: String) -> Int64 { policies[policy]?.fuelUsed ?? 0 }

  /// The patch release of the Lua that runs the policies, such as 5.4.4.
  package static var luaRelease: String { LuaState.release }

  /// Bytes that all Lua states of this process hold.
  package static var liveBytes: Int { LuaState.liveBytes }

  /// How many closed Lua states of this process did not give back exactly what they had taken.
  package static var unbalancedStates: Int { LuaState.unbalanced }
}
