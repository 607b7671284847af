import PathCore

/// The path's part of `ev`, written out once for all policies and events that speak of it.
final class PathBytes {
  private var kept = Kept()
  let times = TimeText()

  /// The map of a path's fields.
  func bytes(of path: Boxed<Path>) -> [UInt8] { kept.bytes(of: path) }

  /// One value, so that the class is asked once for it.
  private struct Kept: ~Copyable {
    private var bytes: [[UInt8]] = []
    /// The paths they are of; held, so that each identity stays theirs.
    private var paths: [Boxed<Path>] = []
    /// Searched alone: nothing in them is counted.
    private var identities: [ObjectIdentifier] = []
    private var next = 0
    private var writer = PlainWriter()
    /// The present path and its predecessor for the filters of a few dozen monitors.
    private static let most = 64

    mutating func bytes(of path: Boxed<Path>) -> [UInt8] {
      let identity = path.identity
      for index in identities.indices where identities[index] == identity { return bytes[index] }
      writer.clear()
      PathBytes.write(path.wrappedValue, &writer)
      let fresh = writer.bytes
      if bytes.count < Self.most {
        bytes.append(fresh)
        paths.append(path)
        identities.append(identity)
      } else {
        (bytes[next], paths[next], identities[next]) = (fresh, path, identity)
        next = (next + 1) % Self.most
      }
      return fresh
    }
  }

  fileprivate static func write(_ path: Path, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    var count = 10
    writer.field("status", path.status.rawValue)
    writer.field("reason", path.reason.rawValue)
    writer.field("why", path.why)
    if let primary = path.primary {
      writer.field("interface", primary.name)
      writer.field("type", primary.type.description)
      count += 2
    }
    if path.status == .satisfied {
      writer.field("expensive", path.isExpensive)
      writer.field("constrained", path.isConstrained)
      writer.field("expensive_source", path.expensiveSource.rawValue)
      count += 3
    }
    writer.field("dns", path.supportsDNS)
    writer.field("unsatisfied_reason", path.unsatisfiedReason.rawValue)
    writer.text("uses")
    writer.sized { uses(path.uses, &$0) }
    writer.text("interfaces")
    writer.sized { interfaces(path.interfaces, &$0) }
    writer.text("alternatives")
    writer.sized { interfaces(path.alternatives, &$0) }
    writer.text("gateways")
    writer.sized { gateways(path, &$0) }
    writer.text("network")
    writer.sized { network(path.network, &$0) }
    if let ipv4 = path.ipv4 {
      writer.text("ipv4")
      writer.sized { family(ipv4, &$0) }
      count += 1
    }
    if let ipv6 = path.ipv6 {
      writer.text("ipv6")
      writer.sized { family(ipv6, &$0) }
      count += 1
    }
    writer.endMap(map, count: count)
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
