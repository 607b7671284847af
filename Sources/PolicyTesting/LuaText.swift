import PathCore

/// Plain data as Lua source: for failures, and for runs that are to be pasted into a test.
enum LuaText {
  static func text(_ value: PlainValue) -> String {
    switch value {
    case .null: return "nil"
    case .bool(let bool): return bool ? "true" : "false"
    case .integer(let integer):
      return integer == .min ? "math.mininteger" : String(integer)
    case .number(let number): return number.isFinite ? "\(number)" : "0/0"
    case .bytes(let bytes): return quoted(bytes)
    case .array(let values):
      return values.isEmpty ? "{}" : "{ " + values.map(text).joined(separator: ", ") + " }"
    case .map(let pairs):
      return pairs.isEmpty ? "{}" : "{ " + pairs.map(entry).joined(separator: ", ") + " }"
    }
  }

  /// Cut to what fits into a line.
  static func brief(_ value: PlainValue) -> String {
    let whole = text(value)
    guard whole.unicodeScalars.count > longest else { return whole }
    return String(String.UnicodeScalarView(whole.unicodeScalars.prefix(longest))) + "…"
  }

  private static let longest = 160

  private static func entry(_ pair: PlainPair) -> String {
    guard let name = pair.key.text, isName(name) else {
      return "[\(text(pair.key))] = \(text(pair.value))"
    }
    return "\(name) = \(text(pair.value))"
  }

  private static let reserved: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first), !reserved.contains(text) else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 95: true
      default: false
      }
    }
  }

  static func quoted(_ bytes: [UInt8]) -> String {
    // What is whole UTF-8 stays readable; other bytes are written by their numbers.
    let repaired = String(decoding: bytes, as: UTF8.self)
    let isWhole = Array(repaired.utf8) == bytes
    if isWhole { return "\"" + repaired.unicodeScalars.map(escaped).joined() + "\"" }
    return "\"" + bytes.map { escaped(Unicode.Scalar($0), isByte: true) }.joined() + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    escaped(scalar, isByte: false)
  }

  private static func escaped(_ scalar: Unicode.Scalar, isByte: Bool) -> String {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    default: break
    }
    if scalar.value < 0x20 || scalar.value == 0x7F || isByte && scalar.value > 0x7E {
      let number = String(scalar.value)
      return "\\" + String(repeating: "0", count: 3 - number.count) + number
    }
    // Marks that are not seen, or that turn the direction of writing.
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
      return "\\u{" + String(scalar.value, radix: 16) + "}"
    default: return String(scalar)
    }
  }
}
