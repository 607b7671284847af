#if os(Linux)
internal import PathCore

/// What path a program would get: whether there is one, through which interfaces, and what it
/// costs. A monitor gives it; `init(status:…)` makes one for tests.
public struct NWPath: Equatable, Sendable, CustomDebugStringConvertible {
  /// Whether a connection could be made now.
  public enum Status: Hashable, Sendable {
    /// There is a usable route. Nothing was sent to find out: what answers behind it is not known.
    case satisfied
    /// There is none.
    case unsatisfied
    /// There is none yet, or the kernel could not be asked; a try is worth it.
    case requiresConnection
  }

  /// Why a path is not satisfied, in the words that Apple's API has for it; `reason` says more.
  public enum UnsatisfiedReason: Hashable, Sendable {
    /// There is no network, or none of these.
    case notAvailable
    /// The cellular radio is switched off.
    case cellularDenied
    /// The Wi-Fi radio is switched off.
    case wifiDenied
    /// Never given here: Linux does not ask people whether a program may reach the local network.
    case localNetworkDenied
    /// A tunnel is required that is not up.
    case vpnInactive
  }

  /// An estimate of the link layer's quality.
  public enum LinkQuality: Hashable, Sendable {
    /// Nothing is known.
    case unknown
    /// Barely usable.
    case minimal
    /// Usable with care.
    case moderate
    /// Good.
    case good
  }

  let storage: Storage

  /// One reference, so that a path costs little to pass on.
  final class Storage: Sendable {
    let path: PathCore.Path
    let evidence: Evidence?
    let sequence: Int
    let captureTime: ContinuousClock.Instant

    init(
      _ path: PathCore.Path, evidence: Evidence?, sequence: Int,
      captureTime: ContinuousClock.Instant
    ) {
      self.path = path
      self.evidence = evidence
      self.sequence = sequence
      self.captureTime = captureTime
    }
  }

  /// What a verdict rests on, kept for `explanation`.
  struct Evidence: Sendable {
    var snapshot: Boxed<Snapshot>
    var filter: PathFilter
  }

  init(_ storage: Storage) { self.storage = storage }

  var core: PathCore.Path { storage.path }

  /// Whether a connection could be made now.
  public var status: Status { Status(core.status) }

  /// Why it is not satisfied, as Apple's API has it; `notAvailable` for a satisfied path.
  public var unsatisfiedReason: UnsatisfiedReason {
    switch core.unsatisfiedReason {
    case .notAvailable: .notAvailable
    case .cellularDenied: .cellularDenied
    case .wifiDenied: .wifiDenied
    case .localNetworkDenied: .localNetworkDenied
    case .vpnInactive: .vpnInactive
    }
  }

  /// The interfaces that could carry this path, best first.
  public var availableInterfaces: [NWInterface] { core.interfaces.map(NWInterface.init) }

  /// Whether traffic would pass over this type of link: the interface itself, what lies beneath a
  /// tunnel, a VLAN or a bond, or one that could take over.
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
    core.uses.contains(type.core) || core.interfaces.contains { $0.type == type.core }
  }

  /// Whether traffic costs money: cellular, or metered. False for a path that is not satisfied.
  public var isExpensive: Bool { core.isExpensive }
  /// Whether the system's owner asks to save data. Linux has no such switch of its own, so this is
  /// false unless a scripted network says otherwise.
  public var isConstrained: Bool { core.isConstrained }
  /// Always false: no Linux source tells of links that are constrained beyond that.
  public var isUltraConstrained: Bool { false }
  /// Always `unknown`: nothing is guessed.
  public var linkQuality: LinkQuality { .unknown }
  /// Whether a route leads out for IPv4.
  public var supportsIPv4: Bool { core.supportsIPv4 }
  /// Whether a route leads out for IPv6.
  public var supportsIPv6: Bool { core.supportsIPv6 }
  /// Whether a name server is configured that this path could reach.
  public var supportsDNS: Bool { core.supportsDNS }

  /// The gateways of the path, IPv4 first.
  public var gateways: [NWEndpoint] {
    let ipv4 = core.ipv4.map { family in
      family.gateways.map { Self.endpoint($0, family.interface) }
    }
    let ipv6 = core.ipv6.map { family in
      family.gateways.map { Self.endpoint($0, family.interface) }
    }
    return (ipv4 ?? []) + (ipv6 ?? [])
  }

  private static func endpoint(
    _ address: PathCore.IPAddress, _ interface: PathInterface
  ) -> NWEndpoint {
    let zone = address.isLinkLocal ? NWInterface(interface) : nil
    let isIPv4 = address.family == .ipv4
    return .hostPort(
      host: isIPv4 ? .ipv4(IPv4Address(address, zone)) : .ipv6(IPv6Address(address, zone)),
      port: .any)
  }

  /// Always nil: only connections have ends.
  public var localEndpoint: NWEndpoint? { nil }
  /// Always nil: only connections have ends.
  public var remoteEndpoint: NWEndpoint? { nil }

  /// Equal in everything that Apple's API shows. What is known besides, such as `reason` or
  /// `network`, and when the path was read, makes no difference.
  public static func == (left: NWPath, right: NWPath) -> Bool { left.equals(right, in: .shown) }

  /// Status, interfaces and families for logs, in the manner of Apple's.
  public var debugDescription: String {
    var parts = ["\(status) (\(core.why))"]
    if let first = core.primary { parts.append("interface: \(first.name)") }
    if supportsIPv4 { parts.append("ipv4") }
    if supportsIPv6 { parts.append("ipv6") }
    if supportsDNS { parts.append("dns") }
    if isExpensive { parts.append("expensive") }
    if isConstrained { parts.append("constrained") }
    if !core.uses.isEmpty {
      parts.append("uses " + core.uses.types.map(\.description).joined(separator: " "))
    }
    return parts.joined(separator: ", ")
  }
}

extension NWPath.Status {
  init(_ status: PathStatus) {
    self =
      switch status {
      case .satisfied: .satisfied
      case .unsatisfied: .unsatisfied
      case .requiresConnection: .requiresConnection
      }
  }

  var core: PathStatus {
    switch self {
    case .satisfied: .satisfied
    case .unsatisfied: .unsatisfied
    case .requiresConnection: .requiresConnection
    }
  }
}
#endif
