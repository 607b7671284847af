/// One server of resolv.conf.
package struct NameServer: Hashable, Sendable {
  package var address: IPAddress
  /// The zone after `%`, as written; empty when there is none.
  package var zone: String
  /// What the kernel says about the way to it, a route without hops when it is this machine itself.
  /// Nil when it was not asked: in traces of earlier days, and for loopback and link-local servers.
  package var lookup: Lookup?

  package init(_ address: IPAddress, zone: String = "", lookup: Lookup? = nil) {
    self.address = address
    self.zone = zone
    self.lookup = lookup
  }
}

/// Everything the verdict depends on, read at one moment. Two equal snapshots give equal verdicts.
package struct Snapshot: Hashable, Sendable {
  /// Sorted by index, each index once: every link that could matter, and the links beneath those.
  /// A physical link is always kept, since its state explains why there is no path; another link
  /// with a master or without an address only when something else needs it. The rest is counted.
  package var interfaces: [Interface]
  /// What an ordinary, unbound socket gets.
  package var ipv4: Lookup
  package var ipv6: Lookup
  /// The first three servers of resolv.conf, as glibc takes them.
  package var nameServers: [NameServer]
  /// Hardware addresses of the gateways, in the order of the gateways, where known.
  package var gatewayHardware: [GatewayHardware]
  /// Links left out of `interfaces`.
  package var ignoredLinks: Int
  /// The user the lookups were made for (uidrange rules).
  package var userID: UInt32
  /// Nil when the kernel answered; else why it could not be asked.
  package var unavailable: String?

  package init(
    interfaces: [Interface] = [], ipv4: Lookup = .noRoute, ipv6: Lookup = .noRoute,
    nameServers: [NameServer] = [], gatewayHardware: [GatewayHardware] = [],
    ignoredLinks: Int = 0, userID: UInt32 = 0, unavailable: String? = nil
  ) {
    self.interfaces = interfaces
    self.ipv4 = ipv4
    self.ipv6 = ipv6
    self.nameServers = nameServers
    self.gatewayHardware = gatewayHardware
    self.ignoredLinks = ignoredLinks
    self.userID = userID
    self.unavailable = unavailable
  }

  package func lookup(_ family: AddressFamily) -> Lookup { family == .ipv4 ? ipv4 : ipv6 }

  package func interface(_ index: Int32) -> Interface? {
    interfaces.first { $0.index == index }
  }
}

/// Who answers for a gateway's address on the link: what tells one network from another.
package struct GatewayHardware: Hashable, Sendable {
  package var interface: Int32
  package var gateway: IPAddress
  /// Lower-case hexadecimal with colons.
  package var address: String

  package init(interface: Int32, gateway: IPAddress, address: String) {
    self.interface = interface
    self.gateway = gateway
    self.address = address
  }
}
