/// What policies keep, as it may be shown to anybody: every text in it is free text.
extension Redactor {
  mutating func redact(_ memory: PolicyMemory) -> PolicyMemory {
    var redacted = memory
    redacted.state = memory.state.map { data($0) }
    redacted.published = redact(memory.published)
    redacted.retries = redact(memory.retries)
    redacted.limits = redact(memory.limits)
    for (key, alert) in memory.alerts.sorted(by: { $0.key < $1.key }) {
      redacted.alerts[key]?.content.title = text(alert.content.title)
      redacted.alerts[key]?.content.body = text(alert.content.body)
      for (index, button) in alert.content.buttons.enumerated() {
        redacted.alerts[key]?.content.buttons[index].label = text(button.label)
      }
    }
    return redacted
  }

  private mutating func redact(_ entries: [String: PlainData]) -> [String: PlainData] {
    var redacted = entries
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) { redacted[key] = data(value) }
    return redacted
  }

  /// A value with every text in it redacted, those of keys too; what cannot be read is left out.
  mutating func data(_ data: PlainData) -> PlainData {
    PlainReader.decode(data).flatMap { PlainEncoder.encode(value($0)) } ?? .emptyMap
  }

  private mutating func value(_ value: PlainValue) -> PlainValue {
    switch value {
    case .null, .bool, .integer, .number: return value
    case .bytes(let bytes):
      // What is not text says nothing that could be found in it.
      guard let old = String(validating: bytes, as: UTF8.self) else { return value }
      return .bytes(Array(text(old).utf8))
    case .array(let values):
      var redacted: [PlainValue] = []
      for value in values { redacted.append(self.value(value)) }
      return .array(redacted)
    case .map(let pairs):
      var redacted: [PlainPair] = []
      for pair in pairs {
        redacted.append(PlainPair(key: self.value(pair.key), value: self.value(pair.value)))
      }
      return .map(redacted)
    }
  }

  /// Learns the wireless names of a snapshot, so that texts written before it lose them too.
  package mutating func learn(_ snapshot: Snapshot) { _ = redact(snapshot) }
}
