package import PathCore
package import PathPolicy

/// Has the last word on a policy that is to go live: its own tests, within bounds, since whoever
/// asks waits for the answer. What there is no time for is left to `netvane test`.
package enum TestGate {
  /// Runs of a property; all of them are for `netvane test`.
  package static let propertyRuns = 25

  /// Why the policy's test is against it; nil when it passes. The fault names the place in the
  /// test. No case, and no run of a property, is begun once `isOver` says so.
  package static func fault(
    of policy: PolicyScript, by test: PolicyScript, seed: UInt64 = 1,
    isOver: @escaping () -> Bool = { false }
  ) -> PolicyFault? {
    var budget = Budget()
    budget.fuel /= 10
    budget.steps /= 10
    budget.policyFuel /= 10
    var runner = CaseRunner(
      policy: policy, test: test, budget: budget, setting: Simulation.Setting(seed: seed),
      seed: seed)
    runner.shortens = false
    runner.isOver = isOver
    let cases: [TestCase]
    do throws(LuaState.Failure) {
      cases = try runner.cases()
    } catch {
      let file = error.file.isEmpty || error.file == "prelude.lua" ? test.file : error.file
      return fault(policy, file, max(1, error.line), error.message)
    }
    for var item in cases {
      if isOver() { break }
      item.runs = min(item.runs, propertyRuns)
      guard let failure = runner.run(item).failure else { continue }
      let details = failure.differences.map {
        "; \($0.field): wanted \($0.wanted), got \($0.got)"
      }
      return fault(
        policy, failure.file, failure.line,
        "its test '\(item.name)' fails: \(failure.summary)\(details.joined())")
    }
    return nil
  }

  private static func fault(
    _ policy: PolicyScript, _ file: String, _ line: Int, _ message: String
  ) -> PolicyFault {
    PolicyFault(
      policy: policy.name, handler: nil, kind: .load, file: file, line: line, message: message)
  }
}
