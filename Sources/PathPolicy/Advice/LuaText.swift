/// The words of a Lua text that Lua found good, what strings stand for, and what brackets enclose.
/// Nothing is known of what the words do.
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
  let words: [Word]

  init(file: String, source: [UInt8]) {
    self.file = file
    words = LuaTokens.read(source).map(Word.init)
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
}

extension LuaText.Word {
  fileprivate init(_ token: LuaTokens.Token) {
    line = token.line
    text = token.text
    switch token.kind {
    case .name: kind = .name
    case .number: kind = .number
    case .symbol: kind = .symbol
    case .string:
      kind = .string
      let isQuoted = !text.hasPrefix("[")
      isPlain = !isQuoted || !text.utf8.contains(UInt8(ascii: "\\"))
      text = isQuoted ? String(text.dropFirst().dropLast()) : Self.inLongBrackets(text)
    }
  }

  /// What is in `[[ … ]]` of any level; a line end right after the bracket is not part of it.
  private static func inLongBrackets(_ text: String) -> String {
    let length = text.dropFirst().prefix { $0 == "=" }.count + 2
    let inner = text.dropFirst(length).dropLast(length)
    return String(inner.first == "\n" || inner.first == "\r\n" ? inner.dropFirst() : inner)
  }
}
