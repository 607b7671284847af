import PathCore
import PathPolicy
import PathSimulation

/// `sim.expect { … }` and `sim.expect_soft { … }`: how things stand.
extension Simulation {
  private static let subjects = ["actions", "alerts", "log", "path", "published", "timers"]
  private static let alertKeys = [
    "body", "buttons", "channel", "expires", "key", "severity", "title",
  ]
  private static let pathKeys = [
    "causes", "changed", "constrained", "dns", "expensive", "initial", "interface", "ipv4", "ipv6",
    "monitor", "reason", "self_inflicted", "ssid", "status", "type", "why",
  ]

  func expectState(_ question: Question) throws(Objection) {
    let options = try question.options(0, Self.subjects)
    if options.isEmpty { throw .misuse("\(question.shown) {} checks nothing") }
    let world = try started()
    try charge(world.log.count)
    var differences: [Difference] = []
    for (subject, wanted) in options.pairs {
      switch subject {
      case "alerts": differences += try compareAlerts(wanted)
      case "timers": differences += try compareTimers(wanted)
      case "actions": differences += try compareActions(wanted)
      case "log": differences += try compareLog(wanted, world)
      case "path": differences += try comparePath(wanted, world)
      default: differences += try comparePublished(wanted, world)
      }
    }
    if !differences.isEmpty { throw .miss("it is not as expected", differences) }
  }

  /// A list of tables with known keys.
  func list(
    _ wanted: PlainValue, _ what: String, _ known: [String]
  ) throws(Objection) -> [PlainValue] {
    guard let elements = wanted.elements, elements.count <= 256 else {
      throw .misuse("\(what) is a list { { … }, … }, not \(Question.shown(wanted))")
    }
    for element in elements where try Options(element, what, known).isEmpty {
      throw .misuse("\(what): an entry {} checks nothing")
    }
    return elements
  }

  // MARK: Alerts and timers

  private func compareAlerts(_ wanted: PlainValue) throws(Objection) -> [Difference] {
    let elements = try list(wanted, "alerts", Self.alertKeys)
    for element in elements where element["buttons"] != .null {
      _ = try list(element["buttons"], "alerts: buttons", ["id", "label"])
    }
    let world = try started()
    let memory = world.engine.memory(of: script.name) ?? PolicyMemory()
    var shown: [PlainValue] = []
    for key in memory.alerts.keys.sorted() {
      guard let alert = memory.alerts[key] else { continue }
      let content = alert.content
      let buttons = content.buttons.map {
        PlainValue.table([("id", .string($0.id)), ("label", .string($0.label))])
      }
      var fields: [(String, PlainValue)] = [
        ("key", .string(key)), ("title", .string(content.title)),
        ("body", .string(content.body)), ("severity", .string(content.severity.rawValue)),
        ("channel", .string(content.channel)), ("buttons", .array(buttons)),
      ]
      if let expires = alert.expires { fields.append(("expires", left(expires, world))) }
      shown.append(.table(fields))
    }
    return Match.list(wanted: try withTimes(elements, "expires"), got: shown, "alerts")
  }

  private func compareTimers(_ wanted: PlainValue) throws(Objection) -> [Difference] {
    guard let given = wanted.elements, given.count <= 256 else {
      throw .misuse("timers is a list of names or of tables { name = …, left = … }")
    }
    let elements = given.map { $0.text == nil ? $0 : .table([("name", $0)]) }
    _ = try list(.array(elements), "timers", ["left", "name"])
    let world = try started()
    let timers = world.engine.memory(of: script.name)?.timers ?? [:]
    let shown = timers.keys.sorted().map { name in
      PlainValue.table([
        ("name", .string(name)), ("left", left(timers[name]?.deadline ?? .zero, world)),
      ])
    }
    return Match.list(wanted: try withTimes(elements, "left"), got: shown, "timers")
  }

  /// How long from now, on the boot clock.
  private func left(_ deadline: Duration, _ world: World) -> PlainValue {
    .string(max(.zero, deadline - world.boot).shortText)
  }

  /// Durations in the one form in which they are compared.
  func withTimes(
    _ elements: [PlainValue], _ key: String
  ) throws(Objection) -> [PlainValue] {
    try elements.map { element throws(Objection) in
      try Self.replacing(element, key) { value throws(Objection) in
        .string(try Question.duration(value, "'\(key)'").shortText)
      }
    }
  }

  /// The table with another form of one entry, if it has that.
  static func replacing(
    _ table: PlainValue, _ key: String,
    _ change: (PlainValue) throws(Objection) -> PlainValue
  ) throws(Objection) -> PlainValue {
    guard table[key] != .null, let pairs = table.pairs else { return table }
    let value = try change(table[key])
    return .map(pairs.map { $0.key.text == key ? PlainPair(key: $0.key, value: value) : $0 })
  }

  // MARK: What was said

  private func comparePublished(
    _ wanted: PlainValue, _ world: World
  ) throws(Objection) -> [Difference] {
    guard wanted.pairs != nil else {
      throw .misuse("published is a table of values by name, not \(Question.shown(wanted))")
    }
    let prefix = script.name + "/"
    var fields: [(String, PlainValue)] = []
    for name in world.published.keys.sorted() {
      guard let data = world.published[name], let value = PlainReader.decode(data) else { continue }
      fields.append((String(name.dropFirst(prefix.count)), value))
    }
    if wanted.elements != nil {
      return fields.isEmpty ? [] : [Match.difference("published", wanted, .table(fields))]
    }
    return Match.part(wanted: wanted, got: .table(fields), "published")
  }

  /// Each wanted text is part of a line of its own.
  private func compareLog(
    _ wanted: PlainValue, _ world: World
  ) throws(Objection) -> [Difference] {
    var texts: [String] = []
    let elements = wanted.elements ?? [wanted]
    try charge(world.log.count * elements.count)
    for element in elements {
      texts.append(try Question.text(element, "log is a list of texts"))
    }
    var lines = world.log.compactMap { entry -> String? in
      if case .log(_, let text) = entry.order { text } else { nil }
    }
    if texts.isEmpty, !lines.isEmpty {
      return [Match.difference("log", .array([]), .array(lines.suffix(5).map { .string($0) }))]
    }
    var differences: [Difference] = []
    for (place, text) in texts.enumerated() {
      if let index = lines.firstIndex(where: { $0.utf8.contains(text) }) {
        lines.remove(at: index)
      } else {
        let last = lines.last.map { PlainValue.string($0) } ?? .null
        differences.append(Match.difference("log[\(place + 1)]", .string(text), last))
      }
    }
    return differences
  }

  // MARK: The path

  private func comparePath(
    _ wanted: PlainValue, _ world: World
  ) throws(Objection) -> [Difference] {
    let options = try Options(wanted, "path", Self.pathKeys)
    if options.isEmpty { throw .misuse("path = {} checks nothing") }
    let monitor = try options.text("monitor")
    let event = world.deliveries.last { monitor == nil || $0.event.monitor == monitor }?.event
    guard let event else { return [Match.difference("path", wanted, .null)] }
    return Match.part(wanted: wanted, got: Self.fields(of: event), "path")
  }

  private static func fields(of event: PathEvent) -> PlainValue {
    let path = event.path
    let isUp = path.status == .satisfied
    var fields: [(String, PlainValue)] = [
      ("monitor", .string(event.monitor)), ("status", .string(path.status.rawValue)),
      ("reason", .string(path.reason.rawValue)), ("why", .string(path.why)),
      ("dns", .bool(path.supportsDNS)), ("initial", .bool(event.isInitial)),
      ("ipv4", .bool(path.supportsIPv4)), ("ipv6", .bool(path.supportsIPv6)),
      ("self_inflicted", .bool(event.isSelfInflicted)),
      ("causes", .array(event.causes.words.map { .string($0) })),
      (
        "changed", .table(event.causes.words.map { ($0, .bool(true)) })
      ),
    ]
    if isUp { fields.append(("expensive", .bool(path.isExpensive))) }
    if isUp { fields.append(("constrained", .bool(path.isConstrained))) }
    if let ssid = path.network?.ssid { fields.append(("ssid", .string(ssid))) }
    if let primary = path.primary {
      fields.append(("interface", .string(primary.name)))
      fields.append(("type", .string(primary.type.description)))
    }
    return .table(fields)
  }
}

extension PlainValue {
  static func string(_ text: String) -> PlainValue { .bytes(Array(text.utf8)) }

  /// A map with these names, in any order.
  static func table(_ fields: [(String, PlainValue)]) -> PlainValue {
    .map(fields.map { PlainPair(key: .string($0.0), value: $0.1) })
  }
}

extension Sequence<UInt8> {
  /// Whether these bytes are somewhere in it.
  fileprivate func contains(_ text: String) -> Bool {
    let (bytes, part) = (Array(self), Array(text.utf8))
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
  }
}
