import PathCore

/// Alerts that are up, as plain lines.
enum AlertText {
  /// One line each: whose, how grave, what, and the buttons' ids.
  static func short(_ alerts: [EngineStatus.Alert]) -> [String] {
    let width = StatusText.width(alerts.map(\.name))
    return alerts.map { alert in
      let buttons = alert.content.buttons.map(\.id).joined(separator: ", ")
      return head(alert, width) + (buttons.isEmpty ? "" : visible("  (\(buttons))"))
    }
  }

  /// With body and buttons, each on a line below.
  static func full(_ alerts: [EngineStatus.Alert]) -> [String] {
    let width = StatusText.width(alerts.map(\.name))
    return alerts.flatMap { alert in
      var lines = [head(alert, width)]
      if !alert.content.body.isEmpty { lines.append("  " + visible(alert.content.body)) }
      if !alert.content.buttons.isEmpty {
        let buttons = alert.content.buttons.map { visible("[\($0.id)] \($0.label)") }
        lines.append("  " + buttons.joined(separator: "   "))
      }
      if let left = alert.expires { lines.append("  ends in \(left.wholeSeconds)") }
      return lines
    }
  }

  private static func head(_ alert: EngineStatus.Alert, _ width: Int) -> String {
    StatusText.padded(alert.name, width)
      + StatusText.padded(alert.content.severity.rawValue, 8) + visible(alert.content.title)
  }
}
