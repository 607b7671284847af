package import PathCore

/// Snapshots and filters out of a seed: mostly the kind a kernel shows, with a share of what it
/// never would – hops to links that are gone, circles of layers, tunnels over themselves.
package struct RandomSnapshots {
  package var generator: SplitMix64

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  package mutating func snapshot() -> Snapshot {
    let count = Int32.random(in: 0...6, using: &generator)
    var snapshot = Snapshot()
    if generator.chance(90) { snapshot.interfaces.append(.loopback) }
    for index in 0..<count { snapshot.interfaces.append(interface(index + 2, of: count)) }
    snapshot.ipv4 = lookup(.ipv4, among: count, bound: nil)
    snapshot.ipv6 = lookup(.ipv6, among: count, bound: nil)
    if generator.chance(70) {
      snapshot.nameServers = [
        NameServer(generator.pick([address(.ipv4), linkLocal]), zone: generator.pick(["", "if2"]))
      ]
    }
    if generator.chance(3) { snapshot.unavailable = "no such thing" }
    return snapshot
  }

  package mutating func filter() -> PathFilter {
    var filter = PathFilter()
    if generator.chance(40) { filter.required = generator.pick(InterfaceType.allCases) }
    for type in InterfaceType.allCases where generator.chance(20) {
      filter.prohibited.insert(InterfaceTypeSet(type))
    }
    if generator.chance(20) {
      filter.interface = generator.pick(["if2", "if*", "i?3", "lo", "x*"])
    }
    if generator.chance(20) { filter.ignored = [generator.pick(["if3", "*4", "lo"])] }
    filter.isBound = generator.chance(25)
    return filter
  }

  /// A link that can matter to nobody: up, with an address, and no way out.
  package mutating func island(_ index: Int32) -> Interface {
    var link = Interface(
      index: index, name: "island\(index)", type: .other, flags: [.up, .running, .lowerUp])
    link.kind = "bridge"
    link.operationalState = .up
    link.addresses = [InterfaceAddress(address(.ipv4), prefixLength: 16)]
    link.ipv4 = .noRoute
    link.ipv6 = .noRoute
    return link
  }

  private mutating func interface(_ index: Int32, of count: Int32) -> Interface {
    var link = Interface(
      index: index, name: "if\(index)", type: generator.pick([.wifi, .wired, .cellular, .other]),
      flags: generator.chance(85) ? [.up, .running, .lowerUp] : generator.pick([[], [.up]]))
    link.kind = generator.pick(["", "", "", "bridge", "vlan", "bond", "wireguard", "ppp"])
    link.operationalState =
      generator.chance(80) ? .up : generator.pick(OperationalState.allCases)
    if generator.chance(10) { link.flags.insert(.pointToPoint) }
    if generator.chance(10) { link.master = other(count) }
    if generator.chance(20) { link.lower = other(count) }
    link.isPhysical = generator.chance(50)
    link.isRadioBlocked = generator.chance(5)
    link.hasGatewayRoute = generator.chance(30)
    if link.kind == "wireguard" || generator.chance(5) {
      link.underlay = generator.pick([.unknown, .unknown, .always, .link(other(count))])
    }
    if link.kind == "bridge", generator.chance(60) { link.bridgePorts = [other(count)] }
    if generator.chance(20) {
      link.cost = LinkCost(isExpensive: true, source: .config, isConstrained: generator.chance(50))
    }
    for family in AddressFamily.allCases where generator.chance(75) {
      link.addresses.append(
        InterfaceAddress(
          generator.chance(90) ? address(family) : linkLocal, prefixLength: 24,
          isPending: generator.chance(10)))
    }
    if generator.chance(80) { link.ipv4 = lookup(.ipv4, among: count, bound: index) }
    if generator.chance(80) { link.ipv6 = lookup(.ipv6, among: count, bound: index) }
    return link
  }

  private mutating func other(_ count: Int32) -> Int32 {
    Int32.random(in: 1...(count + 3), using: &generator)
  }

  private mutating func lookup(
    _ family: AddressFamily, among count: Int32, bound: Int32?
  ) -> Lookup {
    if generator.chance(30) {
      return generator.pick([.noRoute, .noRoute, .refused(.blackhole), .failed("no answer")])
    }
    var hops: [NextHop] = []
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      hops.append(
        NextHop(
          interface: bound ?? other(count),
          gateway: generator.chance(70) ? address(family) : nil, isDead: generator.chance(10)))
    }
    return .route(
      RouteAnswer(hops: hops, metric: UInt32.random(in: 0...4, using: &generator) * 100))
  }

  private var linkLocal: IPAddress { IPAddress(ipv6High: 0xFE80 << 48, low: 1) }

  private mutating func address(_ family: AddressFamily) -> IPAddress {
    let host = UInt64.random(in: 1...200, using: &generator)
    return family == .ipv4
      ? IPAddress(ipv4: 0xC000_0200 + UInt32(host))
      : IPAddress(ipv6High: generator.chance(90) ? 0x2001_0DB8 << 32 : 0xFD00 << 48, low: host)
  }
}
