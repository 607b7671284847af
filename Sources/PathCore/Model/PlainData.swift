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
    /// A 4-byte length and one value that the sandbox decodes when it is first asked for.
    case lazy = 8
  }
}

/// Writes values in the encoding of `PlainData`.
package struct PlainWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// Begins anew in the memory it has.
  package mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  package mutating func null() { bytes.append(PlainData.Tag.null.rawValue) }

  package mutating func bool(_ value: Bool) {
    bytes.append(value ? PlainData.Tag.yes.rawValue : PlainData.Tag.no.rawValue)
  }

  package mutating func integer(_ value: Int64) {
    bytes.append(PlainData.Tag.integer.rawValue)
    word(UInt64(bitPattern: value))
  }

  package mutating func number(_ value: Double) {
    bytes.append(PlainData.Tag.number.rawValue)
    word(value.bitPattern)
  }

  package mutating func text(_ value: [UInt8]) {
    bytes.append(PlainData.Tag.text.rawValue)
    length(value.count)
    bytes.append(contentsOf: value)
  }

  /// The text of a literal; nothing is allocated for it.
  package mutating func text(_ value: StaticString) {
    bytes.append(PlainData.Tag.text.rawValue)
    length(value.utf8CodeUnitCount)
    value.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  @_disfavoredOverload
  package mutating func text(_ value: String) {
    bytes.append(PlainData.Tag.text.rawValue)
    length(value.utf8.count)
    let isWhole: Void? =
      unsafe value.utf8.withContiguousStorageIfAvailable { unsafe bytes.append(contentsOf: $0) }
    if isWhole == nil { bytes.append(contentsOf: value.utf8) }
  }

  package mutating func raw(_ data: PlainData) { bytes.append(contentsOf: data.bytes) }

  /// Begins an array; exactly `count` values follow. An empty one is written as an empty map,
  /// since Lua knows no difference.
  package mutating func array(_ count: Int) {
    bytes.append((count == 0 ? PlainData.Tag.map : .array).rawValue)
    length(count)
  }

  /// Begins a map whose pairs follow; the returned place is for `end`.
  package mutating func beginMap() -> Int {
    bytes.append(PlainData.Tag.map.rawValue)
    length(0)
    return bytes.count
  }

  /// Ends a map that `beginMap` began and that holds `count` pairs.
  package mutating func endMap(_ place: Int, count: Int) {
    patch(place, with: count)
  }

  /// Begins a value that is decoded at first use; one value follows, then `endLazy`.
  package mutating func beginLazy() -> Int {
    bytes.append(PlainData.Tag.lazy.rawValue)
    length(0)
    return bytes.count
  }

  package mutating func endLazy(_ place: Int) { patch(place, with: bytes.count - place) }

  private mutating func patch(_ place: Int, with value: Int) {
    let word = UInt32(clamping: value)
    for index in 0..<4 {
      bytes[place - 4 + index] = UInt8(truncatingIfNeeded: word >> UInt32(8 * index))
    }
  }

  private mutating func length(_ value: Int) {
    unsafe withUnsafeBytes(of: UInt32(clamping: value).littleEndian) {
      unsafe bytes.append(contentsOf: $0)
    }
  }

  private mutating func word(_ value: UInt64) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}
