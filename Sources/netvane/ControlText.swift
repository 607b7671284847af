import PathCore
import PathDaemon

/// What the daemon answers to people who ask it, as plain text.
enum ControlText {
  static func text(_ answer: ControlAnswer) -> String {
    lines(answer).map { $0 + "\n" }.joined()
  }

  static func lines(_ answer: ControlAnswer) -> [String] {
    switch answer {
    case .status(let report): StatusText.lines(report)
    case .alerts(let alerts): alerts.isEmpty ? ["no alert is up"] : AlertText.full(alerts)
    case .deed(let deed): lines(deed)
    case .reload(let outcome):
      [visible(outcome.detail)]
        + outcome.rejected.map { rejection in
          visible("not taken: " + StatusText.sentence(rejection.located, rejection.instead))
        }
    }
  }

  private static func lines(_ deed: ControlDeed) -> [String] {
    let what = deed.button.map { "pressed \($0.id) (\($0.label)) of" } ?? "dismissed"
    let first = visible("\(what) \(deed.alert.name)")
    if deed.reports.isEmpty { return [first, "nothing that shows came of it"] }
    let plain = ReportText(console: .plain)
    return [first] + deed.reports.flatMap { plain.lines($0.report, at: $0.time) }
  }
}
