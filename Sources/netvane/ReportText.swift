import PathCore
import PathDaemon

/// Reports as calm, aligned text for people: the time, what it is about, whose it is, and a
/// sentence.
struct ReportText {
  let console: Console

  /// As wide as the time and the kind.
  static let indent = String(repeating: " ", count: 19)

  func lines(_ report: Report, at time: WallTime) -> [String] {
    let prefix = console.styled(Self.clock(time), .faint) + "  "
    switch report {
    case .ready(let policies):
      let count = policies == 1 ? "1 policy" : "\(policies) policies"
      return [prefix + kind("ready", .bold) + "netvane \(netvaneVersion), \(count)"]
    case .path(let policy, let event): return [prefix + path(policy, event)]
    case .alert(let notice): return alert(notice, prefix)
    case .publish(let notice):
      let shown = notice.value.map { visible("\(notice.name) = ") + value($0) }
      return [
        prefix + kind("publish") + owner(notice.policy)
          + (shown ?? visible("\(notice.name) withdrawn"))
          + (notice.isRestored ? console.styled("  (restored)", .faint) : "")
      ]
    case .action(let action):
      if action.kind == "log" {
        return [prefix + kind("log") + owner(action.policy) + visible(action.detail)]
      }
      let style: Console.Style =
        action.state == .failed || action.state == .refused ? .yellow : .faint
      return [
        prefix + kind("action") + owner(action.policy) + visible("\(action.key): \(action.kind) ")
          + console.styled(action.state.rawValue, style)
          + (action.detail.isEmpty ? "" : ", " + visible(action.detail))
      ]
    case .policy(let name, let standing, let detail):
      let style: Console.Style = standing == .rejected || standing == .resting ? .red : .faint
      return [
        prefix + kind("policy") + owner(name) + console.styled(standing.rawValue, style)
          + (detail.isEmpty ? "" : "  " + visible(detail))
      ]
    case .fault(let fault):
      return [prefix + kind("fault", .red) + owner(fault.policy) + visible(fault.located)]
    case .gap(let detail):
      return [prefix + kind("gap", .yellow) + visible(detail)]
    case .shadow(let difference):
      return [
        prefix + kind("shadow", .yellow) + owner(difference.policy)
          + (difference.policy.isEmpty ? "" : "only \(difference.only.rawValue): ")
          + visible(difference.what)
      ]
    case .reload(let detail): return [prefix + kind("reload") + visible(detail)]
    }
  }

  private func path(_ policy: String, _ event: PathEvent) -> String {
    let style: Console.Style = event.path.status == .satisfied ? .green : .red
    let monitor = event.monitor == "internet" ? "" : "\(visible(event.monitor)): "
    // A change of status brings the others with it; alone they say what the change is.
    let causes =
      event.causes.contains(.status)
      ? event.causes.intersection([.flapping, .resumed, .resync]).words : event.causes.words
    return kind("path", style) + owner(policy) + monitor
      + console.styled(event.path.status.rawValue, style) + "  " + visible(event.path.why)
      + (causes.isEmpty ? "" : console.styled("  (\(causes.joined(separator: ", ")))", .faint))
  }

  private func alert(_ notice: AlertNotice, _ prefix: String) -> [String] {
    let style: Console.Style =
      switch notice.content.severity {
      case .info: .green
      case .warning: .yellow
      case .critical: .red
      }
    let isUp = notice.state == .raised || notice.state == .updated
    let first =
      prefix + kind("alert", isUp ? style : .faint) + owner(notice.policy)
      + "\(notice.cause == .restored ? "restored" : notice.state.rawValue)  "
      + console.styled(visible(notice.content.title), .bold)
    guard isUp, !notice.content.body.isEmpty else { return [first] }
    return [first, Self.indent + visible(notice.content.body)]
  }

  private func kind(_ word: String, _ style: Console.Style = .faint) -> String {
    console.styled(word, style) + String(repeating: " ", count: max(1, 9 - word.count))
  }

  private func owner(_ policy: String) -> String {
    visible(policy) + String(repeating: " ", count: max(2, 20 - policy.count))
  }

  private func value(_ data: PlainData) -> String {
    var writer = JSONWriter(capacity: 64)
    ReportJSON.write(data, into: &writer)
    return visible(writer.text)
  }

  static func clock(_ time: WallTime) -> String {
    let civil = time.civil
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))"
  }
}
