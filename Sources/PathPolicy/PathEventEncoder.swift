import PathCore

/// `ev` of `on_path` and `settle`. Fields that are nil in Lua are left out.
extension RequestEncoder {
  static func pathEvent(_ event: PathEvent, _ writer: inout PlainWriter) {
    let path = event.path
    let map = writer.beginMap()
    var count = 18
    writer.field("monitor", event.monitor)
    writer.field("status", path.status.rawValue)
    writer.field("reason", path.reason.rawValue)
    writer.field("why", path.why)
    writer.field("dns", path.supportsDNS)
    writer.field("initial", event.isInitial)
    writer.field("sequence", event.sequence)
    writer.field("self_inflicted", false)
    writer.text("time")
    writer.lazy { $0.text(event.time.rfc3339) }
    writer.text("changed")
    writer.lazy { changed(event.causes, &$0) }
    writer.text("causes")
    writer.lazy { $0.list(event.causes.words) }
    writer.text("uses")
    writer.lazy { $0.set(path.uses.types.map(\.description)) }
    writer.text("interfaces")
    writer.lazy { interfaces(path.interfaces, &$0) }
    writer.text("alternatives")
    writer.lazy { interfaces(path.alternatives, &$0) }
    writer.text("gateways")
    writer.lazy { $0.list(path.gateways.map(\.description)) }
    writer.text("flaps")
    writer.lazy { flaps(event.flaps, &$0) }
    writer.text("network")
    writer.lazy { network(path.network, &$0) }
    writer.text("unsatisfied_reason")
    writer.text(path.unsatisfiedReason.rawValue)
    if let primary = path.primary {
      writer.field("interface", primary.name)
      writer.field("type", primary.type.description)
      count += 2
    }
    for (key, family) in [("ipv4", path.ipv4), ("ipv6", path.ipv6)] {
      guard let family else { continue }
      writer.text(key)
      writer.lazy { Self.family(family, &$0) }
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
    if case .event(let previous) = event.previous {
      writer.text("previous")
      writer.lazy { pathEvent(previous, &$0) }
      count += 1
    }
    writer.endMap(map, count: count)
  }

  /// The causes that are differences; `resumed` and `resync` are circumstances.
  private static func changed(_ causes: ChangeCauses, _ writer: inout PlainWriter) {
    writer.set(causes.subtracting([.resumed, .resync]).words)
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
    for (key, value) in [("id", network?.id), ("name", network?.name), ("ssid", network?.ssid)] {
      guard let value else { continue }
      writer.field(key, value)
      count += 1
    }
    writer.endMap(map, count: count)
  }
}

extension PlainWriter {
  mutating func field(_ key: String, _ value: String) {
    text(key)
    text(value)
  }

  mutating func field(_ key: String, _ value: Bool) {
    text(key)
    bool(value)
  }

  mutating func field(_ key: String, _ value: some BinaryInteger) {
    text(key)
    integer(Int64(clamping: value))
  }

  /// Each word as a key that is true.
  mutating func set(_ words: [String]) {
    let map = beginMap()
    for word in words { field(word, true) }
    endMap(map, count: words.count)
  }

  mutating func list(_ words: [String]) {
    array(words.count)
    for word in words { text(word) }
  }

  mutating func lazy(_ body: (inout PlainWriter) -> Void) {
    let place = beginLazy()
    body(&self)
    endLazy(place)
  }
}
