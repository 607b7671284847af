import Foundation
package import PathCore

/// Reads what `Fact.writeJSON` and `TraceHeader.writeJSON` wrote; refuses whatever they do not
/// write.
package struct TraceReader {
  package struct Malformed: Error, CustomStringConvertible {
    package var description: String
  }

  package init() {}

  package func header(_ line: String) throws -> TraceHeader {
    let json = try JSONObject(line)
    let format = try json.integer("netvane-trace")
    guard format == TraceHeader.formatVersion else {
      throw Malformed(description: "trace version \(format)")
    }
    return TraceHeader(
      version: try json.text("version"), lua: try json.text("lua"),
      isRedacted: json.flag("redacted"), seed: UInt64(try json.unsigned("seed")),
      policies: try json.objects("policies").map {
        TraceHeader.Policy(name: try $0.text("name"), hash: try $0.text("hash"))
      }, config: json.optionalText("config"))
  }

  package func fact(_ line: String) throws -> (at: Moment, fact: Fact) {
    let json = try JSONObject(line)
    return (try moment(json.object("at")), try fact(json))
  }

  private func moment(_ json: JSONObject) throws -> Moment {
    Moment(
      awake: .nanoseconds(try json.integer("awake")), boot: .nanoseconds(try json.integer("boot")),
      wall: WallTime(
        unixNanoseconds: try json.integer("wall"),
        offsetSeconds: Int32(try json.integer("offset", or: 0)),
        zone: json.optionalText("zone") ?? "UTC"))
  }

  private func fact(_ json: JSONObject) throws -> Fact {
    switch try json.text("fact") {
    case "snapshot": .snapshot(try snapshot(json.object("snapshot")))
    case "policies": .policies(try policies(json.object("policies")))
    case "gap": .gap(detail: try json.text("detail"))
    case "timer": .timer(try timer(json.object("timer")))
    case "button":
      .button(
        policy: try json.text("policy"), key: try json.text("key"),
        button: try json.text("button"))
    case "dismissed": .dismissed(policy: try json.text("policy"), key: try json.text("key"))
    case "result":
      .result(try actionID(json.object("id")), try result(json.object("result")))
    case "killed":
      .killed(
        call: Int64(try json.integer("call")), try fault(json.object("fault")))
    case "asleep": .asleep
    case "resumed": .resumed
    case "stop": .stop
    case let word: throw Malformed(description: "no fact '\(word)'")
    }
  }

  /// The facts of a trace in the order in which a replay is given them: what is said of a call that
  /// was killed stands behind the fact that led to it, and must be known before.
  package func facts(_ lines: [String]) throws -> [(at: Moment, fact: Fact)] {
    var facts: [(at: Moment, fact: Fact)] = []
    var place = 0
    for line in lines {
      let entry = try fact(line)
      if case .killed = entry.fact {
        facts.insert(entry, at: place)
      } else {
        place = facts.count
        facts.append(entry)
      }
    }
    return facts
  }

  private func timer(_ json: JSONObject) throws -> TimerID {
    guard let kind = TimerID.Kind(word: try json.text("kind")) else {
      throw Malformed(description: "timer kind")
    }
    return TimerID(kind, policy: try json.text("policy"), name: json.optionalText("name") ?? "")
  }

  // MARK: Policies

  private func policies(_ json: JSONObject) throws -> PolicySet {
    var set = PolicySet(
      reason: try json.word("reason"), loaded: try json.objects("loaded").map(declaration),
      rejected: try json.objects("rejected").map(fault), changed: Set(try json.texts("changed")),
      memories: try byName(json, "memories") { text in
        guard let memory = PolicyMemory(bytes: try bytes(text)) else {
          throw Malformed(description: "memory")
        }
        return memory
      }, migrated: try byName(json, "migrated") { PlainData(bytes: try bytes($0)) })
    set.stopped = Set(try json.texts("stopped"))
    set.hashes = try byName(json, "hashes") { $0 }
    set.config = json.optionalText("config")
    return set
  }

  private func byName<Value>(
    _ json: JSONObject, _ key: String, _ read: (String) throws -> Value
  ) throws -> [String: Value] {
    guard json.has(key) else { return [:] }
    let object = try json.object(key)
    var entries: [String: Value] = [:]
    for name in object.values.keys { entries[name] = try read(object.text(name)) }
    return entries
  }

  private func bytes(_ hexadecimal: String) throws -> [UInt8] {
    let digits = Array(hexadecimal)
    return try stride(from: 0, to: digits.count, by: 2).map { place in
      guard let byte = UInt8(String(digits[place...(place + 1)]), radix: 16) else {
        throw Malformed(description: hexadecimal)
      }
      return byte
    }
  }

  private func fault(_ json: JSONObject) throws -> PolicyFault {
    PolicyFault(
      policy: try json.text("policy"),
      handler: json.has("handler") ? try json.word("handler") : nil,
      kind: try json.word("kind"), file: try json.text("file"),
      line: Int(try json.integer("line")), message: try json.text("message"))
  }

  private func declaration(_ json: JSONObject) throws -> PolicyDeclaration {
    var state = PlainData.emptyMap
    if let text = json.optionalText("state") { state = PlainData(bytes: try bytes(text)) }
    return PolicyDeclaration(
      name: try json.text("name"), about: json.optionalText("about") ?? "",
      isEnabled: !json.flag("disabled"), monitors: try json.objects("monitors").map(monitor),
      every: try json.objects("every").map {
        RecurringTimer(
          name: try $0.text("name"), period: .nanoseconds(try $0.integer("period")))
      },
      handlers: Set(
        try json.texts("handlers").map { word in
          guard let handler = Handler(rawValue: word) else { throw Malformed(description: word) }
          return handler
        }), state: state, version: try json.integer("version", or: 0))
  }

  private func monitor(_ json: JSONObject) throws -> MonitorDeclaration {
    var prohibited: InterfaceTypeSet = []
    for word in try json.texts("prohibited") {
      prohibited.insert(InterfaceTypeSet(try type(word)))
    }
    var settle = SettleRule.standard
    if json.has("settle") {
      settle =
        json.optionalText("settle") == "function"
        ? .function : .fixed(.nanoseconds(try json.integer("settle")))
    }
    return MonitorDeclaration(
      name: try json.text("name"),
      filter: PathFilter(
        required: try json.optionalText("required").map(type), prohibited: prohibited,
        interface: json.optionalText("interface"), ignored: try json.texts("ignore"),
        isBound: json.flag("bound")), settle: settle,
      settleMax: json.has("settleMax") ? .nanoseconds(try json.integer("settleMax")) : nil)
  }

  private func type(_ word: String) throws -> InterfaceType {
    guard let type = InterfaceType(word: word) else { throw Malformed(description: word) }
    return type
  }
}

// MARK: - Snapshots

extension TraceReader {
  private func snapshot(_ json: JSONObject) throws -> Snapshot {
    Snapshot(
      interfaces: try json.objects("interfaces").map(interface),
      ipv4: try lookup(json.values["ipv4"]), ipv6: try lookup(json.values["ipv6"]),
      nameServers: try json.objects("nameServers").map {
        NameServer(
          try address($0.text("address")), zone: $0.optionalText("zone") ?? "",
          lookup: try $0.values["lookup"].map(lookup))
      },
      gatewayHardware: try json.objects("gatewayHardware").map {
        GatewayHardware(
          interface: Int32(try $0.integer("interface")), gateway: try address($0.text("gateway")),
          address: try $0.text("address"))
      }, ignoredLinks: Int(try json.integer("ignoredLinks", or: 0)),
      userID: UInt32(try json.integer("userID", or: 0)),
      unavailable: json.optionalText("unavailable"))
  }

  private func interface(_ json: JSONObject) throws -> Interface {
    var flags: LinkFlags = []
    for word in try json.texts("flags") {
      guard let flag = LinkFlags.words.first(where: { $0.word == word })?.flag else {
        throw Malformed(description: word)
      }
      flags.insert(flag)
    }
    var interface = Interface(
      index: Int32(try json.integer("index")), name: try json.text("name"),
      type: try type(json.text("type")), flags: flags)
    interface.alternativeNames = try json.texts("altnames")
    interface.kind = json.optionalText("kind") ?? ""
    let operstate = try json.text("operstate")
    guard let state = OperationalState.allCases.first(where: { $0.description == operstate }) else {
      throw Malformed(description: operstate)
    }
    interface.operationalState = state
    interface.master = Int32(try json.integer("master", or: 0))
    interface.lower = Int32(try json.integer("lower", or: 0))
    switch json.optionalText("underlay") {
    case "always": interface.underlay = .always
    case "unknown": interface.underlay = .unknown
    default:
      if json.has("underlay") { interface.underlay = .link(Int32(try json.integer("underlay"))) }
    }
    interface.isTap = json.flag("tap")
    interface.isOnDemand = json.flag("onDemand")
    interface.isPhysical = json.flag("physical")
    interface.isRadioBlocked = json.flag("radioBlocked")
    interface.acceptsUniqueLocal = json.flag("acceptsUniqueLocal")
    try readRest(of: &interface, json)
    return interface
  }

  private func readRest(of interface: inout Interface, _ json: JSONObject) throws {
    if json.has("cost") {
      let cost = try json.object("cost")
      interface.cost = LinkCost(
        isExpensive: cost.flag("expensive"), source: try cost.word("source"),
        isConstrained: cost.flag("constrained"))
    }
    interface.addresses = try json.objects("addresses").map { json in
      let parts = try json.text("address").split(separator: "/")
      var entry = InterfaceAddress(
        try address(String(parts[0])), prefixLength: UInt8(parts[1]) ?? 0,
        isPending: json.flag("pending"))
      entry.address.scope = Int32(try json.integer("scope", or: 0))
      return entry
    }
    if json.has("bridgePorts") {
      interface.bridgePorts = (json.values["bridgePorts"] as? [Int])?.map(Int32.init)
    }
    interface.hasGatewayRoute = json.flag("gatewayRoute")
    interface.ssid = json.optionalText("ssid")
    interface.ipv4 = try json.values["ipv4"].map(lookup)
    interface.ipv6 = try json.values["ipv6"].map(lookup)
  }

  private func lookup(_ value: Any?) throws -> Lookup {
    if value as? String == "noRoute" { return .noRoute }
    guard let values = value as? [String: Any] else { throw Malformed(description: "lookup") }
    let json = JSONObject(values: values)
    if json.has("refused") { return .refused(try json.word("refused")) }
    if let why = json.optionalText("failed") { return .failed(why) }
    let route = try json.object("route")
    return .route(
      RouteAnswer(
        hops: try route.objects("hops").map {
          NextHop(
            interface: Int32(try $0.integer("interface")),
            gateway: try $0.optionalText("gateway").map(address), isDead: $0.flag("dead"))
        }, table: UInt32(try route.integer("table")), metric: UInt32(try route.integer("metric")),
        prefixLength: UInt8(try route.integer("prefix")),
        source: try route.optionalText("source").map(address)))
  }

  private func address(_ text: String) throws -> IPAddress {
    let parts = text.split(separator: "%")
    guard var address = IPAddress(parts[0]) else { throw Malformed(description: text) }
    if parts.count == 2 { address.scope = Int32(parts[1]) ?? 0 }
    return address
  }
}

/// The members of a JSON object, asked for by name and type.
struct JSONObject {
  var values: [String: Any]

  init(values: [String: Any]) { self.values = values }

  init(_ line: String) throws {
    let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
    guard let values = value as? [String: Any] else {
      throw TraceReader.Malformed(description: "no object: \(line)")
    }
    self.values = values
  }

  func has(_ key: String) -> Bool { values[key] != nil }

  func flag(_ key: String) -> Bool { values[key] as? Bool ?? false }

  func optionalText(_ key: String) -> String? { values[key] as? String }

  func text(_ key: String) throws -> String { try cast(key) }

  func texts(_ key: String) throws -> [String] { has(key) ? try cast(key) : [] }

  func integer(_ key: String, or absent: Int64? = nil) throws -> Int64 {
    if let absent, !has(key) { return absent }
    guard let number = values[key] as? NSNumber else {
      throw TraceReader.Malformed(description: "\(key) is no number")
    }
    return number.int64Value
  }

  func unsigned(_ key: String) throws -> UInt64 {
    guard let number = values[key] as? NSNumber else {
      throw TraceReader.Malformed(description: "\(key) is no number")
    }
    return number.uint64Value
  }

  func object(_ key: String) throws -> JSONObject { JSONObject(values: try cast(key)) }

  func objects(_ key: String) throws -> [JSONObject] {
    guard has(key) else { return [] }
    let list: [[String: Any]] = try cast(key)
    return list.map(JSONObject.init(values:))
  }

  func word<Word: RawRepresentable>(_ key: String) throws -> Word where Word.RawValue == String {
    guard let word = Word(rawValue: try text(key)) else {
      throw TraceReader.Malformed(description: "\(key) is no known word")
    }
    return word
  }

  private func cast<Value>(_ key: String) throws -> Value {
    guard let value = values[key] as? Value else {
      throw TraceReader.Malformed(description: "\(key) is missing or of another kind")
    }
    return value
  }
}
