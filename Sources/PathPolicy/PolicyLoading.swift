package import PathCore

/// Loads a directory's policies one at a time, beside those that run, so that whoever has other
/// work gets a turn in between. Nothing counts before `finish`, which puts all in place at once.
package final class PolicyLoading {
  /// What is to be loaded, and on what terms; see `PolicyRuntime.load`.
  package struct Request {
    package var scripts: [PolicyScript]
    package var tests: [PolicyScript] = []
    package var refused: [PolicyFault] = []
    package var reason: StartReason
    package var memories: [String: PolicyMemory] = [:]
    package var retrying = true
    package var evenIfUnchanged = false
    package var settings: (String) -> PolicySettings = { _ in PolicySettings() }

    package init(_ scripts: [PolicyScript], reason: StartReason) {
      self.scripts = scripts
      self.reason = reason
    }
  }

  /// A text that was rejected, and what it was rejected with.
  struct Failure {
    var script: PolicyScript
    var test: PolicyScript?
    var settings: PolicySettings
    var fault: PolicyFault
  }

  /// A state that some handler left, and the version it is of.
  struct Kept: Hashable {
    var state: PlainData
    var version: Int64
  }

  private struct Candidate {
    var script: PolicyScript
    var needed: PolicyScript
    var test: PolicyScript?
    var settings: PolicySettings
    var policy: LoadedPolicy
    /// What it took over; another by the time all is put in place is taken over then.
    var kept: Kept?
    var migrated: PlainData?
  }

  /// What became of a script.
  private enum Outcome {
    case asBefore(PolicyDeclaration)
    case rejected(Failure)
    case fresh(Candidate)
  }

  private let runtime: PolicyRuntime
  private let request: Request
  private var waiting: ArraySlice<PolicyScript>
  /// Loaded, but its test has not been asked.
  private var untested: Candidate?
  private var outcomes: [(name: String, outcome: Outcome)] = []

  init(_ runtime: PolicyRuntime, _ request: Request) {
    self.runtime = runtime
    self.request = request
    waiting = request.scripts.sorted { $0.name < $1.name }[...]
  }

  package var isDone: Bool { waiting.isEmpty && untested == nil }

  /// Loads one policy, or runs the test of the one that was loaded last.
  package func step() {
    if let candidate = untested {
      untested = nil
      judge(candidate)
    } else if let script = waiting.popFirst() {
      begin(script)
    }
  }

  private func begin(_ script: PolicyScript) {
    let name = script.name
    let settings = request.settings(name)
    let needed = script.withNeededModules
    let test = request.tests.first { $0.name == name }
    if !request.evenIfUnchanged, let old = runtime.policies[name], old.script == needed,
      old.settings == settings
    {
      outcomes.append((name, .asBefore(old.declaration)))
      return
    }
    if !request.retrying, let known = runtime.failures[name], known.script == needed,
      known.settings == settings, known.test == test
    {
      outcomes.append((name, .rejected(known)))
      return
    }
    do throws(PolicyFault) {
      let policy = try runtime.makePolicy(needed, settings)
      var candidate = Candidate(
        script: script, needed: needed, test: test, settings: settings, policy: policy)
      candidate.kept = runtime.kept(name, request.memories)
      if let kept = candidate.kept {
        candidate.migrated = try policy.take(over: kept.state, version: kept.version)
      }
      if test != nil, runtime.check != nil {
        untested = candidate
      } else {
        outcomes.append((name, .fresh(candidate)))
      }
    } catch {
      reject(name, needed, test, settings, error)
    }
  }

  private func judge(_ candidate: Candidate) {
    let name = candidate.script.name
    if let test = candidate.test, let fault = runtime.check?(candidate.script, test) {
      reject(name, candidate.needed, test, candidate.settings, fault)
    } else {
      outcomes.append((name, .fresh(candidate)))
    }
  }

  private func reject(
    _ name: String, _ script: PolicyScript, _ test: PolicyScript?, _ settings: PolicySettings,
    _ fault: PolicyFault
  ) {
    let failure = Failure(script: script, test: test, settings: settings, fault: fault)
    outcomes.append((name, .rejected(failure)))
  }

  /// Puts everything in place; what is still to be loaded is loaded first.
  package func finish() -> PolicySet {
    while !isDone { step() }
    var set = PolicySet(reason: request.reason, loaded: [], rejected: request.refused)
    var failures: [String: Failure] = [:]
    for script in request.scripts { set.memories[script.name] = request.memories[script.name] }
    for (name, outcome) in outcomes {
      switch catchUp(outcome) {
      case .asBefore(let declaration): set.loaded.append(declaration)
      case .rejected(let failure):
        failures[name] = failure
        set.rejected.append(failure.fault)
      case .fresh(let candidate):
        if let old = runtime.policies[name] { candidate.policy.inheritLines(of: old) }
        runtime.policies[name] = candidate.policy
        set.loaded.append(candidate.policy.declaration)
        set.migrated[name] = candidate.migrated
        set.changed.insert(name)
        set.hashes[name] = candidate.script.hash
      }
    }
    runtime.keep(Set(request.scripts.map(\.name)).union(request.refused.map(\.policy)), failures)
    return set
  }

  /// While the rest was loaded, the version before may have gone on: its state is what counts.
  private func catchUp(_ outcome: Outcome) -> Outcome {
    guard case .fresh(var candidate) = outcome else { return outcome }
    let kept = runtime.kept(candidate.script.name, request.memories)
    guard kept != candidate.kept else { return outcome }
    do throws(PolicyFault) {
      candidate.kept = kept
      candidate.policy.startAgain()
      candidate.migrated = nil
      if let kept {
        candidate.migrated = try candidate.policy.take(over: kept.state, version: kept.version)
      }
      return .fresh(candidate)
    } catch {
      return .rejected(
        Failure(
          script: candidate.needed, test: candidate.test, settings: candidate.settings,
          fault: error))
    }
  }
}
