/// A decoded `PlainData`, for what must look inside: printing, the configuration, intents.
package indirect enum PlainValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  /// Bytes as the script gave them; `text` repairs them.
  case bytes([UInt8])
  case array([PlainValue])
  /// In key order: integers ascending, then text bytewise.
  case map([PlainPair])

  /// The text of a string value, with invalid UTF-8 repaired.
  package var text: String? {
    if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements of an array; an empty map is an empty array too.
  package var elements: [PlainValue]? {
    switch self {
    case .array(let values): values
    case .map(let pairs) where pairs.isEmpty: []
    default: nil
    }
  }

  package var pairs: [PlainPair]? { if case .map(let pairs) = self { pairs } else { nil } }

  package subscript(key: String) -> PlainValue {
    guard case .map(let pairs) = self else { return .null }
    for index in pairs.indices {
      if case .bytes(let name) = pairs[index].key, name.elementsEqual(key.utf8) {
        return pairs[index].value
      }
    }
    return .null
  }

  /// The type's name in messages.
  package var kind: String {
    switch self {
    case .null: "nil"
    case .bool: "boolean"
    case .integer, .number: "number"
    case .bytes: "string"
    case .array, .map: "table"
    }
  }
}

/// One entry of a map.
package struct PlainPair: Hashable, Sendable {
  package var key: PlainValue
  package var value: PlainValue

  package init(key: PlainValue, value: PlainValue) {
    self.key = key
    self.value = value
  }
}

/// Reads the encoding of `PlainData`; refuses anything that is not whole and well formed.
package struct PlainReader {
  private let bytes: [UInt8]
  private var place = 0
  /// Values inside values; the sandbox writes at most 16.
  private static let depthMax = 20
  /// A count is believed only so far until its values were seen.
  private static let reserveMax = 1024

  /// Nil when the bytes are not exactly one value.
  package static func decode(_ data: PlainData) -> PlainValue? {
    var reader = PlainReader(bytes: data.bytes)
    guard let value = reader.value(depth: 0), reader.place == reader.bytes.count else { return nil }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func value(depth: Int) -> PlainValue? {
    guard depth < Self.depthMax, place < bytes.count,
      let tag = PlainData.Tag(rawValue: bytes[place])
    else { return nil }
    place += 1
    switch tag {
    case .null, .link: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .integer: return word().map { .integer(Int64(bitPattern: $0)) }
    case .number: return word().map { .number(Double(bitPattern: $0)) }
    case .text:
      guard let count = length(), count <= bytes.count - place else { return nil }
      defer { place += count }
      return .bytes(Array(bytes[place..<place + count]))
    case .array:
      guard let count = length(), count <= bytes.count - place else { return nil }
      var values: [PlainValue] = []
      values.reserveCapacity(min(count, Self.reserveMax))
      for _ in 0..<count {
        guard let value = value(depth: depth + 1) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .map:
      guard let count = length(), count <= bytes.count - place else { return nil }
      var pairs: [PlainPair] = []
      pairs.reserveCapacity(min(count, Self.reserveMax))
      for _ in 0..<count {
        guard let key = value(depth: depth + 1), let value = value(depth: depth + 1) else {
          return nil
        }
        pairs.append(PlainPair(key: key, value: value))
      }
      return .map(pairs)
    case .sized, .record:
      guard length() != nil else { return nil }
      return value(depth: depth + 1)
    }
  }

  private mutating func length() -> Int? {
    guard bytes.count - place >= 4 else { return nil }
    var value: UInt32 = 0
    for index in 0..<4 { value |= UInt32(bytes[place + index]) << UInt32(8 * index) }
    place += 4
    return Int(value)
  }

  private mutating func word() -> UInt64? {
    guard bytes.count - place >= 8 else { return nil }
    var value: UInt64 = 0
    for index in 0..<8 { value |= UInt64(bytes[place + index]) << UInt64(8 * index) }
    place += 8
    return value
  }
}
