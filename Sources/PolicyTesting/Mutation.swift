import PathCore
import PathPolicy

/// Tries whether tests notice when their policy is changed.
package struct Mutation {
  /// A change that no test noticed.
  package struct Survivor: Hashable, Sendable {
    package var file: String
    package var line: Int
    package var change: String

    package var text: String { "\(file):\(line): \(change), and no test noticed" }
  }

  package struct Result: Sendable {
    package var file: String
    /// Changes that could be tried.
    package var tried = 0
    package var survivors: [Survivor] = []
    /// The tests fail as they are, so they tell nothing.
    package var isBroken = false
  }

  /// Runs of a property with each change; a change that shows only in more of them is a rare one.
  package static let propertyRuns = 50

  private let seed: UInt64
  /// The test is the same for all changes.
  private let setting: Simulation.Setting

  package init(seed: UInt64 = 1) {
    self.seed = seed
    setting = Simulation.Setting(seed: seed)
  }

  /// All changes of one policy. `go` is asked before each, so that it can be ended.
  package func run(_ file: TestPlan.File, go: () -> Bool = { true }) -> Result {
    var result = Result(file: file.policy.file)
    // Those that are quick to run come first.
    let cases =
      file.cases.filter { $0.kind != .property } + file.cases.filter { $0.kind == .property }
    guard !isNoticed(file.policy, file.test, cases) else {
      result.isBroken = true
      return result
    }
    for mutant in Mutant.all(of: file.policy) where go() {
      let changed = mutant.applied(to: file.policy)
      guard isLoadable(changed) else { continue }
      result.tried += 1
      if !isNoticed(changed, file.test, cases) {
        result.survivors.append(
          Survivor(file: file.policy.file, line: mutant.line, change: mutant.change))
      }
    }
    return result
  }

  private func isLoadable(_ policy: PolicyScript) -> Bool {
    let set = PolicyRuntime().load([policy], reason: .start) { _ in PolicySettings(deadline: nil) }
    return set.rejected.isEmpty
  }

  /// Whether a case fails.
  private func isNoticed(
    _ policy: PolicyScript, _ test: PolicyScript, _ cases: [TestCase]
  ) -> Bool {
    var budget = Budget()
    // A change that makes a policy busy without end need not be waited for.
    budget.steps /= 5
    budget.policyFuel /= 10
    var runner = CaseRunner(
      policy: policy, test: test, budget: budget, setting: setting, seed: seed)
    runner.shortens = false
    for item in cases {
      var item = item
      item.runs = min(item.runs, Self.propertyRuns)
      if !runner.run(item).passed { return true }
    }
    return false
  }
}
