/// The words of a Lua text that Lua found good: comments are passed over, and nothing is understood
/// beyond where a word begins and ends.
package struct LuaTokens {
  package struct Token: Hashable {
    package enum Kind: Hashable { case name, number, string, symbol }

    package var kind: Kind
    package var range: Range<Int>
    package var line: Int
    /// Of the line on which it ends.
    package var lastLine: Int
    /// As written.
    package var text: String
  }

  private let source: [UInt8]
  private var place = 0
  private var line = 1
  private var tokens: [Token] = []

  package static func read(_ source: [UInt8]) -> [Token] {
    var reader = LuaTokens(source: source)
    reader.readAll()
    return reader.tokens
  }

  private init(source: [UInt8]) { self.source = source }

  private func byte(_ ahead: Int = 0) -> UInt8 {
    place + ahead < source.count ? source[place + ahead] : 0
  }

  private mutating func step() {
    if byte() == UInt8(ascii: "\n") { line += 1 }
    place += 1
  }

  private mutating func readAll() {
    if source.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    if byte() == UInt8(ascii: "#") { skipLine() }
    while place < source.count {
      let start = (place, line)
      guard let kind = readOne() else { continue }
      let range = start.0..<min(place, source.count)
      tokens.append(
        Token(
          kind: kind, range: range, line: start.1, lastLine: line,
          text: String(decoding: source[range], as: UTF8.self)))
    }
  }

  private mutating func skipLine() {
    while place < source.count, byte() != UInt8(ascii: "\n") { step() }
  }

  /// Reads one word, or passes over what is none.
  private mutating func readOne() -> Token.Kind? {
    switch byte() {
    case 48...57:
      readNumber()
      return .number
    case UInt8(ascii: ".") where (48...57).contains(byte(1)):
      readNumber()
      return .number
    case 65...90, 97...122, 95:
      while Self.isWord(byte()) { step() }
      return .name
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      readQuoted(byte())
      return .string
    case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
      place += 2
      if !readLongBracket() { skipLine() }
      return nil
    case UInt8(ascii: "[") where readLongBracket(): return .string
    case 0...32:
      step()
      return nil
    default:
      readSymbol()
      return .symbol
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 95: true
    default: false
    }
  }

  private mutating func readNumber() {
    while Self.isWord(byte()) || byte() == UInt8(ascii: ".") {
      let isExponent = "eEpP".utf8.contains(byte())
      step()
      if isExponent, "+-".utf8.contains(byte()) { step() }
    }
  }

  private mutating func readQuoted(_ quote: UInt8) {
    step()
    while place < source.count, byte() != quote {
      // `\z` passes over white space, line ends included; these steps do the same.
      if byte() == UInt8(ascii: "\\") { step() }
      step()
    }
    step()
  }

  private mutating func readLongBracket() -> Bool {
    var level = 0
    while byte(1 + level) == UInt8(ascii: "=") { level += 1 }
    guard byte() == UInt8(ascii: "["), byte(1 + level) == UInt8(ascii: "[") else { return false }
    let equals = [UInt8](repeating: UInt8(ascii: "="), count: level)
    let end = [UInt8(ascii: "]")] + equals + [UInt8(ascii: "]")]
    while place < source.count, !source[place...].starts(with: end) { step() }
    place = min(place + end.count, source.count)
    return true
  }

  private static let longSymbols = ["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"]

  private mutating func readSymbol() {
    for symbol in Self.longSymbols where source[place...].starts(with: symbol.utf8) {
      place += symbol.utf8.count
      return
    }
    step()
  }
}
