internal import CLinux
internal import PathCore

/// An address as one NEWADDR or DELADDR message shows it, without its lifetimes.
struct AddressRecord: Hashable, Sendable {
  var interface: Int32
  /// The near end.
  var address: IPAddress
  /// The far end of a point-to-point link; the address itself elsewhere.
  var peer: IPAddress
  var prefixLength: UInt8
  var isPending = false

  /// The same entry of the kernel's table, whatever its flags.
  func isSameEntry(_ other: AddressRecord) -> Bool {
    address == other.address && peer == other.peer && prefixLength == other.prefixLength
  }
}

/// Reads address messages (rtnetlink(7)).
enum AddressParser {
  private static let headerLength = 8

  /// Nil for families other than IPv4 and IPv6.
  static func parse(_ bytes: RawSpan, _ payload: Range<Int>) throws(Malformed) -> AddressRecord? {
    let start = payload.lowerBound
    guard payload.count >= headerLength else { throw .short }
    guard let family = AddressFamily(kernel: try bytes.uint8(start)) else { return nil }
    let prefixLength = try bytes.uint8(start + 1)
    // The old field holds the low eight bits, all those asked about here.
    var flags = UInt32(try bytes.uint8(start + 2))
    let interface = try bytes.int32(start + 4)
    guard Int(prefixLength) <= family.bitCount, interface > 0 else { throw .length }
    var address: IPAddress?
    var local: IPAddress?
    var cursor = AttributeCursor(start + headerLength..<payload.upperBound)
    while let attribute = try cursor.next(in: bytes) {
      switch attribute.type {
      case Int(IFA_ADDRESS): address = try bytes.address(attribute, family)
      case Int(IFA_LOCAL): local = try bytes.address(attribute, family)
      case Int(IFA_FLAGS): flags = try attribute.uint32(bytes)
      default: break
      }
    }
    // On a point-to-point link IFA_ADDRESS is the peer and IFA_LOCAL is ours.
    guard var near = local ?? address else { throw .short }
    if near.isLinkLocal, family == .ipv6 { near.scope = interface }
    let pending = UInt32(IFA_F_TENTATIVE | IFA_F_OPTIMISTIC | IFA_F_DADFAILED)
    return AddressRecord(
      interface: interface, address: near, peer: address ?? near, prefixLength: prefixLength,
      isPending: flags & pending != 0)
  }
}

extension AddressFamily {
  /// AF_INET and AF_INET6.
  init?(kernel: UInt8) {
    switch Int32(kernel) {
    case AF_INET: self = .ipv4
    case AF_INET6: self = .ipv6
    default: return nil
    }
  }

  var kernel: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }
}
