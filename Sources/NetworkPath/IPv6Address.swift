#if os(Linux)
internal import PathCore

/// An IPv6 address.
public struct IPv6Address: IPAddress, Hashable, CustomDebugStringConvertible {
  let core: PathCore.IPAddress
  /// The interface that the address is local to, if it is to one.
  public let interface: NWInterface?

  /// `::`: every address of this machine.
  public static let any = IPv6Address(PathCore.IPAddress(ipv6High: 0, low: 0))
  /// The same as `any`: IPv6 has no broadcast, and Apple's API this name.
  public static let broadcast = any
  /// `::1`: this machine.
  public static let loopback = IPv6Address(PathCore.IPAddress(ipv6High: 0, low: 1))
  /// `ff01::1`: all nodes of this machine (RFC 4291).
  public static let nodeLocalNodes = IPv6Address(
    PathCore.IPAddress(ipv6High: 0xFF01 << 48, low: 1))
  /// `ff02::1`: all nodes of the link.
  public static let linkLocalNodes = IPv6Address(
    PathCore.IPAddress(ipv6High: 0xFF02 << 48, low: 1))
  /// `ff02::2`: all routers of the link.
  public static let linkLocalRouters = IPv6Address(
    PathCore.IPAddress(ipv6High: 0xFF02 << 48, low: 2))

  /// How far a group reaches (RFC 4291).
  public enum Scope: UInt8, Hashable, Sendable {
    /// This machine.
    case nodeLocal = 1
    /// The link.
    case linkLocal = 2
    /// The site.
    case siteLocal = 5
    /// The organization.
    case organizationLocal = 8
    /// Everywhere.
    case global = 14
  }

  init(_ core: PathCore.IPAddress, _ interface: NWInterface? = nil) {
    self.core = core.withoutScope
    self.interface = interface
  }

  /// From 16 bytes in network order; nil for any other number. Not in Apple's API.
  public init?(bytes: [UInt8], _ interface: NWInterface? = nil) {
    guard bytes.count == 16 else { return nil }
    let halves = [bytes.prefix(8), bytes.suffix(8)].map {
      $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    self.init(PathCore.IPAddress(ipv6High: halves[0], low: halves[1]), interface)
  }

  /// From text (RFC 4291), where a zone is the name or number of an interface: `fe80::1%eth0`.
  /// Names are not resolved.
  public init?(_ string: String) {
    guard let zoned = ZonedText(string), let core = PathCore.IPAddress(zoned.text),
      core.family == .ipv6
    else { return nil }
    self.init(core, zoned.interface)
  }

  /// The 16 bytes in network order. Not in Apple's API.
  public var bytes: [UInt8] {
    (0..<16).map { index in
      let half = index < 8 ? core.high : core.low
      return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7)))
    }
  }

  /// `::`.
  public var isAny: Bool { core.isUnspecified }
  /// `::1`.
  public var isLoopback: Bool { core.isLoopback }
  /// fe80::/10 (RFC 4291).
  public var isLinkLocal: Bool { core.isLinkLocal }
  /// ff00::/8 (RFC 4291).
  public var isMulticast: Bool { core.high >> 56 == 0xFF }
  /// How far a group reaches; nil for what is no group, or of a scope without a name.
  public var multicastScope: Scope? {
    isMulticast ? Scope(rawValue: UInt8(truncatingIfNeeded: core.high >> 48 & 0xF)) : nil
  }
  /// fc00::/7 (RFC 4193).
  public var isUniqueLocal: Bool { core.isUniqueLocal }
  /// 2002::/16 (RFC 3056).
  public var is6to4: Bool { core.high >> 48 == 0x2002 }
  /// ::ffff:0:0/96 (RFC 4291).
  public var isIPv4Mapped: Bool { core.high == 0 && core.low >> 32 == 0xFFFF }
  /// ::/96, but for `::` and `::1` (RFC 4291). The spelling is Apple's.
  public var isIPv4Compatabile: Bool {
    core.high == 0 && core.low >> 32 == 0 && core.low > 1
  }
  /// The IPv4 address in one that is mapped or compatible; nil for others.
  public var asIPv4: IPv4Address? {
    guard isIPv4Mapped || isIPv4Compatabile else { return nil }
    return IPv4Address(
      PathCore.IPAddress(ipv4: UInt32(truncatingIfNeeded: core.low)), interface)
  }
  /// In the form of RFC 5952, with the interface behind `%`.
  public var debugDescription: String { described(core, interface) }
}
#endif
