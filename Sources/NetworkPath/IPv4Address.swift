#if os(Linux)
internal import PathCore

/// An IPv4 address.
public struct IPv4Address: IPAddress, Hashable, CustomDebugStringConvertible {
  let core: PathCore.IPAddress
  /// The interface that the address is local to, if it is to one.
  public let interface: NWInterface?

  /// 0.0.0.0: every address of this machine.
  public static let any = IPv4Address(PathCore.IPAddress(ipv4: 0))
  /// 255.255.255.255: everybody on the link.
  public static let broadcast = IPv4Address(PathCore.IPAddress(ipv4: 0xFFFF_FFFF))
  /// 127.0.0.1: this machine.
  public static let loopback = IPv4Address(PathCore.IPAddress(ipv4: 0x7F00_0001))
  /// 224.0.0.1: all hosts of the link (RFC 1112).
  public static let allHostsGroup = IPv4Address(PathCore.IPAddress(ipv4: 0xE000_0001))
  /// 224.0.0.2: all routers of the link.
  public static let allRoutersGroup = IPv4Address(PathCore.IPAddress(ipv4: 0xE000_0002))
  /// 224.0.0.22: where IGMPv3 reports go (RFC 3376).
  public static let allReportsGroup = IPv4Address(PathCore.IPAddress(ipv4: 0xE000_0016))
  /// 224.0.0.251: multicast DNS (RFC 6762).
  public static let mdnsGroup = IPv4Address(PathCore.IPAddress(ipv4: 0xE000_00FB))

  init(_ core: PathCore.IPAddress, _ interface: NWInterface? = nil) {
    self.core = core
    self.interface = interface
  }

  /// From 4 bytes in network order; nil for any other number. Not in Apple's API.
  public init?(bytes: [UInt8], _ interface: NWInterface? = nil) {
    guard bytes.count == 4 else { return nil }
    self.init(PathCore.IPAddress(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) }), interface)
  }

  /// From text in any form that inet_aton(3) knows: `192.0.2.1`, `127.1`, `0x7f000001`. Names are
  /// not resolved.
  public init?(_ string: String) {
    guard let zoned = ZonedText(string), let value = Self.number(zoned.text) else { return nil }
    self.init(PathCore.IPAddress(ipv4: value), zoned.interface)
  }

  /// One to four numbers, each decimal, octal or hexadecimal as in C; the last fills what is left.
  private static func number(_ text: Substring) -> UInt32? {
    // Longer than four numbers of eleven octal digits and their dots is none.
    guard text.utf8.count <= 47 else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 4 else { return nil }
    var value: UInt64 = 0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let bits = isLast ? UInt64(8 * (5 - parts.count)) : 8
      guard let number = cNumber(part), number < 1 << bits else { return nil }
      value = value << bits | number
    }
    return UInt32(exactly: value)
  }

  private static func cNumber(_ text: Substring) -> UInt64? {
    var digits = text
    var radix = 10
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      radix = 16
      digits = digits.dropFirst(2)
    } else if digits.hasPrefix("0"), digits.utf8.count > 1 {
      radix = 8
      digits = digits.dropFirst()
    }
    // A sign is no digit.
    guard digits.utf8.first.map({ $0 != UInt8(ascii: "+") }) ?? false else { return nil }
    return UInt64(digits, radix: radix)
  }

  /// The 4 bytes in network order. Not in Apple's API.
  public var bytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: core.low >> UInt64(24 - 8 * $0)) }
  }

  /// 127.0.0.0/8 (RFC 1122).
  public var isLoopback: Bool { core.isLoopback }
  /// 169.254.0.0/16 (RFC 3927).
  public var isLinkLocal: Bool { core.isLinkLocal }
  /// 224.0.0.0/4 (RFC 5771).
  public var isMulticast: Bool { core.low >> 28 == 0xE }
  /// Dotted quad, with the interface behind `%`.
  public var debugDescription: String { described(core, interface) }
}
#endif
