import PathCore

/// `ev` of `on_path` and `settle`, without its predecessor. Fields that are nil in Lua are left
/// out. What most policies look at comes first; the rest is decoded when something else is asked
/// for.
enum PathEventEncoder {
  static func write(_ event: PathEvent, _ writer: inout PlainWriter) {
    let path = event.path
    let map = writer.beginMap()
    var count = 7
    writer.field("monitor", event.monitor)
    writer.field("status", path.status.rawValue)
    writer.field("reason", path.reason.rawValue)
    writer.field("why", path.why)
    writer.field("initial", event.isInitial)
    writer.text("changed")
    changed(event.causes, &writer)
    if let primary = path.primary {
      writer.field("interface", primary.name)
      writer.field("type", primary.type.description)
      count += 2
    }
    writer.text("")
    writer.lazy { rest(event, &$0) }
    writer.endMap(map, count: count)
  }

  private static func rest(_ event: PathEvent, _ writer: inout PlainWriter) {
    let path = event.path
    let map = writer.beginMap()
    var count = 12
    writer.field("dns", path.supportsDNS)
    writer.field("sequence", event.sequence)
    writer.field("self_inflicted", false)
    writer.field("unsatisfied_reason", path.unsatisfiedReason.rawValue)
    writer.field("time", event.time.rfc3339)
    writer.text("causes")
    causes(event.causes, &writer)
    writer.text("uses")
    uses(path.uses, &writer)
    writer.text("interfaces")
    interfaces(path.interfaces, &writer)
    writer.text("alternatives")
    interfaces(path.alternatives, &writer)
    writer.text("gateways")
    gateways(path, &writer)
    writer.text("flaps")
    flaps(event.flaps, &writer)
    writer.text("network")
    network(path.network, &writer)
    if let ipv4 = path.ipv4 {
      writer.text("ipv4")
      family(ipv4, &writer)
      count += 1
    }
    if let ipv6 = path.ipv6 {
      writer.text("ipv6")
      family(ipv6, &writer)
      count += 1
    }
    if path.status == .satisfied {
      writer.field("expensive", path.isExpensive)
      writer.field("constrained", path.isConstrained)
      writer.field("expensive_source", path.expensiveSource.rawValue)
      count += 3
    }
    if let since = event.since {
      writer.field("since", since.shortText)
      count += 1
    }
    writer.endMap(map, count: count)
  }

  /// The causes that are differences; `resumed` and `resync` are circumstances.
  private static func changed(_ causes: ChangeCauses, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    var count = 0
    for entry in ChangeCauses.table where causes.contains(entry.cause) {
      if entry.cause == .resumed || entry.cause == .resync { continue }
      writer.text(entry.word)
      writer.bool(true)
      count += 1
    }
    writer.endMap(map, count: count)
  }

  private static func causes(_ causes: ChangeCauses, _ writer: inout PlainWriter) {
    writer.array(causes.rawValue.nonzeroBitCount)
    for entry in ChangeCauses.table where causes.contains(entry.cause) { writer.text(entry.word) }
  }

  private static func uses(_ types: InterfaceTypeSet, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    for type in types.types { writer.field(type.description, true) }
    writer.endMap(map, count: types.rawValue.nonzeroBitCount)
  }

  private static func gateways(_ path: Path, _ writer: inout PlainWriter) {
    let count = (path.ipv4?.gateways.count ?? 0) + (path.ipv6?.gateways.count ?? 0)
    writer.array(count)
    if count == 0 { return }
    for gateway in path.gateways { writer.text(gateway.description) }
  }

  private static func interfaces(_ list: [PathInterface], _ writer: inout PlainWriter) {
    writer.array(list.count)
    for interface in list {
      let map = writer.beginMap()
      writer.field("name", interface.name)
      writer.field("type", interface.type.description)
      writer.field("kind", interface.kind)
      writer.field("tunnel", interface.isTunnel)
      if let underlay = interface.underlay { writer.field("underlay", underlay) }
      writer.endMap(map, count: interface.underlay == nil ? 4 : 5)
    }
  }

  private static func family(_ family: FamilyPath, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    writer.field("interface", family.interface.name)
    writer.field("tunnel", family.interface.isTunnel)
    if let gateway = family.gateways.first { writer.field("gateway", gateway.description) }
    writer.endMap(map, count: family.gateways.isEmpty ? 2 : 3)
  }

  private static func flaps(_ counts: FlapCounts, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    writer.field("last_1m", counts.lastMinute)
    writer.field("last_10m", counts.lastTenMinutes)
    writer.field("last_1h", counts.lastHour)
    writer.endMap(map, count: 3)
  }

  private static func network(_ network: NetworkIdentity?, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    var count = 0
    if let network {
      writer.field("id", network.id)
      count += 1
      if let name = network.name {
        writer.field("name", name)
        count += 1
      }
      if let ssid = network.ssid {
        writer.field("ssid", ssid)
        count += 1
      }
    }
    writer.endMap(map, count: count)
  }
}

extension PlainWriter {
  mutating func field(_ key: StaticString, _ value: String) {
    text(key)
    text(value)
  }

  @_disfavoredOverload
  mutating func field(_ key: String, _ value: Bool) {
    text(key)
    bool(value)
  }

  mutating func field(_ key: StaticString, _ value: Bool) {
    text(key)
    bool(value)
  }

  mutating func field(_ key: StaticString, _ value: some BinaryInteger) {
    text(key)
    integer(Int64(clamping: value))
  }

  /// Each word as a key that is true.
  mutating func set(_ words: [String]) {
    let map = beginMap()
    for word in words { field(word, true) }
    endMap(map, count: words.count)
  }

  mutating func lazy(_ body: (inout PlainWriter) -> Void) {
    let place = beginLazy()
    body(&self)
    endLazy(place)
  }
}
