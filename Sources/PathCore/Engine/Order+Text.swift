/// The text form of an order: one line, stable, the same in logs, traces and golden files.
///
///     deliver POLICY MONITOR STATUS [via INTERFACE | because REASON] [initial]
///       [self-inflicted] [CAUSES] #NUMBER
///     alert POLICY KEY STATE SEVERITY "TITLE" ["BODY"] [buttons ID …] [by CAUSE]
///     publish POLICY NAME JSON [restored]
///     set KIND POLICY [NAME] at AWAKE | at boot BOOT
///     clear KIND POLICY [NAME]
///     persist POLICY JSON
///     log POLICY "TEXT"
///     perform POLICY KEY #SERIAL ACTION          (see Action)
///     cancel POLICY KEY #SERIAL
///     action POLICY KEY KIND STATE ["DETAIL"]
///     policy NAME STANDING ["DETAIL"]
///     fault POLICY HANDLER KIND "FILE:LINE: MESSAGE"
///     gap "DETAIL"
extension Order: CustomStringConvertible {
  package var description: String {
    switch self {
    case .deliver(let policy, let event): "deliver \(LineText.word(policy)) \(event)"
    case .alert(let notice): "alert \(notice)"
    case .publish(let notice): "publish \(notice)"
    case .setTimer(let id, let deadline): "set \(id) at \(deadline)"
    case .clearTimer(let id): "clear \(id)"
    case .persist(let policy, let data): "persist \(LineText.word(policy)) \(data.jsonText)"
    case .log(let policy, let text): "log \(LineText.word(policy)) \(LineText.quoted(text))"
    case .perform(let id, let action, _): "perform \(id) \(action)"
    case .cancel(let id): "cancel \(id)"
    case .action(let report): "action \(report)"
    case .policy(let name, let standing, let detail):
      "policy \(LineText.word(name)) \(standing.rawValue)"
        + (detail.isEmpty ? "" : " \(LineText.quoted(detail))")
    case .fault(let fault): "fault \(fault.summary)"
    case .gap(let detail): "gap \(LineText.quoted(detail))"
    }
  }
}

extension PublishNotice: CustomStringConvertible {
  package var description: String {
    "\(LineText.word(policy)) \(LineText.word(name)) \(value?.jsonText ?? "null")"
      + (isRestored ? " restored" : "")
  }
}

extension PathEvent: CustomStringConvertible {
  package var description: String {
    var text = "\(LineText.word(monitor)) \(path.line)"
    if isInitial { text += " initial" }
    if isSelfInflicted { text += " self-inflicted" }
    if !causes.isEmpty { text += " [\(causes.words.joined(separator: " "))]" }
    return text + " #\(sequence)"
  }
}

extension Path {
  /// The verdict in a few words.
  package var line: String {
    if let primary, status == .satisfied {
      return "\(status.rawValue) via \(LineText.word(primary.name))"
    }
    return reason == .none ? status.rawValue : "\(status.rawValue) because \(reason.rawValue)"
  }
}

extension AlertNotice: CustomStringConvertible {
  package var description: String {
    var text = "\(LineText.word(policy)) \(LineText.word(content.key)) \(state.rawValue)"
    text += " \(content.severity.rawValue) \(LineText.quoted(content.title))"
    if !content.body.isEmpty { text += " \(LineText.quoted(content.body))" }
    if !content.buttons.isEmpty {
      text += " buttons"
      for button in content.buttons { text += " \(LineText.word(button.id))" }
    }
    if !content.channel.isEmpty { text += " on \(LineText.word(content.channel))" }
    if let cause { text += " by \(cause.rawValue)" }
    return text
  }
}

extension ActionReport: CustomStringConvertible {
  package var description: String {
    "\(LineText.word(policy)) \(LineText.word(key)) \(kind) \(state.rawValue)"
      + (detail.isEmpty ? "" : " \(LineText.quoted(detail))")
  }
}

extension TimerID: CustomStringConvertible {
  package var description: String {
    "\(kind) \(LineText.word(policy))" + (name.isEmpty ? "" : " \(LineText.word(name))")
  }
}

extension TimerID.Kind: CustomStringConvertible {
  /// The word in traces and text forms.
  package var description: String {
    switch self {
    case .settle: "settle"
    case .unrest: "unrest"
    case .named: "named"
    case .every: "every"
    case .expiry: "expiry"
    case .rest: "rest"
    case .retry: "retry"
    case .outcome: "outcome"
    }
  }

  package init?(word: String) {
    guard let kind = Self.allCases.first(where: { $0.description == word }) else { return nil }
    self = kind
  }
}

extension Deadline: CustomStringConvertible {
  package var description: String {
    switch clock {
    case .awake: at.shortText
    case .boot: "boot \(at.shortText)"
    }
  }
}

extension PolicyFault {
  /// One line: who failed, where and why.
  package var summary: String {
    "\(LineText.word(policy)) \(handler?.rawValue ?? "load") \(kind.rawValue) "
      + LineText.quoted(located)
  }
}

extension PlainData {
  /// As JSON on one line, for people; what JSON cannot say is null.
  package var jsonText: String {
    var writer = JSONWriter(capacity: 64)
    writer.plain(self)
    return writer.text
  }
}

extension JSONWriter {
  /// A policy's value. Bytes that are not UTF-8 are repaired; what is no number for JSON is null.
  package mutating func plain(_ data: PlainData) {
    plain(PlainReader.decode(data) ?? .null)
  }

  package mutating func plain(_ value: PlainValue) {
    switch value {
    case .null: null()
    case .bool(let bool): self.bool(bool)
    case .integer(let integer): self.integer(integer)
    case .number(let number): finite(number)
    case .bytes(let bytes): string(String(decoding: bytes, as: UTF8.self))
    case .array(let values): array(values) { $0.plain($1) }
    case .map(let pairs):
      object { writer in
        for pair in pairs {
          switch pair.key {
          case .integer(let integer): writer.key(String(integer))
          default: writer.key(pair.key.text ?? "")
          }
          writer.plain(pair.value)
        }
      }
    }
  }
}
