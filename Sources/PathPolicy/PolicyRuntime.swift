package import PathCore

/// The policies of one directory, each in a state of its own.
package final class PolicyRuntime: PolicyHost {
  var policies: [String: LoadedPolicy] = [:]
  /// The texts that were rejected by the last load.
  private(set) var failures: [String: PolicyLoading.Failure] = [:]
  /// Texts that run and are yet to be tested.
  var doubts: [String: Doubt] = [:]
  /// What was accepted since it was last asked for.
  var accepted: [String: AcceptedText] = [:]
  private let paths = PathBytes()
  private let texts: CompiledTexts?

  /// Has the last word on a text that loads, by the policy's own test: why it is not to run, if it
  /// is not.
  package var check: ((_ policy: PolicyScript, _ test: PolicyScript) -> PolicyFault?)?

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
    settings: @escaping (String) -> PolicySettings = { _ in PolicySettings() }
  ) -> PolicySet {
    var request = PolicyLoading.Request(scripts, reason: reason)
    request.tests = tests
    request.refused = refused
    request.memories = memories
    request.retrying = retrying
    request.evenIfUnchanged = evenIfUnchanged
    request.settings = settings
    return loading(request).finish()
  }

  /// The same a step at a time. One at a time: what another one puts in place meanwhile, this one
  /// would not know.
  package func loading(_ request: PolicyLoading.Request) -> PolicyLoading {
    PolicyLoading(self, request)
  }

  func makePolicy(
    _ script: PolicyScript, _ settings: PolicySettings
  ) throws(PolicyFault) -> LoadedPolicy {
    try LoadedPolicy(script: script, settings: settings, paths: paths, texts: texts)
  }

  /// Forgets all policies but these.
  func keep(_ names: Set<String>, _ failures: [String: PolicyLoading.Failure]) {
    policies = policies.filter { names.contains($0.key) }
    doubts = doubts.filter { names.contains($0.key) }
    self.failures = failures
  }

  /// The texts that were accepted since this was last asked: each loads, and its test is for it.
  package func takeAccepted() -> [String: AcceptedText] {
    defer { accepted = [:] }
    return accepted
  }

  /// The state that some handler left, and its version; nil where each text has its own default.
  func kept(_ name: String, _ memories: [String: PolicyMemory]) -> PolicyLoading.Kept? {
    if let old = policies[name] {
      return old.hasOwnState
        ? PolicyLoading.Kept(state: old.state, version: old.stateVersion) : nil
    }
    guard let memory = memories[name], let state = memory.state else { return nil }
    return PolicyLoading.Kept(state: state, version: memory.version)
  }

  package func call(_ request: HandlerRequest) -> HandlerReply {
    guard let policy = policies[request.policy] else {
      return .failed(
        PolicyFault(
          policy: request.policy, handler: request.event.handler, kind: .load,
          file: request.policy + ".lua", line: 1, message: "the policy is not loaded"))
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
