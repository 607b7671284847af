public import FoundationEssentials
internal import PathCore

/// An IP address in the bytes of the wire, with the interface it is local to.
public protocol IPAddress: Hashable, Sendable, CustomDebugStringConvertible {
  /// From 4 or 16 bytes in network order; nil for any other number.
  init?(_ rawValue: Data, _ interface: NWInterface?)
  /// From text, such as `192.0.2.1` or `fe80::1%eth0`; nil for what is none. A zone becomes the
  /// interface with its name, of index 0 and unknown type.
  init?(_ string: String)
  /// The bytes in network order.
  var rawValue: Data { get }
  var interface: NWInterface? { get }
  var isLoopback: Bool { get }
  var isLinkLocal: Bool { get }
  var isMulticast: Bool { get }
}

/// An IPv4 address.
public struct IPv4Address: IPAddress {
  let core: PathCore.IPAddress
  public let interface: NWInterface?

  public static let any = IPv4Address(PathCore.IPAddress(ipv4: 0))
  public static let broadcast = IPv4Address(PathCore.IPAddress(ipv4: 0xFFFF_FFFF))
  public static let loopback = IPv4Address(PathCore.IPAddress(ipv4: 0x7F00_0001))

  init(_ core: PathCore.IPAddress, _ interface: NWInterface? = nil) {
    self.core = core
    self.interface = interface
  }

  public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    guard rawValue.count == 4 else { return nil }
    self.init(
      PathCore.IPAddress(ipv4: rawValue.reduce(0) { $0 << 8 | UInt32($1) }), interface)
  }

  public init?(_ string: String) {
    let (text, interface) = splitZone(string)
    guard let core = PathCore.IPAddress(text), core.family == .ipv4 else { return nil }
    self.init(core, interface)
  }

  public var rawValue: Data {
    Data((0..<4).map { UInt8(truncatingIfNeeded: core.low >> UInt64(24 - 8 * $0)) })
  }

  public var isLoopback: Bool { core.isLoopback }
  public var isLinkLocal: Bool { core.isLinkLocal }
  /// 224.0.0.0/4 (RFC 5771).
  public var isMulticast: Bool { core.low >> 28 == 0xE }
  public var debugDescription: String { described(core, interface) }
}

/// An IPv6 address.
public struct IPv6Address: IPAddress {
  let core: PathCore.IPAddress
  public let interface: NWInterface?

  public static let any = IPv6Address(PathCore.IPAddress(ipv6High: 0, low: 0))
  public static let loopback = IPv6Address(PathCore.IPAddress(ipv6High: 0, low: 1))

  init(_ core: PathCore.IPAddress, _ interface: NWInterface? = nil) {
    self.core = core.withoutScope
    self.interface = interface
  }

  public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    guard rawValue.count == 16 else { return nil }
    let halves = [rawValue.prefix(8), rawValue.suffix(8)].map {
      $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    self.init(PathCore.IPAddress(ipv6High: halves[0], low: halves[1]), interface)
  }

  public init?(_ string: String) {
    let (text, interface) = splitZone(string)
    guard let core = PathCore.IPAddress(text), core.family == .ipv6 else { return nil }
    self.init(core, interface)
  }

  public var rawValue: Data {
    Data(
      (0..<16).map { place in
        let half = place < 8 ? core.high : core.low
        return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (place & 7)))
      })
  }

  public var isLoopback: Bool { core.isLoopback }
  public var isLinkLocal: Bool { core.isLinkLocal }
  /// ff00::/8 (RFC 4291).
  public var isMulticast: Bool { core.high >> 56 == 0xFF }
  /// fc00::/7 (RFC 4193).
  public var isUniqueLocal: Bool { core.isUniqueLocal }
  /// ::ffff:0:0/96 (RFC 4291).
  public var isIPv4Mapped: Bool { core.high == 0 && core.low >> 32 == 0xFFFF }
  public var debugDescription: String { described(core, interface) }
}

private func splitZone(_ string: String) -> (Substring, NWInterface?) {
  let parts = string.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
  guard parts.count == 2, let text = parts.first, !parts[1].isEmpty else {
    return (string[...], nil)
  }
  return (text, NWInterface(type: .other, name: String(parts[1]), index: 0))
}

private func described(_ core: PathCore.IPAddress, _ interface: NWInterface?) -> String {
  core.description + (interface.map { "%" + $0.name } ?? "")
}
