package import PathCore

/// A model of how Linux answers: links, addresses, routes, rules and nexthop objects, and what a
/// lookup makes of them. It knows nothing of verdicts. Where it says how the kernel behaves, that
/// was seen on a real one; the scenarios run on both.
package final class ScriptedKernel: TestNetwork {
  package let abilities = Set(TestAbility.allCases)

  var links: [Link] = []
  var routes: [Route] = []
  var rules: [TestRule] = []
  var nexthops: [UInt32: Hop] = [:]
  var ignoresRoutesWithLinkdown = false
  var nameServers: [NameServer] = []
  var gatewayHardware: [GatewayHardware] = []
  private var nextIndex: Int32 = 1

  struct Link {
    var index: Int32
    var name: String
    var alternativeNames: [String] = []
    var spec: TestLink
    var isUp = false
    var hasCable = true
    var master: Int32 = 0
    var lower: Int32 = 0
    var stateOverride: OperationalState?
    var underlay = TestUnderlay.unsaid
    var isRadioBlocked = false
    var acceptsUniqueLocal = false
    var isOnDemand = false
    var isConstrained = false
    /// What the configuration says in place of the type's; nil: nothing.
    var isExpensive: Bool?
    var ssid: String?
    var addresses: [InterfaceAddress] = []
  }

  struct Hop: Equatable {
    var interface: Int32
    var gateway: IPAddress?
    var isDead = false
  }

  struct Route {
    var family: AddressFamily
    var destination: IPAddress
    var length: Int
    var source: IPAddress?
    var sourceLength = 0
    var metric: UInt32
    var table: UInt32
    var kind: TestRoute.Kind
    var hops: [Hop]
    var nexthop: UInt32?
    var preferredSource: IPAddress?

    func hasSameKey(as other: Route) -> Bool {
      family == other.family && destination == other.destination && length == other.length
        && source == other.source && sourceLength == other.sourceLength
        && metric == other.metric && table == other.table
    }
  }

  package init() {
    for family in AddressFamily.allCases {
      rules.append(TestRule(family, priority: 0, table: 255))
      rules.append(TestRule(family, priority: 32_766, table: 254))
      if family == .ipv4 { rules.append(TestRule(family, priority: 32_767, table: 253)) }
    }
    var loopback = Link(
      index: takeIndex(), name: "lo", spec: TestLink("lo", .loopback, kind: .virtual))
    loopback.isUp = true
    loopback.addresses = [
      InterfaceAddress(IPAddress(ipv4: 0x7F00_0001), prefixLength: 8),
      InterfaceAddress(IPAddress(ipv6High: 0, low: 1), prefixLength: 128),
    ]
    links.append(loopback)
  }

  private func takeIndex() -> Int32 {
    defer { nextIndex += 1 }
    return nextIndex
  }

  // MARK: Links

  package func addLink(_ spec: TestLink) throws {
    guard !links.contains(where: { $0.name == spec.name }) else {
      throw TestNetworkError("\(spec.name) exists")
    }
    var link = Link(index: takeIndex(), name: spec.name, spec: spec)
    switch spec.kind {
    case .vlan(let lower), .ppp(let lower), .ipip(let lower):
      link.lower = links[try position(lower)].index
    case .device, .virtual, .bridge, .bond, .wireguard, .tun, .tap: break
    }
    links.append(link)
  }

  package func deleteLink(_ name: String) throws {
    let position = try position(name)
    let index = links[position].index
    dropRoutes(through: index, families: [.ipv4, .ipv6])
    links.remove(at: position)
    gatewayHardware.removeAll { $0.interface == index }
    for other in links.indices where links[other].master == index { links[other].master = 0 }
  }

  package func rename(_ name: String, to newName: String) throws {
    links[try position(name)].name = newName
  }

  package func addAlternativeName(_ name: String, to link: String) throws {
    links[try position(link)].alternativeNames.append(name)
  }

  package func deleteAlternativeName(_ name: String, of link: String) throws {
    links[try position(link)].alternativeNames.removeAll { $0 == name }
  }

  package func setUp(_ name: String) throws {
    let position = try position(name)
    let index = links[position].index
    guard !links[position].isUp else { return }
    links[position].isUp = true
    for route in routes.indices {
      for hop in routes[route].hops.indices where routes[route].hops[hop].interface == index {
        routes[route].hops[hop].isDead = false
      }
    }
    if links[position].spec.kind != .wireguard, name != "lo" {
      links[position].addresses.append(
        InterfaceAddress(
          IPAddress(ipv6High: 0xFE80 << 48, low: UInt64(index), scope: index), prefixLength: 64))
    }
  }

  /// IPv4 routes go without a message, IPv6 ones and IPv6 addresses with one; IPv4 addresses stay.
  package func setDown(_ name: String) throws {
    let position = try position(name)
    links[position].isUp = false
    links[position].addresses.removeAll { $0.address.family == .ipv6 }
    dropRoutes(through: links[position].index, families: [.ipv4, .ipv6])
  }

  private func dropRoutes(through index: Int32, families: [AddressFamily]) {
    for route in routes.indices where families.contains(routes[route].family) {
      for hop in routes[route].hops.indices where routes[route].hops[hop].interface == index {
        routes[route].hops[hop].isDead = true
      }
    }
    routes.removeAll { route in
      route.kind == .unicast && !hops(of: route).contains { !$0.isDead && $0.interface != index }
    }
    if families.contains(.ipv6) { nexthops = nexthops.filter { $0.value.interface != index } }
  }

  package func setCarrier(_ name: String, _ hasCarrier: Bool) throws {
    links[try position(name)].hasCable = hasCarrier
  }

  package func setMaster(_ name: String, _ master: String?) throws {
    let owner = try master.map { links[try position($0)].index } ?? 0
    links[try position(name)].master = owner
  }

  package func setOperationalState(_ name: String, _ state: OperationalState?) throws {
    links[try position(name)].stateOverride = state
  }

  // MARK: Addresses

  package func addAddress(_ name: String, _ text: String, isPending: Bool) throws {
    let position = try position(name)
    let (address, length) = try Self.prefix(text)
    let entry = InterfaceAddress(address, prefixLength: UInt8(length), isPending: isPending)
    links[position].addresses.removeAll { $0.address == address }
    links[position].addresses.append(entry)
  }

  package func deleteAddress(_ name: String, _ text: String) throws {
    let position = try position(name)
    let (address, _) = try Self.prefix(text)
    links[position].addresses.removeAll { $0.address == address }
    // With the last IPv4 address every IPv4 route of the link goes, without a message; with
    // another one those through a gateway that nothing leads to any more.
    if address.family == .ipv4,
      !links[position].addresses.contains(where: { $0.address.family == .ipv4 })
    {
      return dropRoutes(through: links[position].index, families: [.ipv4])
    }
    routes.removeAll { route in
      route.family == .ipv4 && address.family == .ipv4 && !route.hops.isEmpty
        && !route.hops.contains { hop in
          hop.interface != links[position].index || hop.gateway?.family != .ipv4
            || isOnLink(hop.gateway, links[position].index, family: .ipv4)
        }
    }
  }

  // MARK: What is beside the routes

  package func setIgnoresRoutesWithLinkdown(_ ignores: Bool) {
    ignoresRoutesWithLinkdown = ignores
  }

  package func setUnderlay(_ name: String, _ underlay: TestUnderlay) throws {
    links[try position(name)].underlay = underlay
  }

  package func setAcceptsUniqueLocal(_ name: String, _ accepts: Bool) throws {
    links[try position(name)].acceptsUniqueLocal = accepts
  }

  package func setOnDemand(_ name: String, _ isOnDemand: Bool) throws {
    links[try position(name)].isOnDemand = isOnDemand
  }

  package func setRadioBlocked(_ name: String, _ isBlocked: Bool) throws {
    links[try position(name)].isRadioBlocked = isBlocked
  }

  /// What the configuration says of the link's cost; nil takes it back.
  package func setExpensive(_ name: String, _ isExpensive: Bool?) throws {
    links[try position(name)].isExpensive = isExpensive
  }

  package func setConstrained(_ name: String, _ isConstrained: Bool) throws {
    links[try position(name)].isConstrained = isConstrained
  }

  package func setWirelessName(_ name: String, _ ssid: String?) throws {
    links[try position(name)].ssid = ssid
  }

  package func setGatewayHardware(_ gateway: String, on name: String, _ address: String) throws {
    let index = links[try position(name)].index
    let gateway = try Self.address(gateway, scope: index)
    gatewayHardware.removeAll { $0.interface == index && $0.gateway == gateway }
    gatewayHardware.append(
      GatewayHardware(interface: index, gateway: gateway, address: address))
  }

  /// As the system's resolver reads it: the keyword first in its line and in lower case, the
  /// address up to the next blank, what it cannot read left out, three at most.
  package func setResolverFile(_ text: String) {
    let blanks: Set<Character> = [" ", "\t", "\r"]
    nameServers = text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).compactMap { line in
      let words = line.split(whereSeparator: { blanks.contains($0) })
      guard line.hasPrefix("nameserver"), words.count >= 2, words[0] == "nameserver" else {
        return nil
      }
      let parts = words[1].split(separator: "%", maxSplits: 1)
      guard let first = parts.first, let address = IPAddress(first) else { return nil }
      return NameServer(address, zone: parts.count > 1 ? String(parts[1]) : "")
    }
    nameServers = Array(nameServers.prefix(3))
  }
}
