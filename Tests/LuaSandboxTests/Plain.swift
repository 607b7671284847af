/// Plain data as tests write it, with an encoder and a decoder of their own.
indirect enum Plain: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case float(Double)
  case string([UInt8])
  case array([Plain])
  case map([Entry])
  /// Input only: a value whose length stands before it.
  case sized(Plain)
  /// Input only: a map that stays encoded.
  case record(Plain)
  /// Input only: another record that this one is linked with.
  case link

  struct Entry: Equatable, Sendable {
    var key: Plain
    var value: Plain
  }

  var bytes: [UInt8] {
    switch self {
    case .null: [0]
    case .bool(let value): [value ? 2 : 1]
    case .integer(let value): [3] + Self.word(UInt64(bitPattern: value))
    case .float(let value): [4] + Self.word(value.bitPattern)
    case .string(let text): [5] + Self.count(text.count) + text
    case .array(let values): [6] + Self.count(values.count) + values.flatMap(\.bytes)
    case .map(let entries):
      [7] + Self.count(entries.count) + entries.flatMap { $0.key.bytes + $0.value.bytes }
    case .sized(let value): [8] + Self.count(value.bytes.count) + value.bytes
    case .record(let value): [9] + Self.count(value.bytes.count) + value.bytes
    case .link: [10]
    }
  }

  subscript(name: String) -> Plain? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == Plain(stringLiteral: name) }?.value
  }

  init?(bytes: [UInt8]) {
    var rest = bytes[...]
    guard let value = Self.read(&rest), rest.isEmpty else { return nil }
    self = value
  }

  private static func word(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func count(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
    take(count, &rest)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func read(_ rest: inout ArraySlice<UInt8>) -> Plain? {
    guard let tag = rest.popFirst() else { return nil }
    switch tag {
    case 0: return .null
    case 1, 2: return .bool(tag == 2)
    case 3: return number(8, &rest).map { .integer(Int64(bitPattern: $0)) }
    case 4: return number(8, &rest).map { .float(Double(bitPattern: $0)) }
    case 5:
      guard let size = number(4, &rest), let text = take(Int(size), &rest) else { return nil }
      return .string(text)
    case 6:
      guard let size = number(4, &rest) else { return nil }
      var values: [Plain] = []
      for _ in 0..<size {
        guard let value = read(&rest) else { return nil }
        values.append(value)
      }
      return .array(values)
    case 7:
      guard let size = number(4, &rest) else { return nil }
      var entries: [Entry] = []
      for _ in 0..<size {
        guard let key = read(&rest), let value = read(&rest) else { return nil }
        entries.append(Entry(key: key, value: value))
      }
      return .map(entries)
    default: return nil
    }
  }
}

extension Plain: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral text: String) { self = .string(Array(text.utf8)) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(floatLiteral value: Double) { self = .float(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(nilLiteral: ()) { self = .null }
  init(arrayLiteral values: Plain...) { self = .array(values) }
  init(dictionaryLiteral pairs: (Plain, Plain)...) {
    self = .map(pairs.map { Entry(key: $0.0, value: $0.1) })
  }
}
