import PathCore

/// For people: a line for each case, and all about those that failed.
package struct TextReport: TestReport {
  package enum Mark: Sendable { case good, bad, faint }

  let style: (String, Mark) -> String

  package mutating func begin(_ count: Int) -> [String] { [] }

  package mutating func add(_ outcome: TestOutcome) -> [String] {
    let name = LineText.escaped(outcome.test.name)
    let file = LineText.escaped(outcome.file)
    var note = ""
    if outcome.test.kind == .property, outcome.passed { note = "  (\(outcome.runs) runs)" }
    guard let failure = outcome.failure else {
      return ["\(style("pass", .good))  \(file): \(name)\(style(note, .faint))"]
    }
    return ["\(style("FAIL", .bad))  \(file): \(name)"]
      + Self.lines(failure, runs: outcome.runs).map { "      " + $0 }
  }

  /// What a failure says, without an indent.
  static func lines(_ failure: TestFailure, runs: Int = 1) -> [String] {
    var lines = ([failure] + failure.others).flatMap(what)
    if let seed = failure.seed {
      lines.append("run \(runs) of the property; --seed \(Int64(bitPattern: seed)) brings it back")
    }
    if !failure.example.isEmpty {
      lines.append("the shortest run that fails, to paste into the test:")
      lines += failure.example.map { "  " + $0 }
    }
    if !failure.timeline.isEmpty {
      lines.append("what happened last:")
      lines += failure.timeline.map { "  " + $0 }
    }
    return lines
  }

  /// Where it is, and how it differs.
  private static func what(_ failure: TestFailure) -> [String] {
    var lines = ["\(LineText.escaped(failure.place)): \(LineText.escaped(failure.message))"]
    for difference in failure.differences {
      lines.append(LineText.escaped(difference.field))
      lines.append("  wanted  \(LineText.escaped(difference.wanted))")
      lines.append("  got     \(LineText.escaped(difference.got))")
    }
    return lines
  }

  package mutating func end(_ summary: TestSummary) -> [String] {
    summary.problems.map { "\(style("bad", .bad))   \(LineText.escaped($0))" }
      + [style(summary.text, summary.exitCode == 0 ? .good : .bad)]
  }
}
