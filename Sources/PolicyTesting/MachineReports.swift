import PathCore

/// TAP, version 14: one test point a case, with what there is to know of a failure behind it.
struct TapReport: TestReport {
  private var number = 0

  mutating func begin(_ count: Int) -> [String] { ["TAP version 14", "1..\(count)"] }

  mutating func add(_ outcome: TestOutcome) -> [String] {
    number += 1
    let name = Self.escaped("\(outcome.file): \(outcome.test.name)")
    guard let failure = outcome.failure else { return ["ok \(number) - \(name)"] }
    var lines = ["not ok \(number) - \(name)", "  ---"]
    lines += Self.what(failure).map { "  " + $0 }
    if !failure.others.isEmpty {
      lines.append("  others:")
      for other in failure.others {
        for (place, line) in Self.what(other).enumerated() {
          lines.append((place == 0 ? "    - " : "      ") + line)
        }
      }
    }
    if let seed = failure.seed { lines.append("  seed: \(Int64(bitPattern: seed))") }
    lines += Self.list("example", failure.example) + Self.list("timeline", failure.timeline)
    return lines + ["  ..."]
  }

  mutating func end(_ summary: TestSummary) -> [String] {
    summary.problems.map { "Bail out! \(Self.escaped($0))" } + ["# \(summary.text)"]
  }

  private static func what(_ failure: TestFailure) -> [String] {
    var lines = ["message: \(quoted(failure.message))", "at: \(quoted(failure.place))"]
    if !failure.differences.isEmpty { lines.append("differences:") }
    for difference in failure.differences {
      lines.append("  - field: \(quoted(difference.field))")
      lines.append("    wanted: \(quoted(difference.wanted))")
      lines.append("    got: \(quoted(difference.got))")
    }
    return lines
  }

  private static func list(_ name: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["  \(name):"] + lines.map { "    - \(quoted($0))" }
  }

  /// What would end a description or begin a directive.
  private static func escaped(_ text: String) -> String {
    LineText.escaped(text).map { character in
      switch character {
      case "\\": "\\\\"
      case "#": "\\#"
      default: String(character)
      }
    }.joined()
  }

  /// A JSON string is a YAML one.
  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter(capacity: 64)
    writer.string(text)
    return writer.text
  }
}

/// One JSON object a line: `case` for each, `summary` at the end.
struct JSONReport: TestReport {
  mutating func begin(_ count: Int) -> [String] { [] }

  mutating func add(_ outcome: TestOutcome) -> [String] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("event", "case")
      writer.member("file", outcome.file)
      writer.member("name", outcome.test.name)
      writer.member("line", outcome.test.line)
      writer.member("kind", outcome.test.kind.rawValue)
      writer.member("passed", outcome.passed)
      writer.member("runs", outcome.runs)
      writer.member("nanoseconds", outcome.time.nanoseconds)
      if let failure = outcome.failure { Self.write(failure, &writer) }
    }
    return [writer.text]
  }

  private static func write(_ failure: TestFailure, _ writer: inout JSONWriter) {
    writer.key("failure")
    writer.object { writer in
      writeWhat(failure, &writer)
      if !failure.others.isEmpty {
        writer.key("others")
        writer.array(failure.others) { writer, other in
          writer.object { writeWhat(other, &$0) }
        }
      }
      writer.flag("budget", failure.isBudget)
      if let seed = failure.seed { writer.member("seed", Int64(bitPattern: seed)) }
      writer.key("example")
      writer.array(failure.example) { $0.string($1) }
      writer.key("timeline")
      writer.array(failure.timeline) { $0.string($1) }
    }
  }

  /// Where it is, and how it differs.
  private static func writeWhat(_ failure: TestFailure, _ writer: inout JSONWriter) {
    writer.member("file", failure.file)
    writer.member("line", failure.line)
    writer.member("message", failure.message)
    writer.key("differences")
    writer.array(failure.differences) { writer, difference in
      writer.object { writer in
        writer.member("field", difference.field)
        writer.member("wanted", difference.wanted)
        writer.member("got", difference.got)
      }
    }
  }

  mutating func end(_ summary: TestSummary) -> [String] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("event", "summary")
      writer.member("passed", summary.passed)
      writer.member("failed", summary.failed)
      writer.key("problems")
      writer.array(summary.problems) { $0.string($1) }
    }
    return [writer.text]
  }
}

/// JUnit's XML: one suite a file, told at the end, since its head counts what follows.
struct JUnitReport: TestReport {
  private var outcomes: [TestOutcome] = []

  mutating func begin(_ count: Int) -> [String] { [] }

  mutating func add(_ outcome: TestOutcome) -> [String] {
    outcomes.append(outcome)
    return []
  }

  mutating func end(_ summary: TestSummary) -> [String] {
    var files: [String] = []
    for outcome in outcomes where !files.contains(outcome.file) { files.append(outcome.file) }
    let errors = summary.problems.count
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"netvane\" tests=\"\(outcomes.count + errors)\" "
        + "failures=\"\(summary.failed)\" errors=\"\(errors)\" time=\"\(seconds(summary.time))\">",
    ]
    for file in files { lines += suite(file, outcomes.filter { $0.file == file }) }
    for problem in summary.problems {
      let name = attribute(String(problem.prefix { $0 != ":" }))
      lines += [
        "  <testsuite name=\"\(name)\" tests=\"1\" errors=\"1\">",
        "    <testcase classname=\"\(name)\" name=\"loads\">",
        "      <error message=\"\(attribute(problem))\"/>", "    </testcase>", "  </testsuite>",
      ]
    }
    return lines + ["</testsuites>"]
  }

  private func suite(_ file: String, _ outcomes: [TestOutcome]) -> [String] {
    let failures = outcomes.count { !$0.passed }
    let time = outcomes.reduce(Duration.zero) { $0 + $1.time }
    var lines = [
      "  <testsuite name=\"\(attribute(file))\" tests=\"\(outcomes.count)\" "
        + "failures=\"\(failures)\" time=\"\(seconds(time))\">"
    ]
    for outcome in outcomes {
      let head =
        "    <testcase classname=\"\(attribute(outcome.policy))\" "
        + "name=\"\(attribute(outcome.test.name))\" file=\"\(attribute(file))\" "
        + "line=\"\(outcome.test.line)\" time=\"\(seconds(outcome.time))\""
      guard let failure = outcome.failure else {
        lines.append(head + "/>")
        continue
      }
      let text = TextReport.lines(failure, runs: outcome.runs).map(content)
        .joined(separator: "\n")
      lines += [
        head + ">",
        "      <failure message=\"\(attribute(failure.summary))\">\(text)</failure>",
        "    </testcase>",
      ]
    }
    return lines + ["  </testsuite>"]
  }

  private func seconds(_ time: Duration) -> String {
    let microseconds = time.nanoseconds / 1000
    let digits = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// What XML cannot hold at all was written out before, as in logs.
  private func content(_ text: String) -> String {
    LineText.escaped(text).map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: String(character)
      }
    }.joined()
  }

  private func attribute(_ text: String) -> String { content(text) }
}
