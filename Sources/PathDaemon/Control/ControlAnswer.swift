package import PathCore

/// What somebody who asked is told.
package enum ControlAnswer: Sendable {
  case status(StatusReport)
  case alerts([EngineStatus.Alert])
  case deed(ControlDeed)
  case reload(ReloadOutcome)

  /// What the command of the same name exits with; in the header of the answer as `Netvane-Exit`.
  package var exitCode: Int32 {
    switch self {
    case .status(let report): report.path.status == .satisfied ? 0 : 1
    case .alerts(let alerts): alerts.isEmpty ? 3 : 0
    case .deed(let deed): deed.hasFailed ? 1 : 0
    case .reload(let outcome): outcome.rejected.isEmpty ? 0 : 1
    }
  }

  /// HTTP's number: a reload that did not take everything is 422.
  var status: Int {
    if case .reload(let outcome) = self, !outcome.rejected.isEmpty { return 422 }
    return 200
  }

  /// One object on a line; of alerts one line each.
  var json: [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    switch self {
    case .status(let report): report.writeJSON(into: &writer)
    case .alerts(let alerts):
      for alert in alerts {
        alert.writeJSON(into: &writer)
        writer.bytes.append(UInt8(ascii: "\n"))
      }
      return writer.bytes
    case .deed(let deed): deed.writeJSON(into: &writer)
    case .reload(let outcome): outcome.writeJSON(into: &writer)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }
}

/// A button that was pressed or an alert that was dismissed, and what came of it at once.
package struct ControlDeed: Sendable {
  package var alert: EngineStatus.Alert
  /// Nil when it was dismissed.
  package var button: AlertButton?
  /// What the run told meanwhile.
  package var reports: [TimedReport]
  /// What the engine decided, in the text form of orders.
  package var decided: [String]

  package struct TimedReport: Sendable {
    package var report: Report
    package var time: WallTime
  }

  /// Whether the handler failed, or an action that it wanted was not to be.
  fileprivate var hasFailed: Bool {
    reports.contains { entry in
      switch entry.report {
      case .fault: true
      case .action(let action): action.state == .refused || action.state == .failed
      default: false
      }
    }
  }

  fileprivate func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("policy", alert.policy)
      writer.member("key", alert.content.key)
      if let button { writer.member("button", button.id) }
      writer.key("decided")
      writer.array(decided) { $0.string($1) }
    }
  }
}

/// What came of reading the policies and the configuration again.
package struct ReloadOutcome: Sendable {
  package var detail: String
  /// What is not taken, now or still.
  package var rejected: [Rejection]

  package struct Rejection: Sendable {
    package var name: String
    /// `file:line: message`.
    package var located: String
    /// What holds in its place.
    package var instead: String
  }

  fileprivate func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("detail", detail)
      writer.key("rejected")
      writer.array(rejected) { writer, rejection in
        writer.object {
          $0.member("name", rejection.name)
          $0.member("error", rejection.located)
          $0.member("instead", rejection.instead)
        }
      }
    }
  }
}
