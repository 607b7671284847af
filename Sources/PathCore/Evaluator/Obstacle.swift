/// What keeps an interface from carrying a path, most basic first.
package enum Obstacle: UInt8, Hashable, Sendable {
  case none
  /// Traffic never leaves the machine through it.
  case loopback
  case radioOff
  case switchedOff
  case noCarrier
  /// It waits for something, such as 802.1X.
  case dormant
  /// A bridge, none of whose physical ports has a carrier.
  case uplinkPortDown
  /// A tunnel with nothing to ride on.
  case noUnderlay
  case noAddress

  /// The reason of a path whose default route leads through such an interface.
  var reasonForRoute: PathReason {
    switch self {
    case .none: .none
    case .loopback: .noRoute
    case .radioOff, .switchedOff, .noCarrier: .deadDefaultRoute
    case .dormant: .dormant
    case .uplinkPortDown: .uplinkPortDown
    case .noUnderlay: .noUnderlay
    case .noAddress: .noAddress
    }
  }
}

/// What was worked out about one interface before any filter: plain numbers, so that the array of
/// them costs one allocation.
struct Standing: Sendable {
  /// Of the link, whatever the family; an address is a matter of each family.
  var obstacle = Obstacle.none
  var hasIPv4 = false
  var hasIPv6 = false
  /// It has an IPv4 address, fit or not: then it borrows none.
  var isNumbered = false
  /// Whether a socket bound to it would get a working route, and that route's metric.
  var carriesIPv4 = false
  var carriesIPv6 = false
  var metricIPv4: UInt32 = 0
  var metricIPv6: UInt32 = 0
  /// The type after a bond, vlan or bridge has taken that of the device beneath.
  var type = InterfaceType.other
  /// The types of all layers, its own included.
  var layers: InterfaceTypeSet = []
  /// Position of the link beneath a tunnel, or nil.
  var underlay: Int?
  var isUnderlayGuessed = false
  /// It needs another link to ride on.
  var isTunnel = false
  /// A translator from IPv4 to IPv6 (464XLAT): it rides on another link and yet is no VPN.
  var isTranslator = false
  /// The filter lets it be used.
  var isAllowed = true

  var carries: Bool { carriesIPv4 || carriesIPv6 }

  func carries(_ family: AddressFamily) -> Bool { family == .ipv4 ? carriesIPv4 : carriesIPv6 }

  func metric(_ family: AddressFamily) -> UInt32 { family == .ipv4 ? metricIPv4 : metricIPv6 }

  func obstacle(_ family: AddressFamily) -> Obstacle {
    if obstacle != .none { return obstacle }
    return (family == .ipv4 ? hasIPv4 : hasIPv6) ? .none : .noAddress
  }

  /// IPv4-capable first, then by metric within the family; the caller breaks ties by position.
  func isPreferred(over other: Standing) -> Bool? {
    if carriesIPv4 != other.carriesIPv4 { return carriesIPv4 }
    let family = carriesIPv4 ? AddressFamily.ipv4 : .ipv6
    let (mine, theirs) = (metric(family), other.metric(family))
    return mine == theirs ? nil : mine < theirs
  }
}
