/// The flags of a link that decide whether it can carry a path (netdevice(7)).
package struct LinkFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// IFF_UP: switched on by the administrator.
  package static let up = LinkFlags(rawValue: 1 << 0)
  /// IFF_RUNNING.
  package static let running = LinkFlags(rawValue: 1 << 1)
  /// IFF_LOWER_UP: the driver reports a carrier.
  package static let lowerUp = LinkFlags(rawValue: 1 << 2)
  /// IFF_LOOPBACK.
  package static let loopback = LinkFlags(rawValue: 1 << 3)
  /// IFF_POINTOPOINT.
  package static let pointToPoint = LinkFlags(rawValue: 1 << 4)

  package static func == (left: LinkFlags, right: LinkFlags) -> Bool {
    left.rawValue == right.rawValue
  }
}

/// RFC 2863's operational state, as IFLA_OPERSTATE gives it.
package enum OperationalState: UInt8, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  case unknown
  case notPresent
  case down
  case lowerLayerDown
  case testing
  case dormant
  case up

  package static func == (left: OperationalState, right: OperationalState) -> Bool {
    left.rawValue == right.rawValue
  }

  package var description: String {
    switch self {
    case .unknown: "unknown"
    case .notPresent: "notPresent"
    case .down: "down"
    case .lowerLayerDown: "lowerLayerDown"
    case .testing: "testing"
    case .dormant: "dormant"
    case .up: "up"
    }
  }
}

/// One address of an interface.
package struct InterfaceAddress: Hashable, Sendable {
  package var address: IPAddress
  package var prefixLength: UInt8
  /// Tentative, optimistic or failed duplicate detection: the kernel does not use it as a source.
  package var isPending: Bool

  package init(_ address: IPAddress, prefixLength: UInt8, isPending: Bool = false) {
    self.address = address
    self.prefixLength = prefixLength
    self.isPending = isPending
  }

  package static func == (left: InterfaceAddress, right: InterfaceAddress) -> Bool {
    left.address == right.address && left.prefixLength == right.prefixLength
      && left.isPending == right.isPending
  }

  /// 169.254.0.0/16, which is enough where a router on the link takes it.
  package var isLinkLocalIPv4: Bool {
    !isPending && address.family == .ipv4 && address.isLinkLocal
  }

  /// Fit to be the source of traffic that leaves the link.
  package var isUsable: Bool {
    !isPending && !address.isLinkLocal && !address.isLoopback && !address.isUnspecified
  }
}

/// Whether sending over a link costs money, and who says so.
package struct LinkCost: Hashable, Sendable {
  package enum Source: String, CaseIterable, Hashable, Sendable {
    case none, type, driver, config
  }

  package var isExpensive: Bool
  package var source: Source
  package var isConstrained: Bool

  package init(isExpensive: Bool = false, source: Source = .none, isConstrained: Bool = false) {
    self.isExpensive = isExpensive
    self.source = source
    self.isConstrained = isConstrained
  }
}

/// What a tunnel rides on, and who says so.
package enum Underlay: Hashable, Sendable {
  /// Not a tunnel, or one that needs nothing beneath it.
  case notNeeded
  /// The configuration says that it always counts.
  case always
  /// Named by IFLA_LINK or the configuration.
  case link(Int32)
  /// Not told; the evaluator looks for a link that could carry it.
  case unknown
}

/// One network interface as the kernel shows it: facts only, no verdict.
package struct Interface: Hashable, Sendable {
  package var index: Int32
  package var name: String
  package var alternativeNames: [String] = []
  package var type: InterfaceType
  /// The link kind (`veth`, `bridge`, `wireguard` …); empty for a device of its own.
  package var kind: String = ""
  package var flags: LinkFlags
  package var operationalState: OperationalState = .unknown
  /// The bridge, bond or VRF that owns this link; zero when none does.
  package var master: Int32 = 0
  /// The link beneath a vlan, macvlan or bond; zero when there is none in this namespace.
  package var lower: Int32 = 0
  package var underlay: Underlay = .notNeeded
  /// A tun device that carries Ethernet frames (IFLA_TUN_TYPE).
  package var isTap: Bool = false
  /// It is dialled when there is something to send.
  package var isOnDemand: Bool = false
  /// A device of its own, or one that the configuration gave a type.
  package var isPhysical: Bool = false
  package var isRadioBlocked: Bool = false
  /// The configuration says that a unique-local IPv6 address is enough here.
  package var acceptsUniqueLocal: Bool = false
  package var cost: LinkCost = LinkCost()
  /// Sorted; refreshed lifetimes are not part of it.
  package var addresses: [InterfaceAddress] = []
  /// The physical ports of a bridge; nil when it has none or is no bridge.
  package var bridgePorts: [Int32]?
  /// A route through a gateway to a global prefix in some table: a VPN's way to its server.
  package var hasGatewayRoute: Bool = false
  /// The name of the wireless network, where known.
  package var ssid: String?
  /// What the kernel says to a socket bound to this interface; nil when it was not asked.
  package var ipv4: Lookup?
  package var ipv6: Lookup?

  package init(index: Int32, name: String, type: InterfaceType, flags: LinkFlags) {
    self.index = index
    self.name = name
    self.type = type
    self.flags = flags
  }

  package func lookup(_ family: AddressFamily) -> Lookup? { family == .ipv4 ? ipv4 : ipv6 }

  package func hasUsableAddress(_ family: AddressFamily) -> Bool {
    addresses.contains { $0.address.family == family && $0.isUsable }
  }

  package var hasUsableAddress: Bool { addresses.contains(where: \.isUsable) }

  /// Whether the link can pass traffic.
  package var linkState: LinkState { LinkState(flags: flags, operationalState: operationalState) }

  /// Traffic never leaves by a port itself; its bridge or bond is the interface that counts.
  package var isPort: Bool { master != 0 }
}

/// The verdict on one link.
package enum LinkState: Hashable, Sendable {
  case usable
  case dormant
  case noCarrier
  case switchedOff

  /// UNKNOWN means "the driver does not say": then the flags do.
  package init(flags: LinkFlags, operationalState: OperationalState) {
    guard flags.contains(.up) else {
      self = .switchedOff
      return
    }
    switch operationalState {
    case .up: self = flags.contains(.lowerUp) ? .usable : .noCarrier
    case .unknown:
      self = flags.contains(.running) && flags.contains(.lowerUp) ? .usable : .noCarrier
    case .dormant: self = .dormant
    case .notPresent, .down, .lowerLayerDown, .testing: self = .noCarrier
    }
  }
}
