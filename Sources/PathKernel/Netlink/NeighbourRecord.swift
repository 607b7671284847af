internal import CLinux
internal import PathCore

/// Who answers for an address on a link.
struct NeighbourRecord: Hashable, Sendable {
  var interface: Int32
  var address: IPAddress
  /// Lower-case hexadecimal with colons; nil while nobody has answered.
  var hardware: String?
}

/// Reads neighbour messages (rtnetlink(7)).
enum NeighbourParser {
  private static let headerLength = 12

  /// Nil for families other than IPv4 and IPv6, and for entries without an address.
  static func parse(_ bytes: RawSpan, _ payload: Range<Int>) throws(Malformed) -> NeighbourRecord? {
    let start = payload.lowerBound
    guard payload.count >= headerLength else { throw .short }
    guard let family = AddressFamily(kernel: try bytes.uint8(start)) else { return nil }
    let interface = try bytes.int32(start + 4)
    var address: IPAddress?
    var hardware: String?
    var cursor = AttributeCursor(start + headerLength..<payload.upperBound)
    while let attribute = try cursor.next(in: bytes) {
      switch attribute.type {
      case Int(NDA_DST): address = try bytes.address(attribute, family)
      case Int(NDA_LLADDR): hardware = try hexadecimal(attribute, bytes)
      default: break
      }
    }
    guard var address else { return nil }
    if family == .ipv6, address.isLinkLocal { address.scope = interface }
    return NeighbourRecord(interface: interface, address: address, hardware: hardware)
  }

  private static func hexadecimal(
    _ attribute: Attribute, _ bytes: RawSpan
  ) throws(Malformed) -> String? {
    // MAX_ADDR_LEN is 32; a link without addresses of its own sends none.
    guard (1...32).contains(attribute.length) else { return nil }
    var text = ""
    for offset in attribute.range {
      let byte = try bytes.uint8(offset)
      if !text.isEmpty { text += ":" }
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
