/// NWPath.Status.
package enum PathStatus: String, CaseIterable, Hashable, Sendable {
  case satisfied, unsatisfied, requiresConnection
}

/// Why a path is not satisfied, finer than NWPath.UnsatisfiedReason.
package enum PathReason: String, CaseIterable, Hashable, Sendable {
  /// The path is satisfied.
  case none
  case noInterface, noCarrier, noAddress, noRoute, routeRefused, deadDefaultRoute
  case uplinkPortDown, noUnderlay, dormant, filteredOut, radioOff
  /// The kernel could not be asked.
  case unknown
}

/// NWPath.UnsatisfiedReason.
package enum UnsatisfiedReason: String, CaseIterable, Hashable, Sendable {
  case notAvailable, cellularDenied, wifiDenied, localNetworkDenied, vpnInactive
}

/// An interface as a path shows it.
package struct PathInterface: Hashable, Sendable {
  package var index: Int32
  package var name: String
  package var type: InterfaceType
  package var kind: String
  package var isTunnel: Bool
  /// The name of the link beneath a tunnel, where known.
  package var underlay: String?
  /// The underlay was worked out, not told by the kernel or the configuration.
  package var isUnderlayGuessed: Bool

  package init(
    index: Int32, name: String, type: InterfaceType, kind: String = "", isTunnel: Bool = false,
    underlay: String? = nil, isUnderlayGuessed: Bool = false
  ) {
    self.index = index
    self.name = name
    self.type = type
    self.kind = kind
    self.isTunnel = isTunnel
    self.underlay = underlay
    self.isUnderlayGuessed = isUnderlayGuessed
  }
}

/// How one address family leaves the machine.
package struct FamilyPath: Hashable, Sendable {
  package var interface: PathInterface
  /// Of every next hop, in the kernel's order; empty for a device route.
  package var gateways: [IPAddress]

  package init(interface: PathInterface, gateways: [IPAddress]) {
    self.interface = interface
    self.gateways = gateways
  }
}

/// Which network this is, for telling "the same place as before" from "another".
package struct NetworkIdentity: Hashable, Sendable {
  package var id: String
  package var name: String?
  package var ssid: String?

  package init(id: String, name: String? = nil, ssid: String? = nil) {
    self.id = id
    self.name = name
    self.ssid = ssid
  }
}

/// The verdict for one filter: what path a program would get.
package struct Path: Sendable {
  package var status: PathStatus
  package var reason: PathReason
  package var unsatisfiedReason: UnsatisfiedReason
  /// Those that carry or could carry this path, best first; empty unless satisfied or dormant.
  package var interfaces: [PathInterface]
  /// Those that could serve but are not chosen.
  package var alternatives: [PathInterface]
  package var ipv4: FamilyPath?
  package var ipv6: FamilyPath?
  package var supportsDNS: Bool
  /// Types of every layer of the path in use.
  package var uses: InterfaceTypeSet
  package var isExpensive: Bool
  package var expensiveSource: LinkCost.Source
  package var isConstrained: Bool
  package var network: NetworkIdentity?
  /// One sentence for people.
  package var why: String

  package init(status: PathStatus, reason: PathReason, why: String) {
    self.status = status
    self.reason = reason
    self.why = why
    unsatisfiedReason = .notAvailable
    interfaces = []
    alternatives = []
    supportsDNS = false
    uses = []
    isExpensive = false
    expensiveSource = .none
    isConstrained = false
  }

  package var primary: PathInterface? { interfaces.first }
  package var supportsIPv4: Bool { ipv4 != nil }
  package var supportsIPv6: Bool { ipv6 != nil }
  package var gateways: [IPAddress] { (ipv4?.gateways ?? []) + (ipv6?.gateways ?? []) }
}

extension Path: Equatable {
  /// What a change is. The sentence follows from the rest, and a network identity that becomes
  /// known is no change.
  package static func == (left: Path, right: Path) -> Bool {
    left.status == right.status && left.reason == right.reason
      && left.unsatisfiedReason == right.unsatisfiedReason
      && left.interfaces == right.interfaces && left.alternatives == right.alternatives
      && left.ipv4 == right.ipv4 && left.ipv6 == right.ipv6
      && left.supportsDNS == right.supportsDNS && left.uses == right.uses
      && left.isExpensive == right.isExpensive && left.expensiveSource == right.expensiveSource
      && left.isConstrained == right.isConstrained
      && left.network.isSameKnown(as: right.network)
  }
}

extension Optional where Wrapped == NetworkIdentity {
  /// Unknown against known is not a difference, and neither is a gateway's hardware address that
  /// becomes known after the wireless name it stands behind.
  package func isSameKnown(as other: NetworkIdentity?) -> Bool {
    guard let self, let other else { return true }
    if self.id == other.id {
      guard let mine = self.ssid, let theirs = other.ssid else { return true }
      return mine == theirs
    }
    guard let ssid = self.ssid, ssid == other.ssid else { return false }
    return self.id == ssid || other.id == ssid
  }

  /// Whether this says more of the same network: a first name for it, its wireless name, or the
  /// gateway's hardware address in place of that name.
  package func knowsMore(than other: NetworkIdentity?) -> Bool {
    guard let self else { return false }
    guard let other else { return true }
    if self.id != other.id { return other.id == other.ssid }
    return self.ssid != nil && other.ssid == nil
  }
}
