import PathCore

/// The refusals that still say something: of each action the last one, until the action is begun.
struct RefusalBook {
  /// Of more the oldest are forgotten.
  static let most = 32

  /// Oldest first.
  private(set) var entries: [StatusReport.Refusal] = []

  mutating func note(_ report: ActionReport, at time: WallTime) {
    switch report.state {
    case .refused:
      forget(report)
      entries.append(StatusReport.Refusal(report: report, time: time))
      if entries.count > Self.most { entries.removeFirst() }
    case .succeeded, .failed: forget(report)
    // Some are refused only once they were started.
    case .started, .waiting, .dropped: break
    }
  }

  mutating func forget(_ policy: String) { entries.removeAll { $0.report.policy == policy } }

  private mutating func forget(_ report: ActionReport) {
    entries.removeAll { $0.report.policy == report.policy && $0.report.key == report.key }
  }
}
