package import PathCore
package import PathPolicy

/// The test files of a directory with the policies that they are about, looked over before any of
/// them runs.
package struct TestPlan {
  package struct File {
    package var policy: PolicyScript
    package var test: PolicyScript
    package var cases: [TestCase]
  }

  package private(set) var files: [File] = []
  /// What cannot run, in `file:line: message` form.
  package private(set) var problems: [String] = []
  /// Policies without a test file.
  package private(set) var untested: [String] = []

  package init(_ directory: PolicyDirectory, budget: Budget = Budget()) {
    self.init(
      scripts: directory.scripts, tests: directory.tests, refused: directory.refused,
      budget: budget)
    problems = directory.refusedTests.map(\.located) + problems
  }

  package init(
    scripts: [PolicyScript], tests: [PolicyScript], refused: [PolicyFault] = [],
    budget: Budget = Budget()
  ) {
    let names = scripts.map(\.name).sorted()
    for test in tests.sorted(by: { $0.name < $1.name }) {
      if let fault = refused.first(where: { $0.policy == test.name }) {
        problems.append(fault.located)
        continue
      }
      guard let policy = scripts.first(where: { $0.name == test.name }) else {
        let near = nearestWord(to: test.name, in: names).map { "; did you mean \($0)_test.lua?" }
        problems.append(
          "\(test.file):1: it tests \(test.name).lua, which is not there\(near ?? "")")
        continue
      }
      add(policy, test, budget)
    }
    let tested = Set(tests.map(\.name))
    untested = names.filter { !tested.contains($0) }
  }

  private mutating func add(_ policy: PolicyScript, _ test: PolicyScript, _ budget: Budget) {
    let set = PolicyRuntime().load([policy], reason: .start) { _ in
      PolicySettings(deadline: nil)
    }
    if let fault = set.rejected.first {
      problems.append(fault.located)
      return
    }
    do throws(LuaState.Failure) {
      let state = try TestState(test, budget)
      let cases = try state.cases(budget)
      if cases.isEmpty {
        problems.append("\(test.file):1: it holds no case, so it tests nothing")
      } else {
        files.append(File(policy: policy, test: test, cases: cases))
      }
    } catch {
      let file = error.file.isEmpty || error.file == "prelude.lua" ? test.file : error.file
      problems.append("\(file):\(max(1, error.line)): \(error.message)")
    }
  }

  package var count: Int { files.reduce(0) { $0 + $1.cases.count } }
}
