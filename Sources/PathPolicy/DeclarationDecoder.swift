import PathCore

/// Reads what the prelude says of a policy table it found good.
enum DeclarationDecoder {
  static func decode(_ data: PlainData, _ name: String) -> PolicyDeclaration? {
    guard let value = PlainReader.decode(data), value.pairs != nil else { return nil }
    var monitors: [MonitorDeclaration] = []
    for entry in value["monitors"].elements ?? [] {
      guard let monitor = monitor(entry) else { return nil }
      monitors.append(monitor)
    }
    var every: [RecurringTimer] = []
    for entry in value["every"].elements ?? [] {
      guard let parts = entry.elements, parts.count == 2, let name = parts[0].text,
        let period = parts[1].integer
      else { return nil }
      every.append(RecurringTimer(name: name, period: .nanoseconds(max(period, 1_000_000_000))))
    }
    var handlers: Set<Handler> = [.settle]
    var lines: [Handler: Int] = [:]
    let (words, begins) = (value["handlers"].elements ?? [], value["lines"].elements ?? [])
    for (word, line) in zip(words, begins) {
      guard let handler = word.text.flatMap({ Handler(rawValue: $0) }) else { return nil }
      handlers.insert(handler)
      lines[handler] = Int(clamping: max(1, line.integer ?? 1))
    }
    guard let state = PlainEncoder.encode(value["state"]) else { return nil }
    return PolicyDeclaration(
      name: name, about: value["about"].text ?? "", isEnabled: value["enabled"].bool ?? true,
      monitors: monitors.sorted { $0.name < $1.name }, every: every.sorted { $0.name < $1.name },
      handlers: handlers, lines: lines, state: state, version: max(0, value["version"].integer ?? 0)
    )
  }

  /// Whether the policy has a function that takes an older state over.
  static func migrates(_ data: PlainData) -> Bool {
    PlainReader.decode(data)?["migrates"].bool ?? false
  }

  private static func monitor(_ value: PlainValue) -> MonitorDeclaration? {
    guard let name = value["name"].text else { return nil }
    var prohibited: InterfaceTypeSet = []
    for word in value["prohibited"].elements ?? [] {
      guard let type = word.text.flatMap({ InterfaceType(word: $0) }) else { return nil }
      prohibited.insert(InterfaceTypeSet(type))
    }
    let filter = PathFilter(
      required: value["required"].text.flatMap { InterfaceType(word: $0) },
      prohibited: prohibited, interface: value["interface"].text,
      ignored: (value["ignore"].elements ?? []).compactMap(\.text),
      isBound: value["bound"].bool ?? false)
    let settle: SettleRule =
      switch value["settle"] {
      case .integer(let time): .fixed(.nanoseconds(max(time, 0)))
      case let word where word.text == "function": .function
      default: .standard
      }
    return MonitorDeclaration(
      name: name, filter: filter, settle: settle,
      settleMax: value["settle_max"].integer.map { .nanoseconds($0) })
  }
}
