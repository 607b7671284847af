package import PathCore

/// A network that a test can shape the way a person would with ip(8): the scripted kernel, or a
/// real one in a namespace. Addresses, prefixes and names are text; families follow from them.
package protocol TestNetwork: AnyObject {
  /// What this network can do beyond routes, links and addresses.
  var abilities: Set<TestAbility> { get }

  func addLink(_ link: TestLink) throws
  func deleteLink(_ name: String) throws
  func rename(_ name: String, to newName: String) throws
  func addAlternativeName(_ name: String, to link: String) throws
  func deleteAlternativeName(_ name: String, of link: String) throws
  func setUp(_ name: String) throws
  func setDown(_ name: String) throws
  /// The far end of the cable: taken away or given back.
  func setCarrier(_ name: String, _ hasCarrier: Bool) throws
  /// Joins a bridge, bond or VRF, or leaves it (nil).
  func setMaster(_ name: String, _ master: String?) throws
  /// Overrides what the driver says; nil returns to the natural state.
  func setOperationalState(_ name: String, _ state: OperationalState?) throws

  /// A pending address is tentative: duplicate detection has not ended.
  func addAddress(_ name: String, _ address: String, isPending: Bool) throws
  func deleteAddress(_ name: String, _ address: String) throws

  func addRoute(_ route: TestRoute) throws
  /// After those with the same destination and metric.
  func appendRoute(_ route: TestRoute) throws
  /// In place of the first with the same destination and metric.
  func replaceRoute(_ route: TestRoute) throws
  func deleteRoute(_ route: TestRoute) throws
  /// Creates or replaces a nexthop object.
  func setNexthop(_ id: UInt32, gateway: String, interface: String) throws
  func deleteNexthop(_ id: UInt32) throws
  func addRule(_ rule: TestRule) throws
  func deleteRule(_ rule: TestRule) throws
  /// The sysctl of that name, for both families and all links.
  func setIgnoresRoutesWithLinkdown(_ ignores: Bool) throws

  func setResolverFile(_ text: String) throws
  /// What the configuration says about a tunnel.
  func setUnderlay(_ name: String, _ underlay: TestUnderlay) throws
  /// The configuration's `unique_local` and `on_demand`.
  func setAcceptsUniqueLocal(_ name: String, _ accepts: Bool) throws
  func setOnDemand(_ name: String, _ isOnDemand: Bool) throws
  func setRadioBlocked(_ name: String, _ isBlocked: Bool) throws
  func setWirelessName(_ name: String, _ ssid: String?) throws
  func setGatewayHardware(_ gateway: String, on name: String, _ address: String) throws

  func snapshot() throws -> Snapshot
  /// Waits for news the kernel may still have; false when there will be none.
  func waitForNews() throws -> Bool
}

extension TestNetwork {
  package func waitForNews() throws -> Bool { false }

  package func addAddress(_ name: String, _ address: String) throws {
    try addAddress(name, address, isPending: false)
  }

  /// A link that is up, with an address of each given kind.
  package func addLink(_ link: TestLink, addresses: String...) throws {
    try addLink(link)
    try setUp(link.name)
    for address in addresses { try addAddress(link.name, address) }
  }
}

/// What not every network can be asked to do.
package enum TestAbility: CaseIterable, Hashable, Sendable {
  /// rfkill and wireless names.
  case radio
  /// Links that wait to be let in, as 802.1X leaves them.
  case dormancy
  /// Links whose driver reports no operational state.
  case silentDriver
  /// Neighbours with a chosen hardware address.
  case neighbours
  case vlan
  case bond
  /// IP tunnels that know their link.
  case ipTunnel
  /// PPP lines.
  case ppp
}

/// A link to create.
package struct TestLink: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A device of its own; on a real kernel a veth whose type the configuration gives.
    case device
    /// One end of a container's or virtual machine's link: no type from the configuration.
    case virtual
    case bridge
    case bond
    case vlan(over: String)
    case ppp(over: String)
    case wireguard
    case tun
    /// A tun device that carries Ethernet frames.
    case tap
    /// An IP tunnel that the kernel knows the underlay of.
    case ipip(over: String)
  }

  package var name: String
  package var type: InterfaceType
  package var kind: Kind
  /// The configuration says so.
  package var isExpensive: Bool

  package init(
    _ name: String, _ type: InterfaceType = .wired, kind: Kind = .device,
    isExpensive: Bool = false
  ) {
    self.name = name
    self.type = type
    self.kind = kind
    self.isExpensive = isExpensive
  }

  package static func bridge(_ name: String) -> TestLink {
    TestLink(name, .other, kind: .bridge)
  }

  package static func wireguard(_ name: String) -> TestLink {
    TestLink(name, .other, kind: .wireguard)
  }

  package static func tun(_ name: String) -> TestLink { TestLink(name, .other, kind: .tun) }

  package static func tap(_ name: String) -> TestLink { TestLink(name, .other, kind: .tap) }

  package static func virtual(_ name: String) -> TestLink {
    TestLink(name, .wired, kind: .virtual)
  }
}

/// What the configuration says that a tunnel rides on.
package enum TestUnderlay: Hashable, Sendable {
  case unsaid
  case always
  case link(String)
}

/// A route to add or delete.
package struct TestRoute: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case unicast, unreachable, blackhole, prohibit, `throw`
  }

  package struct Hop: Hashable, Sendable {
    package var gateway: String?
    package var interface: String

    package init(_ gateway: String?, _ interface: String) {
      self.gateway = gateway
      self.interface = interface
    }
  }

  package var family: AddressFamily
  /// A prefix, or `default`.
  package var destination: String
  /// The prefix a packet must come from (IPv6 only); nil for any.
  package var source: String?
  package var hops: [Hop]
  package var nexthop: UInt32?
  /// The source address that the route names (`src`).
  package var preferredSource: String?
  /// Nil takes the kernel's: 0 for IPv4, 1024 for IPv6.
  package var metric: UInt32?
  package var table: UInt32
  package var kind: Kind

  package init(
    _ family: AddressFamily, _ destination: String = "default", source: String? = nil,
    hops: [Hop] = [], nexthop: UInt32? = nil, metric: UInt32? = nil, table: UInt32 = 254,
    kind: Kind = .unicast
  ) {
    self.family = family
    self.destination = destination
    self.source = source
    self.hops = hops
    self.nexthop = nexthop
    self.metric = metric
    self.table = table
    self.kind = kind
  }

  /// The IPv4 default.
  package static func ipv4(
    via gateway: String? = nil, _ interface: String, metric: UInt32? = nil, table: UInt32 = 254
  ) -> TestRoute {
    TestRoute(.ipv4, hops: [Hop(gateway, interface)], metric: metric, table: table)
  }

  /// The IPv6 default.
  package static func ipv6(
    via gateway: String? = nil, _ interface: String, metric: UInt32? = nil, table: UInt32 = 254
  ) -> TestRoute {
    TestRoute(.ipv6, hops: [Hop(gateway, interface)], metric: metric, table: table)
  }

  package func to(_ destination: String) -> TestRoute {
    var route = self
    route.destination = destination
    return route
  }

  package func src(_ address: String) -> TestRoute {
    var route = self
    route.preferredSource = address
    return route
  }

  package func from(_ source: String) -> TestRoute {
    var route = self
    route.source = source
    return route
  }
}

/// A policy rule to add or delete. Test traffic carries no mark.
package struct TestRule: Hashable, Sendable {
  package var family: AddressFamily
  package var priority: UInt32
  package var table: UInt32
  /// Nil matches every mark.
  package var mark: UInt32?
  /// Matches what the mark does not.
  package var isInverted: Bool
  package var suppressPrefixLength: Int?
  package var source: String?

  package init(
    _ family: AddressFamily, priority: UInt32, table: UInt32, mark: UInt32? = nil,
    isInverted: Bool = false, suppressPrefixLength: Int? = nil, source: String? = nil
  ) {
    self.family = family
    self.priority = priority
    self.table = table
    self.mark = mark
    self.isInverted = isInverted
    self.suppressPrefixLength = suppressPrefixLength
    self.source = source
  }
}

/// A step that the network turned down, as the kernel would.
package struct TestNetworkError: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
