/// Writes one map of named fields, in any order of calls; maps within it likewise.
struct MapWriter: ~Copyable {
  private var writer = PlainWriter()
  private var counts = [0]
  private var places: [Int] = []

  init() { places.append(writer.beginMap()) }

  mutating func finish() -> [UInt8] {
    end()
    return writer.bytes
  }

  mutating func integer(_ key: StaticString, _ value: Int64) {
    name(key)
    writer.integer(value)
  }

  mutating func bool(_ key: StaticString, _ value: Bool) {
    name(key)
    writer.bool(value)
  }

  mutating func text(_ key: StaticString, _ value: String) {
    name(key)
    writer.text(value)
  }

  /// A value as it is, bytes within a text.
  mutating func data(_ key: StaticString, _ value: PlainData) {
    name(key)
    writer.text(value.bytes)
  }

  /// A map whose entries are maps; left out when empty.
  mutating func map<Value>(
    _ key: StaticString, _ entries: [String: Value], _ write: (inout MapWriter, Value) -> Void
  ) {
    guard !entries.isEmpty else { return }
    name(key)
    begin()
    for (name, value) in entries.sorted(by: { $0.key < $1.key }) {
      self.name(name)
      begin()
      write(&self, value)
      end()
    }
    end()
  }

  mutating func dataMap(_ key: StaticString, _ entries: [String: PlainData]) {
    guard !entries.isEmpty else { return }
    name(key)
    begin()
    for (name, value) in entries.sorted(by: { $0.key < $1.key }) {
      self.name(name)
      writer.text(value.bytes)
    }
    end()
  }

  mutating func alert(_ alert: PolicyMemory.Alert) {
    let content = alert.content
    text("key", content.key)
    text("severity", content.severity.rawValue)
    text("title", content.title)
    text("body", content.body)
    text("channel", content.channel)
    if let expires = alert.expires { integer("expires", expires.nanoseconds) }
    if alert.isExpiryHeld { bool("held", true) }
    guard !content.buttons.isEmpty else { return }
    name("buttons")
    writer.array(content.buttons.count)
    for button in content.buttons {
      begin()
      text("id", button.id)
      text("label", button.label)
      end()
    }
  }

  private mutating func name(_ key: StaticString) {
    counts[counts.count - 1] += 1
    writer.text(key)
  }

  private mutating func name(_ key: String) {
    counts[counts.count - 1] += 1
    writer.text(key)
  }

  private mutating func begin() {
    places.append(writer.beginMap())
    counts.append(0)
  }

  private mutating func end() {
    writer.endMap(places.removeLast(), count: counts.removeLast())
  }
}

/// Reads the named fields of one map. A field that is not there is nil; one of another kind is
/// damage, and so is text that is not UTF-8 or a name that is there twice.
struct MapReader {
  private let fields: [String: PlainValue]

  init?(_ value: PlainValue) {
    guard let pairs = value.pairs else { return nil }
    var fields: [String: PlainValue] = [:]
    for pair in pairs {
      guard case .bytes(let key) = pair.key, let name = String(validating: key, as: UTF8.self),
        fields.updateValue(pair.value, forKey: name) == nil
      else { return nil }
    }
    self.fields = fields
  }

  func integer(_ key: String) throws(Damage) -> Int64? {
    guard let value = fields[key] else { return nil }
    guard case .integer(let number) = value else { throw Damage() }
    return number
  }

  /// Whether a mark is set; it is left out where it is not.
  func bool(_ key: String) throws(Damage) -> Bool {
    guard let value = fields[key] else { return false }
    guard case .bool(let isSet) = value else { throw Damage() }
    return isSet
  }

  func text(_ key: String) throws(Damage) -> String? {
    guard let value = fields[key] else { return nil }
    guard case .bytes(let bytes) = value, let text = String(validating: bytes, as: UTF8.self)
    else { throw Damage() }
    return text
  }

  /// A time of the boot clock, or a period: there, and not negative.
  func time(_ key: String) throws(Damage) -> Duration {
    guard let value = try integer(key), value >= 0 else { throw Damage() }
    return .nanoseconds(value)
  }

  func data(_ key: String) throws(Damage) -> PlainData? {
    guard let value = fields[key] else { return nil }
    return try Self.data(value)
  }

  func map<Value>(
    _ key: String, _ read: (MapReader) throws(Damage) -> Value
  ) throws(Damage) -> [String: Value] {
    var entries: [String: Value] = [:]
    for (name, value) in try entriesOf(key) {
      guard let reader = MapReader(value) else { throw Damage() }
      entries[name] = try read(reader)
    }
    return entries
  }

  func dataMap(_ key: String) throws(Damage) -> [String: PlainData] {
    var entries: [String: PlainData] = [:]
    for (name, value) in try entriesOf(key) { entries[name] = try Self.data(value) }
    return entries
  }

  func alert() throws(Damage) -> PolicyMemory.Alert {
    guard let key = try text("key"), let title = try text("title"),
      let severity = AlertSeverity(rawValue: try text("severity") ?? "")
    else { throw Damage() }
    var content = AlertContent(key: key, severity: severity, title: title)
    content.body = try text("body") ?? ""
    content.channel = try text("channel") ?? ""
    for value in fields["buttons"]?.elements ?? [] {
      guard let fields = MapReader(value), let id = try fields.text("id"),
        let label = try fields.text("label")
      else { throw Damage() }
      content.buttons.append(AlertButton(id: id, label: label))
    }
    return PolicyMemory.Alert(
      content: content, expires: fields["expires"] == nil ? nil : try time("expires"),
      isExpiryHeld: try bool("held"))
  }

  private func entriesOf(_ key: String) throws(Damage) -> [String: PlainValue] {
    guard let value = fields[key] else { return [:] }
    guard let reader = MapReader(value) else { throw Damage() }
    return reader.fields
  }

  private static func data(_ value: PlainValue) throws(Damage) -> PlainData {
    guard case .bytes(let bytes) = value else { throw Damage() }
    let data = PlainData(bytes: bytes)
    guard PlainReader.decode(data) != nil else { throw Damage() }
    return data
  }
}
