internal import PathCore

/// The hardware addresses of the gateways in use: what tells one network from another.
///
/// An address once known stays until another one answers, the gateway is no longer used or its
/// link fails. The kernel forgets sooner, and its forgetting is no change of network.
struct GatewayHardwareCache {
  private struct Key: Hashable {
    var interface: Int32
    var gateway: IPAddress
  }

  /// Nil while nobody has answered.
  private var known: [Key: String?] = [:]

  /// Takes over the gateways in use and returns those not asked for yet.
  mutating func use(_ hops: [NextHop]) -> [(interface: Int32, address: IPAddress)] {
    var kept: [Key: String?] = [:]
    var fresh: [(interface: Int32, address: IPAddress)] = []
    for hop in hops {
      guard let gateway = hop.gateway else { continue }
      let key = Key(interface: hop.interface, gateway: gateway)
      if let old = known[key] {
        kept[key] = old
      } else {
        kept[key] = .some(nil)
        fresh.append((hop.interface, gateway))
      }
    }
    known = kept
    return fresh
  }

  /// Whether the entry is about a gateway in use and says something new.
  mutating func apply(_ neighbour: NeighbourRecord) -> Bool {
    let key = Key(interface: neighbour.interface, gateway: neighbour.address)
    guard let old = known[key], let hardware = neighbour.hardware, old != hardware else {
      return false
    }
    known[key] = hardware
    return true
  }

  /// What lay behind a link that failed may be another network when it returns.
  mutating func forget(_ interface: Int32) {
    for key in known.keys where key.interface == interface { known[key] = nil }
  }

  func entries(_ hops: [NextHop]) -> [GatewayHardware] {
    hops.compactMap { hop in
      guard let gateway = hop.gateway,
        let address = known[Key(interface: hop.interface, gateway: gateway)] ?? nil
      else { return nil }
      return GatewayHardware(interface: hop.interface, gateway: gateway, address: address)
    }
  }
}
