import PathCore
import PathDaemon

/// Reports as JSON, one object a line. `time` (RFC 3339) and `event` come first; then, by event:
///
/// - `ready`: version, policies
/// - `path`: policy, monitor, status, reason, why, interface, type, initial, changed, causes,
///   sequence
/// - `alert`: policy, key, state, severity, title, body, cause (of a resolved one, or `restored`)
/// - `publish`: policy, name, value
/// - `action`: policy, key, kind, state, detail
/// - `policy`: policy, state, detail
/// - `fault`: policy, handler, file, line, message
/// - `gap`: detail
/// - `reload`: detail
/// - `shadow`: policy, only (live, shadow), what
enum ReportJSON {
  static func line(_ report: Report, at time: WallTime) -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("time", time.rfc3339)
      write(report, into: &writer)
    }
    return writer.text
  }

  private static func write(_ report: Report, into writer: inout JSONWriter) {
    switch report {
    case .ready(let policies):
      writer.member("event", "ready")
      writer.member("version", netvaneVersion)
      writer.member("policies", policies)
    case .path(let policy, let event): path(policy, event, &writer)
    case .alert(let notice): alert(notice, &writer)
    case .publish(let notice):
      writer.member("event", "publish")
      writer.member("policy", notice.policy)
      writer.member("name", notice.name)
      writer.key("value")
      if let value = notice.value { write(value, into: &writer) } else { writer.null() }
      if notice.isRestored { writer.member("restored", true) }
    case .action(let action):
      writer.member("event", "action")
      writer.member("policy", action.policy)
      writer.member("key", action.key)
      writer.member("kind", action.kind)
      writer.member("state", action.state.rawValue)
      writer.member("detail", action.detail)
    case .policy(let name, let standing, let detail):
      writer.member("event", "policy")
      writer.member("policy", name)
      writer.member("state", standing.rawValue)
      writer.member("detail", detail)
    case .fault(let fault):
      writer.member("event", "fault")
      writer.member("policy", fault.policy)
      writer.key("handler")
      if let handler = fault.handler { writer.string(handler.rawValue) } else { writer.null() }
      writer.member("file", fault.file)
      writer.member("line", fault.line)
      writer.member("message", fault.message)
    case .gap(let detail):
      writer.member("event", "gap")
      writer.member("detail", detail)
    case .reload(let detail):
      writer.member("event", "reload")
      writer.member("detail", detail)
    case .shadow(let difference):
      writer.member("event", "shadow")
      writer.member("policy", difference.policy)
      writer.member("only", difference.only.rawValue)
      writer.member("what", difference.what)
    }
  }

  private static func path(_ policy: String, _ event: PathEvent, _ writer: inout JSONWriter) {
    writer.member("event", "path")
    writer.member("policy", policy)
    writer.member("monitor", event.monitor)
    writer.member("status", event.path.status.rawValue)
    writer.member("reason", event.path.reason.rawValue)
    writer.member("why", event.path.why)
    writer.key("interface")
    if let primary = event.path.primary { writer.string(primary.name) } else { writer.null() }
    writer.key("type")
    if let primary = event.path.primary {
      writer.string(primary.type.description)
    } else {
      writer.null()
    }
    writer.member("initial", event.isInitial)
    writer.key("changed")
    writer.array(event.causes.subtracting([.resumed, .resync]).words) { $0.string($1) }
    writer.key("causes")
    writer.array(event.causes.words) { $0.string($1) }
    writer.member("sequence", event.sequence)
  }

  private static func alert(_ notice: AlertNotice, _ writer: inout JSONWriter) {
    writer.member("event", "alert")
    writer.member("policy", notice.policy)
    writer.member("key", notice.content.key)
    writer.member("state", notice.state.rawValue)
    writer.member("severity", notice.content.severity.rawValue)
    writer.member("title", notice.content.title)
    writer.member("body", notice.content.body)
    if let cause = notice.cause { writer.member("cause", cause.rawValue) }
  }

  /// A published value as JSON; what cannot be read is null.
  static func write(_ data: PlainData, into writer: inout JSONWriter) {
    write(PlainReader.decode(data) ?? .null, into: &writer)
  }

  private static func write(_ value: PlainValue, into writer: inout JSONWriter) {
    switch value {
    case .null: writer.null()
    case .bool(let bool): writer.bool(bool)
    case .integer(let integer): writer.integer(integer)
    case .number(let number): writer.finite(number)
    case .bytes: writer.string(value.text ?? "")
    case .array(let values): writer.array(values) { write($1, into: &$0) }
    case .map(let pairs):
      writer.object { writer in
        for pair in pairs {
          writer.key(pair.key.text ?? pair.key.integer.map { String($0) } ?? "")
          write(pair.value, into: &writer)
        }
      }
    }
  }
}
