/// The two families a path can serve.
package enum AddressFamily: UInt8, CaseIterable, Hashable, Sendable {
  case ipv4
  case ipv6

  package var bitCount: Int { self == .ipv4 ? 32 : 128 }

  // Written out here and below: a comparison that the compiler makes up is reached from other
  // rooms through the protocol's table only.
  @inlinable package static func == (left: AddressFamily, right: AddressFamily) -> Bool {
    switch (left, right) {
    case (.ipv4, .ipv4), (.ipv6, .ipv6): true
    case (.ipv4, .ipv6), (.ipv6, .ipv4): false
    }
  }
}

/// An IPv4 or IPv6 address, with the interface index as scope where that is part of it (RFC 4007).
package struct IPAddress: Hashable, Sendable {
  package let family: AddressFamily
  /// The first 64 bits of an IPv6 address; zero for IPv4.
  package let high: UInt64
  /// The last 64 bits of an IPv6 address, or the 32 bits of an IPv4 one.
  package let low: UInt64
  /// The interface index a link-local address belongs to; zero when it has none.
  package var scope: Int32

  package init(ipv4: UInt32) {
    family = .ipv4
    high = 0
    low = UInt64(ipv4)
    scope = 0
  }

  package init(ipv6High: UInt64, low: UInt64, scope: Int32 = 0) {
    family = .ipv6
    high = ipv6High
    self.low = low
    self.scope = scope
  }

  package static func == (left: IPAddress, right: IPAddress) -> Bool {
    left.low == right.low && left.high == right.high && left.family == right.family
      && left.scope == right.scope
  }

  /// The same address in no particular scope.
  package var withoutScope: IPAddress {
    var address = self
    address.scope = 0
    return address
  }

  /// 0.0.0.0 or `::`.
  package var isUnspecified: Bool { high == 0 && low == 0 }

  /// 127.0.0.0/8 or `::1`.
  package var isLoopback: Bool {
    family == .ipv4 ? low >> 24 == 127 : high == 0 && low == 1
  }

  /// 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291).
  package var isLinkLocal: Bool {
    family == .ipv4 ? low >> 16 == 0xA9FE : high >> 54 == 0x3FA
  }

  /// fc00::/7 (RFC 4193).
  package var isUniqueLocal: Bool { family == .ipv6 && high >> 57 == 0x7E }

  /// fec0::/10, withdrawn by RFC 3879 and still met.
  package var isSiteLocal: Bool { family == .ipv6 && high >> 54 == 0x3FB }

  /// Unique-local or site-local: an IPv6 address that means nothing on the internet.
  package var isLocalIPv6: Bool { isUniqueLocal || isSiteLocal }

  /// 192.0.0.0/29 (RFC 7335): the near end of a translator from IPv4 to IPv6.
  package var isTranslator: Bool { family == .ipv4 && low >> 3 == 0xC000_0000 >> 3 }

  /// Whether `prefix`/`length` holds this address. Lengths beyond the family's match nothing.
  package func isWithin(_ prefix: IPAddress, length: Int) -> Bool {
    guard family == prefix.family, length >= 0, length <= family.bitCount else { return false }
    if family == .ipv4 {
      return length == 0 || (low ^ prefix.low) >> UInt64(32 - length) == 0
    }
    if length == 0 { return true }
    if length <= 64 { return (high ^ prefix.high) >> UInt64(64 - length) == 0 }
    return high == prefix.high && (low ^ prefix.low) >> UInt64(128 - length) == 0
  }
}

extension IPAddress: Comparable {
  package static func < (left: IPAddress, right: IPAddress) -> Bool {
    (left.family.rawValue, left.high, left.low, left.scope)
      < (right.family.rawValue, right.high, right.low, right.scope)
  }
}
