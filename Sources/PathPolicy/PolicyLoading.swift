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
    /// Which of the texts are to be tested by the next load, though they run from this one on.
    package var doubts: [String: Doubt] = [:]
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
    /// It loads, but its test is against it.
    var isByTest = false
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
    /// With its test, if that was asked now.
    case asBefore(PolicyDeclaration, isTested: Bool)
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

  /// Loads one policy, or runs the test of the one that was loaded last or that runs untested.
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
    let isDoubted = runtime.check != nil && runtime.doubts[name] != nil
    let old = runtime.policies[name].flatMap { old in
      !request.evenIfUnchanged && old.script == needed && old.settings == settings ? old : nil
    }
    if let old, !isDoubted {
      outcomes.append((name, .asBefore(old.declaration, isTested: false)))
      return
    }
    if !request.retrying, let known = runtime.failures[name], known.script == needed,
      known.settings == settings, known.test == test
    {
      outcomes.append((name, .rejected(known)))
      return
    }
    if let old {
      if let test, let fault = runtime.check?(script, test) {
        reject(name, needed, test, settings, fault, isByTest: true)
      } else {
        outcomes.append((name, .asBefore(old.declaration, isTested: true)))
      }
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
      reject(name, candidate.needed, test, candidate.settings, fault, isByTest: true)
    } else {
      outcomes.append((name, .fresh(candidate)))
    }
  }

  private func reject(
    _ name: String, _ script: PolicyScript, _ test: PolicyScript?, _ settings: PolicySettings,
    _ fault: PolicyFault, isByTest: Bool = false
  ) {
    let failure = Failure(
      script: script, test: test, settings: settings, fault: fault, isByTest: isByTest)
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
      case .asBefore(let declaration, let isTested):
        set.loaded.append(declaration)
        if isTested { accept(name) }
      case .rejected(let failure):
        failures[name] = failure
        set.rejected.append(failure.fault)
        if failure.isByTest, runtime.doubts[name] == .unknown,
          runtime.policies[name]?.script == failure.script
        {
          set.stopped.insert(name)
        }
      case .fresh(let candidate):
        if let old = runtime.policies[name] { candidate.policy.inheritLines(of: old) }
        runtime.policies[name] = candidate.policy
        set.loaded.append(candidate.policy.declaration)
        set.migrated[name] = candidate.migrated
        set.changed.insert(name)
        set.hashes[name] = candidate.script.hash
        runtime.doubts[name] = request.doubts[name]
        accept(name)
      }
    }
    let names = Set(request.scripts.map(\.name)).union(request.refused.map(\.policy))
    runtime.keep(names.subtracting(set.stopped), failures)
    return set
  }

  /// Without anybody to ask, nothing is accepted: it only runs.
  private func accept(_ name: String) {
    guard runtime.check != nil, let script = request.scripts.first(where: { $0.name == name })
    else { return }
    runtime.doubts[name] = nil
    runtime.accepted[name] = AcceptedText(script, test: request.tests.first { $0.name == name })
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
