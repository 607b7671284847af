import PathCore
import PathPolicy
import PathSimulation

/// `sim.expect { actions = … }`: what is at work, and how it was asked for.
extension Simulation {
  private static let actionKeys = [
    "args", "browser", "command", "disturbs", "key", "kind", "limit", "method", "timeout", "url",
  ]

  func compareActions(_ wanted: PlainValue) throws(Objection) -> [Difference] {
    var elements = try list(wanted, "actions", Self.actionKeys)
    elements = try withTimes(try withTimes(elements, "timeout"), "disturbs")
    for place in elements.indices {
      elements[place] = try Self.replacing(elements[place], "limit", Self.limit)
      elements[place] = try Self.replacing(elements[place], "browser") { value in
        value.text == nil ? value : .array([value])
      }
    }
    let world = try started()
    let shown = running.keys.sorted().compactMap { key -> PlainValue? in
      guard let action = running[key]?.action else { return nil }
      let request = world.engine.request(of: script.name, key: key)
      return .table([("key", .string(key))] + Self.fields(of: action) + Self.fields(of: request))
    }
    return Match.list(wanted: elements, got: shown, "actions")
  }

  private static func fields(of action: Action) -> [(String, PlainValue)] {
    let kind = ("kind", PlainValue.string(action.kind.rawValue))
    switch action {
    case .exec(let request):
      let arguments = request.arguments.map { PlainValue.string($0) }
      return [
        kind, ("command", .string(request.command)), ("args", .array(arguments)),
        ("timeout", .string(request.timeout.shortText)),
      ]
    case .openURL(let request):
      let browsers = request.browsers.map { PlainValue.string($0) }
      return [kind, ("url", .string(request.url)), ("browser", .array(browsers))]
    case .http(let request):
      return [
        kind, ("url", .string(request.url)), ("method", .string(request.method.rawValue)),
        ("timeout", .string(request.timeout.shortText)),
      ]
    }
  }

  private static func fields(of request: ActionRequest?) -> [(String, PlainValue)] {
    var fields: [(String, PlainValue)] = []
    if let limit = request?.limit { fields.append(("limit", .string(shown(limit)))) }
    if let time = request?.disturbs { fields.append(("disturbs", .string(time.shortText))) }
    return fields
  }

  private static func shown(_ limit: RateLimit) -> String {
    "\(limit.count)/\(limit.per.shortText)"
  }

  /// A limit in the one form in which they are compared.
  private static func limit(_ value: PlainValue) throws(Objection) -> PlainValue {
    if let (count, per) = value.text.flatMap(TestDuration.readLimit) {
      return .string(shown(RateLimit(count: count, per: per)))
    }
    throw .misuse("'limit': \(Question.shown(value)) is no limit such as \"3/1h\"")
  }
}
