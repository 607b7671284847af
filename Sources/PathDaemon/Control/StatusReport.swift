package import PathCore

/// How a daemon is: the path, its policies, and what is up, running or waiting.
package struct StatusReport: Sendable {
  package var version: String
  package var process: Int32
  package var started: WallTime
  package var isDryRun: Bool
  package var path: Path
  package var engine: EngineStatus
  package var refusals: [Refusal]

  /// An action that the operator does not allow, or that went beyond a limit.
  package struct Refusal: Hashable, Sendable {
    package var report: ActionReport
    package var time: WallTime
  }

  /// One object on one line: the members of a path, and `daemon`, `policies`, `files`, `alerts` and
  /// `refused`. Times are in seconds from now.
  func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      path.writeJSONMembers(into: &writer)
      writer.key("daemon")
      writer.object {
        $0.member("version", version)
        $0.member("process", process)
        $0.member("started", started.rfc3339)
        $0.member("dryRun", isDryRun)
      }
      writer.key("policies")
      writer.array(engine.policies) { $1.writeJSON(into: &$0) }
      writer.key("files")
      writer.array(engine.files) { writer, file in
        writer.object {
          $0.member("name", file.name)
          $0.member("error", file.located)
        }
      }
      writer.key("alerts")
      writer.array(engine.alerts) { $1.writeJSON(into: &$0) }
      writer.key("refused")
      writer.array(refusals) { writer, refusal in
        writer.object {
          $0.member("time", refusal.time.rfc3339)
          $0.member("policy", refusal.report.policy)
          $0.member("key", refusal.report.key)
          $0.member("kind", refusal.report.kind)
          $0.member("detail", refusal.report.detail)
        }
      }
    }
  }
}

extension EngineStatus.Policy {
  fileprivate func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("description", about)
      writer.member("standing", standing.word)
      switch standing {
      case .running, .disabled: break
      case .resting(let left, let why):
        writer.member("rests", seconds: left)
        if let why { writer.member("error", why) }
      case .rejected(let why): writer.member("error", why)
      }
      if let edit { writer.member("editNotTaken", edit) }
      if let fault { writer.member("lastFault", fault) }
      writer.key("monitors")
      writer.array(monitors) { $1.writeJSON(into: &$0) }
      writer.key("timers")
      writer.array(timers) { writer, timer in
        writer.object {
          $0.member("name", timer.name)
          $0.member("due", seconds: timer.due)
          $0.member("recurring", timer.isRecurring)
        }
      }
      writer.key("actions")
      writer.array(actions) { $1.writeJSON(into: &$0) }
      writer.key("published")
      writer.object { writer in
        for entry in published {
          writer.key(entry.name)
          writer.plain(entry.value)
        }
      }
    }
  }
}

extension EngineStatus.Monitor {
  fileprivate func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.key("status")
      if let status { writer.string(status.rawValue) } else { writer.null() }
      if let pending {
        writer.key("pending")
        writer.object {
          $0.member("status", pending.status.rawValue)
          $0.member("due", seconds: pending.due)
        }
      }
    }
  }
}

extension EngineStatus.Action {
  fileprivate func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("key", key)
      writer.member("kind", kind)
      switch state {
      case .running: writer.member("state", "running")
      case .waiting(let left):
        writer.member("state", "waiting")
        writer.member("due", seconds: left)
      case .waitingForPath: writer.member("state", "waitingForPath")
      case .waitingForTurn: writer.member("state", "waitingForTurn")
      }
      writer.member("attempt", attempt)
      writer.member("pending", hasPending)
    }
  }
}

extension EngineStatus.Alert {
  func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("policy", policy)
      writer.member("key", content.key)
      writer.member("severity", content.severity.rawValue)
      writer.member("title", content.title)
      writer.member("body", content.body)
      writer.key("buttons")
      writer.array(content.buttons) { writer, button in
        writer.object {
          $0.member("id", button.id)
          $0.member("label", button.label)
        }
      }
      if let expires { writer.member("expires", seconds: expires) }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, seconds time: Duration) {
    key(name)
    finite(Double(time.nanoseconds / 1_000_000) / 1000)
  }
}
