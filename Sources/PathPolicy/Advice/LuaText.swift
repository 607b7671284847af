/// The words of a Lua text that Lua found good: strings and comments are told from code, and what
/// brackets enclose is found. Nothing is known of what the words do.
struct LuaText {
  struct Word: Hashable {
    enum Kind: Hashable { case name, string, number, symbol }

    var kind: Kind
    /// The word as written; of a string what it stands for, where that is plain to see.
    var text: String
    var line: Int
    /// Whether `text` is all there is to know; false for strings with escapes.
    var isPlain = true
  }

  /// The file as messages name it.
  let file: String
  private(set) var words: [Word] = []
  private let source: [UInt8]
  private var place = 0
  private var line = 1

  init(file: String, source: [UInt8]) {
    self.file = file
    self.source = source
    if source.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    if byte() == UInt8(ascii: "#") { skipLine() }
    while place < source.count { readWord() }
  }

  // MARK: Asking

  subscript(index: Int) -> Word? { words.indices.contains(index) ? words[index] : nil }

  func isSymbol(_ text: String, at index: Int) -> Bool {
    self[index].map { $0.kind == .symbol && $0.text == text } ?? false
  }

  func isName(_ text: String, at index: Int) -> Bool {
    self[index].map { $0.kind == .name && $0.text == text } ?? false
  }

  /// The text of a string that stands at a place, and nothing is done with.
  func plainString(at index: Int) -> String? {
    guard let word = self[index], word.kind == .string, word.isPlain else { return nil }
    return word.text
  }

  /// Where the bracket that opens here is closed.
  func end(ofBracketAt index: Int) -> Int? {
    var depth = 0
    for place in index..<words.count where words[place].kind == .symbol {
      switch words[place].text {
      case "{", "(", "[": depth += 1
      case "}", ")", "]": depth -= 1
      default: break
      }
      if depth == 0 { return place }
    }
    return nil
  }

  /// The entries `name = …` of the table that opens here, each with the place of its value; nil
  /// when some of its keys are worked out, or it is no table.
  func entries(ofTableAt index: Int) -> [String: Int]? {
    guard isSymbol("{", at: index), let end = end(ofBracketAt: index) else { return nil }
    var entries: [String: Int] = [:]
    var place = index + 1
    while place < end {
      guard let word = self[place] else { return nil }
      var value = place
      if word.kind == .name, isSymbol("=", at: place + 1) {
        value = place + 2
        entries[word.text] = value
      } else if word.kind == .symbol, word.text == "[" {
        guard let key = plainString(at: place + 1), isSymbol("]", at: place + 2),
          isSymbol("=", at: place + 3)
        else { return nil }
        value = place + 4
        entries[key] = value
      }
      place = endOfValue(at: value, before: end) + 1
    }
    return entries
  }

  /// Whether the value that begins here is this one word.
  func isWhole(at index: Int) -> Bool {
    guard let next = self[index + 1], next.kind == .symbol else { return false }
    return [",", ";", "}", ")"].contains(next.text)
  }

  /// The place of the comma after a value of a table, or of the table's end.
  private func endOfValue(at start: Int, before end: Int) -> Int {
    var place = start
    var blocks = 0
    while place < end, let word = self[place] {
      if word.kind == .symbol {
        switch word.text {
        case "{", "(", "[": place = self.end(ofBracketAt: place) ?? end
        case ",", ";": if blocks == 0 { return place }
        default: break
        }
      } else if word.kind == .name {
        // A function among the values has commas and semicolons of its own.
        switch word.text {
        case "function", "if", "do": blocks += 1
        case "repeat": blocks += 1
        case "end", "until": blocks -= 1
        default: break
        }
      }
      place += 1
    }
    return end
  }

  // MARK: Reading

  private func byte(_ ahead: Int = 0) -> UInt8 {
    place + ahead < source.count ? source[place + ahead] : 0
  }

  private mutating func step() {
    if byte() == UInt8(ascii: "\n") { line += 1 }
    place += 1
  }

  private mutating func skipLine() {
    while place < source.count, byte() != UInt8(ascii: "\n") { place += 1 }
  }

  private mutating func readWord() {
    let (start, first) = (place, line)
    switch byte() {
    case 48...57:
      readNumber()
      add(.number, start, first)
    case UInt8(ascii: ".") where (48...57).contains(byte(1)):
      readNumber()
      add(.number, start, first)
    case let letter where Self.isWordByte(letter):
      while Self.isWordByte(byte()) { place += 1 }
      add(.name, start, first)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): readQuoted()
    case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
      place += 2
      if readLongBracket() == nil { skipLine() }
    case UInt8(ascii: "["):
      if let text = readLongBracket() {
        words.append(Word(kind: .string, text: text, line: first))
      } else {
        readSymbol()
      }
    case 0...32: step()
    default: readSymbol()
    }
  }

  private mutating func add(_ kind: Word.Kind, _ start: Int, _ line: Int) {
    let text = String(decoding: source[start..<place], as: UTF8.self)
    words.append(Word(kind: kind, text: text, line: line))
  }

  private mutating func readNumber() {
    while Self.isWordByte(byte()) || byte() == UInt8(ascii: ".") {
      let mayHaveSign = "eEpP".utf8.contains(byte())
      place += 1
      if mayHaveSign, "+-".utf8.contains(byte()) { place += 1 }
    }
  }

  private mutating func readQuoted() {
    let (quote, first) = (byte(), line)
    place += 1
    let start = place
    var isPlain = true
    while place < source.count, byte() != quote {
      if byte() == UInt8(ascii: "\\") {
        isPlain = false
        // `\z` passes over white space, line ends included; the steps below do the same.
        step()
      }
      step()
    }
    let text = String(decoding: source[start..<min(place, source.count)], as: UTF8.self)
    place += 1
    words.append(Word(kind: .string, text: text, line: first, isPlain: isPlain))
  }

  /// Passes over `[[ … ]]` of any level and returns what is in it; nil where none begins.
  private mutating func readLongBracket() -> String? {
    var level = 0
    while byte(1 + level) == UInt8(ascii: "=") { level += 1 }
    guard byte() == UInt8(ascii: "["), byte(1 + level) == UInt8(ascii: "[") else { return nil }
    let equals = [UInt8](repeating: UInt8(ascii: "="), count: level)
    let close = [UInt8(ascii: "]")] + equals + [UInt8(ascii: "]")]
    place += level + 2
    // A line end right after the bracket is not part of the text.
    if byte() == UInt8(ascii: "\n") { step() }
    let start = place
    while place < source.count, !source[place...].starts(with: close) { step() }
    let text = String(decoding: source[start..<min(place, source.count)], as: UTF8.self)
    place += close.count
    return text
  }

  private static let longSymbols = ["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"]

  private mutating func readSymbol() {
    let start = place
    let long = Self.longSymbols.first { source[start...].starts(with: $0.utf8) }
    place += long?.utf8.count ?? 1
    add(.symbol, start, line)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 95: true
    default: false
    }
  }
}
