/// A value without behaviour – nothing, booleans, numbers, text, arrays, maps – in the encoding
/// that crosses the sandbox border. Equal values have equal bytes, so comparing and keeping need no
/// decoding.
package struct PlainData: Hashable, Sendable {
  /// One encoded value; see `Tag`.
  package let bytes: [UInt8]

  /// Takes bytes that a sandbox produced or `PlainWriter` wrote.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  package static let emptyMap = PlainData(bytes: [Tag.map.rawValue, 0, 0, 0, 0])

  /// The first byte of each encoded value. Integers and lengths are little endian.
  package enum Tag: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    /// 8 bytes, two's complement.
    case integer = 3
    /// 8 bytes, IEEE 754.
    case number = 4
    /// A 4-byte length and that many bytes.
    case text = 5
    /// A 4-byte count and that many values.
    case array = 6
    /// A 4-byte count and that many pairs of key (integer or text) and value, keys sorted.
    case map = 7
    /// A 4-byte length and one value, which can be passed over without a look into it.
    case sized = 8
    /// A 4-byte length and a map that the sandbox keeps as it is, and reads field by field.
    case record = 9
    /// In a record: another one, which the sandbox has from an earlier call.
    case link = 10
  }
}
