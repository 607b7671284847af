import PathCore
import PathPolicy

/// Runs the cases of one test file, each in states of its own.
struct CaseRunner {
  let policy: PolicyScript
  let test: PolicyScript
  let budget: Budget
  let setting: Simulation.Setting
  /// Properties begin with it, unless they say their own.
  let seed: UInt64

  /// Whether a failing run of a property is made shorter; it costs many runs.
  var shortens = true
  /// Whether no more runs of a property are to begin.
  var isOver: () -> Bool = { false }
  /// What the policy did in all cases so far.
  private(set) var record = PolicyRecord()
  /// The state that the list of cases was read from: good for one case.
  private var fresh: TestState?

  init(
    policy: PolicyScript, test: PolicyScript, budget: Budget, setting: Simulation.Setting,
    seed: UInt64
  ) {
    self.policy = policy
    self.test = test
    self.budget = budget
    self.setting = setting
    self.seed = seed
  }

  mutating func cases() throws(LuaState.Failure) -> [TestCase] {
    let state = try TestState(test, budget, setting.texts)
    let cases = try state.cases(budget)
    fresh = state
    return cases
  }

  mutating func run(_ item: TestCase) -> TestOutcome {
    var outcome = TestOutcome(
      file: test.file, policy: policy.name, test: item, failure: nil, runs: 1)
    switch item.kind {
    case .single, .row:
      outcome.failure = once(item, seed: item.seed ?? seed, drawn: nil).failure
    case .property: runProperty(item, &outcome)
    }
    return outcome
  }

  // MARK: One run

  struct Run {
    var failure: TestFailure?
    var drawn: [Drawn]
  }

  /// A run in a state that nobody used before, unless one is given.
  private mutating func once(
    _ item: TestCase, seed: UInt64, drawn: [PlainValue]?, in given: TestState? = nil
  ) -> Run {
    let simulation = Simulation(policy, budget, setting)
    defer { record.add(simulation.takeRecord()) }
    do throws(LuaState.Failure) {
      let state: TestState
      if let given { state = given } else { state = try takeFresh(item) }
      try state.run(item, seed: seed, drawn: drawn, simulation)
      simulation.finish()
      return Run(failure: failure(of: simulation, item, nil), drawn: simulation.drawn)
    } catch {
      return Run(failure: failure(of: simulation, item, error), drawn: simulation.drawn)
    }
  }

  private mutating func takeFresh(_ item: TestCase) throws(LuaState.Failure) -> TestState {
    defer { fresh = nil }
    if let fresh { return fresh }
    return try TestState(test, budget, setting.texts, only: item)
  }

  private func failure(
    of simulation: Simulation, _ item: TestCase, _ error: LuaState.Failure?
  ) -> TestFailure? {
    var failures = simulation.misses.map { failure(item, $0.objection, at: $0.line) }
    if let (objection, line) = simulation.objection {
      failures.append(failure(item, objection, at: line))
    } else if let error {
      failures.append(failure(item, error, after: simulation.line))
    }
    guard var first = failures.first else { return nil }
    first.others = Array(failures.dropFirst())
    first.isBudget = failures.contains { $0.isBudget }
    first.timeline = simulation.timeline
    return first
  }

  private func failure(
    _ item: TestCase, _ objection: Objection, at line: Int
  ) -> TestFailure {
    var failure = TestFailure(
      file: test.file, line: line > 0 ? line : item.line, message: objection.message)
    failure.differences = objection.differences
    failure.isBudget = objection.kind == .budget
    return failure
  }

  /// `line` is the one that asked last.
  private func failure(
    _ item: TestCase, _ error: LuaState.Failure, after line: Int
  ) -> TestFailure {
    var failure = TestFailure(
      file: test.file, line: line > 0 ? line : item.line, message: error.message)
    failure.isBudget = error.kind == .fuel || error.kind == .memory
    // An error in a module of the test stands there; one of the prelude itself says nothing.
    if error.line > 0, error.file == test.file || error.file.hasPrefix("lib/") {
      failure.file = error.file
      failure.line = error.line
    }
    return failure
  }

  // MARK: Properties

  /// All runs share one test state, so that a property costs its runs and not its file; each has a
  /// policy state of its own. A failing run is tried again in a state of its own, and shortened.
  private mutating func runProperty(_ item: TestCase, _ outcome: inout TestOutcome) {
    let seed = item.seed ?? seed
    var shared: TestState?
    for index in 0..<item.runs {
      if isOver() { return }
      outcome.runs = index + 1
      let own = Mixer.seed(seed, run: index)
      do throws(LuaState.Failure) {
        if shared == nil { shared = try takeFresh(item) }
      } catch {
        outcome.failure = TestFailure(
          file: test.file, line: item.line, message: error.message)
        return
      }
      let run = once(item, seed: own, drawn: nil, in: shared)
      guard var failure = run.failure else { continue }
      shorten(item, run, own, &failure)
      failure.seed = seed
      outcome.failure = failure
      return
    }
  }

  private mutating func shorten(
    _ item: TestCase, _ run: Run, _ seed: UInt64, _ failure: inout TestFailure
  ) {
    let line = failure.line
    var shortest = (run: run, failure: failure)
    var shrinker = Shrinker(run.drawn)
    // Ends that a budget forced are slow to come by again, and shorter runs do not reach them.
    guard shortens, !run.drawn.isEmpty, !failure.isBudget else { return }
    while let candidate = shrinker.next() {
      let again = once(item, seed: seed, drawn: candidate.map(\.value))
      guard let its = again.failure, its.line == line, !its.isBudget else {
        shrinker.reject()
        continue
      }
      shortest = (again, its)
      shrinker.accept()
    }
    if shrinker.attempts > 0, shrinker.accepted == 0 {
      // Nothing shorter fails; does the run itself, on its own?
      let again = once(item, seed: seed, drawn: run.drawn.map(\.value))
      if again.failure == nil {
        failure.message +=
          " (only after earlier runs of this property: the test keeps something between them)"
        return
      }
    }
    failure = shortest.failure
    failure.example = Self.example(item.name, shortest.run.drawn)
  }

  /// The run as a case of its own.
  static func example(_ name: String, _ drawn: [Drawn]) -> [String] {
    let quoted = LuaText.quoted(Array(name.utf8))
    let title = LuaText.quoted(Array("\(name): an example".utf8))
    return ["t.case(\(title), t.example(\(quoted), {"]
      + drawn.map { "  \(LuaText.text($0.value))," } + ["}))"]
  }
}
