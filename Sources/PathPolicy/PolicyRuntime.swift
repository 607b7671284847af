package import PathCore

/// The policies of one directory, each in a state of its own.
package final class PolicyRuntime: PolicyHost {
  private var policies: [String: LoadedPolicy] = [:]
  /// The texts that were rejected by the last load.
  private var failures: [String: Failure] = [:]
  private let paths = PathBytes()
  private let texts: CompiledTexts?

  /// Has the last word on a text that loads, by the policy's own test: why it is not to run, if it
  /// is not.
  package var check: ((_ policy: PolicyScript, _ test: PolicyScript) -> PolicyFault?)?

  private struct Failure {
    var script: PolicyScript
    var test: PolicyScript?
    var settings: PolicySettings
    var fault: PolicyFault
  }

  /// `texts` is for those who load the same texts time and again, each time in a new runtime.
  package init(texts: CompiledTexts? = nil) { self.texts = texts }

  /// Loads every script; a broken one is reported and stops no other. Policies whose files were
  /// `refused` are rejected too: like a broken edit, that leaves the last good version at work.
  /// `memories` are what earlier runs left; a policy of a newer version migrates its state. `tests`
  /// are the policies' own, under their names.
  ///
  /// A text that was loaded is not loaded again, nor is one that was rejected tried again unless
  /// asked to (`retrying`). All of this happens beside the version that runs.
  package func load(
    _ scripts: [PolicyScript], tests: [PolicyScript] = [], refused: [PolicyFault] = [],
    reason: StartReason, memories: [String: PolicyMemory] = [:], retrying: Bool = true,
    evenIfUnchanged: Bool = false,
    settings: (String) -> PolicySettings = { _ in PolicySettings() }
  ) -> PolicySet {
    var set = PolicySet(reason: reason, loaded: [], rejected: refused)
    var failures: [String: Failure] = [:]
    for script in scripts { set.memories[script.name] = memories[script.name] }
    for script in scripts.sorted(by: { $0.name < $1.name }) {
      let wanted = settings(script.name)
      let needed = script.withNeededModules
      let test = tests.first { $0.name == script.name }
      if !evenIfUnchanged, let old = policies[script.name], old.script == needed,
        old.settings == wanted
      {
        set.loaded.append(old.declaration)
        continue
      }
      if !retrying, let known = self.failures[script.name], known.script == needed,
        known.settings == wanted, known.test == test
      {
        failures[script.name] = known
        set.rejected.append(known.fault)
        continue
      }
      do throws(PolicyFault) {
        let policy = try LoadedPolicy(script: needed, settings: wanted, paths: paths, texts: texts)
        if let kept = kept(script.name, memories) {
          set.migrated[script.name] = try policy.take(over: kept.state, version: kept.version)
        }
        if let test, let fault = check?(script, test) { throw fault }
        if let old = policies[script.name] { policy.inheritLines(of: old) }
        policies[script.name] = policy
        set.loaded.append(policy.declaration)
        set.changed.insert(script.name)
        set.hashes[script.name] = script.hash
      } catch {
        set.migrated[script.name] = nil
        failures[script.name] = Failure(
          script: needed, test: test, settings: wanted, fault: error)
        set.rejected.append(error)
      }
    }
    let names = Set(scripts.map(\.name)).union(refused.map(\.policy))
    policies = policies.filter { names.contains($0.key) }
    self.failures = failures
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

  /// The lines of this policy that ran, where its settings have them noted.
  package func ranLines(of policy: String) -> LineSet { policies[policy]?.ranLines ?? LineSet() }

  /// Fuel of the last call of each policy.
  package func fuelUsed(by policy: String) -> Int64 { policies[policy]?.fuelUsed ?? 0 }

  /// The patch release of the Lua that runs the policies, such as 5.4.4.
  package static var luaRelease: String { LuaState.release }

  /// Bytes that all Lua states of this process hold.
  package static var liveBytes: Int { LuaState.liveBytes }

  /// How many closed Lua states of this process did not give back exactly what they had taken.
  package static var unbalancedStates: Int { LuaState.unbalanced }
}
