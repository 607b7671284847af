internal import PathCore

/// Why a message was refused. Nothing about its content is kept: it cannot be trusted.
enum Malformed: Error, Equatable {
  /// A header or value that is cut off.
  case short
  /// A length that is smaller than its header or larger than what holds it.
  case length
}

/// Checked reads in host order. Alignment is never assumed: fixtures and nests have none.
extension RawSpan {
  func uint8(_ offset: Int) throws(Malformed) -> UInt8 {
    guard offset >= 0, offset < byteCount else { throw .short }
    return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
  }

  func uint16(_ offset: Int) throws(Malformed) -> UInt16 {
    guard offset >= 0, offset <= byteCount - 2 else { throw .short }
    return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
  }

  func uint32(_ offset: Int) throws(Malformed) -> UInt32 {
    guard offset >= 0, offset <= byteCount - 4 else { throw .short }
    return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  func int32(_ offset: Int) throws(Malformed) -> Int32 {
    Int32(bitPattern: try uint32(offset))
  }

  func uint64(_ offset: Int) throws(Malformed) -> UInt64 {
    guard offset >= 0, offset <= byteCount - 8 else { throw .short }
    return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// An address in network order; `length` must be that of the family.
  func address(_ attribute: Attribute, _ family: AddressFamily) throws(Malformed) -> IPAddress {
    try address(attribute.offset, length: attribute.length, family)
  }

  func address(
    _ offset: Int, length: Int, _ family: AddressFamily
  ) throws(Malformed) -> IPAddress {
    guard length == family.bitCount / 8 else { throw .length }
    switch family {
    case .ipv4:
      return IPAddress(ipv4: UInt32(bigEndian: try uint32(offset)))
    case .ipv6:
      return IPAddress(
        ipv6High: UInt64(bigEndian: try uint64(offset)),
        low: UInt64(bigEndian: try uint64(offset + 8)))
    }
  }

  /// Text up to its terminator. Names are bytes to the kernel; what is no UTF-8 is repaired here.
  func text(_ attribute: Attribute) throws(Malformed) -> String {
    var length = 0
    while length < attribute.length, try uint8(attribute.offset + length) != 0 { length += 1 }
    let range = attribute.offset..<attribute.offset + length
    return unsafe extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

/// One attribute: its type without the flag bits, and where its value lies.
struct Attribute {
  var type: Int
  var offset: Int
  var length: Int

  var range: Range<Int> { offset..<offset + length }

  func uint8(_ bytes: RawSpan) throws(Malformed) -> UInt8 {
    guard length >= 1 else { throw .short }
    return try bytes.uint8(offset)
  }

  func uint32(_ bytes: RawSpan) throws(Malformed) -> UInt32 {
    guard length >= 4 else { throw .short }
    return try bytes.uint32(offset)
  }

  func int32(_ bytes: RawSpan) throws(Malformed) -> Int32 { Int32(bitPattern: try uint32(bytes)) }
}

/// Walks the attributes in a range of a message. It allocates nothing and never leaves its range.
struct AttributeCursor {
  private var offset: Int
  private let end: Int

  init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  mutating func next(in bytes: RawSpan) throws(Malformed) -> Attribute? {
    // Fewer bytes than a header are padding.
    guard end - offset >= 4 else { return nil }
    let length = Int(try bytes.uint16(offset))
    guard length >= 4, length <= end - offset else { throw .length }
    // NLA_F_NESTED and NLA_F_NET_BYTEORDER share the field with the type.
    let type = Int(try bytes.uint16(offset + 2) & 0x3FFF)
    let attribute = Attribute(type: type, offset: offset + 4, length: length - 4)
    offset = min(end, offset + (length + 3) & ~3)
    return attribute
  }
}

/// One netlink message in a datagram: its header, and where its payload lies.
struct Message {
  static let headerLength = 16

  var type: UInt16
  var flags: UInt16
  var sequence: UInt32
  var port: UInt32
  var payload: Range<Int>
}

/// Walks the messages of one datagram (netlink(7)).
struct MessageCursor {
  private var offset = 0

  mutating func next(in bytes: RawSpan) throws(Malformed) -> Message? {
    let left = bytes.byteCount - offset
    guard left > 0 else { return nil }
    guard left >= Message.headerLength else { throw .short }
    let length = Int(try bytes.uint32(offset))
    guard length >= Message.headerLength, length <= left else { throw .length }
    let message = Message(
      type: try bytes.uint16(offset + 4), flags: try bytes.uint16(offset + 6),
      sequence: try bytes.uint32(offset + 8), port: try bytes.uint32(offset + 12),
      payload: offset + Message.headerLength..<offset + length)
    offset += (length + 3) & ~3
    return message
  }
}
