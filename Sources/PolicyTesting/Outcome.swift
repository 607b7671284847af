/// What became of one case.
package struct TestOutcome: Sendable {
  /// The test's file, as people see it.
  package var file: String
  package var policy: String
  package var test: TestCase
  package var failure: TestFailure?
  /// Runs of a property that were done.
  package var runs: Int
  /// Zero where no clock is read.
  package var time: Duration = .zero

  /// Unique among all cases of a directory, and the same from run to run.
  package var id: String { "\(file): \(test.name)" }
  package var passed: Bool { failure == nil }
}

/// Why a case failed, and what there is to find out why.
package struct TestFailure: Hashable, Sendable {
  package var file: String
  package var line: Int
  package var message: String
  package var differences: [Difference] = []
  /// What else was not as expected in the same run, in its order; a case may go on.
  package var others: [TestFailure] = []
  /// The last facts and what the policy made of them.
  package var timeline: [String] = []
  /// Of a property: the seed that brings it back, and the run as a case to paste.
  package var seed: UInt64?
  package var example: [String] = []
  /// It used up what a case may use.
  package var isBudget = false

  package var place: String { "\(file):\(line)" }

  /// The message, and how much else there is.
  package var summary: String {
    others.isEmpty ? message : "\(message) (and \(others.count) more)"
  }
}
