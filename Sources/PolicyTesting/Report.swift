/// Shows outcomes as they come: lines for one format.
package protocol TestReport {
  mutating func begin(_ count: Int) -> [String]
  mutating func add(_ outcome: TestOutcome) -> [String]
  mutating func end(_ summary: TestSummary) -> [String]
}

/// What became of all cases.
package struct TestSummary: Hashable, Sendable {
  package var passed = 0
  package var failed = 0
  /// Files and policies that could not be run, in `file:line: message` form.
  package var problems: [String] = []
  package var time: Duration = .zero

  package init(problems: [String] = []) { self.problems = problems }

  package mutating func add(_ outcome: TestOutcome) {
    if outcome.passed { passed += 1 } else { failed += 1 }
    time += outcome.time
  }

  /// What the command ends with.
  package var exitCode: Int32 {
    if !problems.isEmpty { return 2 }
    if failed > 0 { return 1 }
    return passed > 0 ? 0 : 3
  }

  package var text: String {
    var parts = ["\(passed) passed"]
    if failed > 0 { parts.append("\(failed) failed") }
    if !problems.isEmpty { parts.append("\(problems.count) not run") }
    return parts.joined(separator: ", ")
  }
}

/// The formats that there are.
package enum TestFormat: String, CaseIterable, Sendable {
  case text, tap, junit, json

  /// `style` marks words where people look on.
  package func report(
    style: @escaping (String, TextReport.Mark) -> String = { text, _ in text }
  ) -> any TestReport {
    switch self {
    case .text: TextReport(style: style)
    case .tap: TapReport()
    case .junit: JUnitReport()
    case .json: JSONReport()
    }
  }
}
