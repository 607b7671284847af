#if os(Linux)
internal import PathCore

/// What a path knows beyond Apple's API.
extension NWPath {
  /// Why a path is not satisfied, as the kernel shows it.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// It is satisfied.
    case none
    /// Nothing but a loopback is switched on.
    case noInterface
    /// Links are switched on, but none has a carrier.
    case noCarrier
    /// No link has a usable address.
    case noAddress
    /// There are addresses, but no route leads out.
    case noRoute
    /// An unreachable, blackhole or prohibit route stands in the way.
    case routeRefused
    /// The default route leaves through a link without a carrier.
    case deadDefaultRoute
    /// A bridge is up, but none of its physical ports is.
    case uplinkPortDown
    /// A tunnel has nothing to ride on.
    case noUnderlay
    /// A link waits to be let in.
    case dormant
    /// The filter leaves out what there is.
    case filteredOut
    /// The radio is switched off.
    case radioOff
    /// The kernel could not be asked.
    case unknown
  }

  /// Which network this is: for telling the same place from another with the same addresses.
  public struct NetworkIdentity: Hashable, Sendable {
    /// The gateway's hardware address where known, else the wireless name or the prefix.
    public let id: String
    /// A name for people, where there is one.
    public let name: String?
    /// The wireless network's name.
    public let ssid: String?
  }

  /// Why it is not satisfied, finer than `unsatisfiedReason`.
  public var reason: Reason { Reason(rawValue: core.reason.rawValue) ?? .unknown }
  /// One sentence for people.
  public var why: String { core.why }
  /// Interfaces that could serve but are not chosen, such as those that a filter leaves out.
  public var alternatives: [NWInterface] { core.alternatives.map(NWInterface.init) }
  /// The interface by which IPv4 leaves; IPv6 may leave by another, as with a leaky VPN.
  public var ipv4Interface: NWInterface? { core.ipv4.map { NWInterface($0.interface) } }
  /// The interface by which IPv6 leaves.
  public var ipv6Interface: NWInterface? { core.ipv6.map { NWInterface($0.interface) } }
  /// The network behind the first interface, where it is known.
  public var network: NetworkIdentity? {
    core.network.map { NetworkIdentity(id: $0.id, name: $0.name, ssid: $0.ssid) }
  }
  /// Counts what this monitor reported, from 1; 0 for a path that was only read.
  public var sequence: Int { storage.sequence }
  /// When the kernel was read.
  public var captureTime: ContinuousClock.Instant { storage.captureTime }

  /// The evidence for the verdict, line by line: what the kernel was asked, what it said, and why
  /// each interface counts or not. Worked out when it is read.
  public var explanation: [String] {
    guard let evidence = storage.evidence else { return [why] }
    return evidence.snapshot.read { snapshot in
      PathEvaluator.explanation(of: copy snapshot, filter: evidence.filter).lines
    }
  }
}

extension NWPath {
  /// A path for tests of code that takes one.
  ///
  /// `gateways` are addresses as text, each reached through the first interface; what is no address
  /// is left out.
  public init(
    status: Status, unsatisfiedReason: UnsatisfiedReason = .notAvailable,
    availableInterfaces: [NWInterface] = [], isExpensive: Bool = false,
    isConstrained: Bool = false, supportsIPv4: Bool = true, supportsIPv6: Bool = false,
    supportsDNS: Bool = true, gateways: [String] = [], why: String = ""
  ) {
    let isSatisfied = status == .satisfied
    var path = PathCore.Path(
      status: status.core, reason: isSatisfied ? .none : .noRoute,
      why: why.isEmpty ? "This path was made for a test." : why)
    path.unsatisfiedReason = unsatisfiedReason.core
    path.interfaces = availableInterfaces.map(\.core)
    if isSatisfied, let first = path.interfaces.first {
      let addresses = gateways.compactMap { PathCore.IPAddress($0) }
      if supportsIPv4 {
        path.ipv4 = FamilyPath(
          interface: first, gateways: addresses.filter { $0.family == .ipv4 })
      }
      if supportsIPv6 {
        path.ipv6 = FamilyPath(
          interface: first, gateways: addresses.filter { $0.family == .ipv6 })
      }
      path.uses = InterfaceTypeSet(first.type)
      path.supportsDNS = supportsDNS
      path.isExpensive = isExpensive
      path.isConstrained = isConstrained
    }
    self.init(Storage(path, evidence: nil, sequence: 0, captureTime: .now))
  }
}

extension NWPath.UnsatisfiedReason {
  var core: PathCore.UnsatisfiedReason {
    switch self {
    case .notAvailable: .notAvailable
    case .cellularDenied: .cellularDenied
    case .wifiDenied: .wifiDenied
    case .localNetworkDenied: .localNetworkDenied
    case .vpnInactive: .vpnInactive
    }
  }
}
#endif
