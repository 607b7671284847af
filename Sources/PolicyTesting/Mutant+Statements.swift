import PathPolicy

/// Statements that are left out.
extension Mutant {
  private static let openers: Set<String> = ["then", "do", "else", "repeat", ";"]
  private static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// The statement that begins here left out, if it is nothing but a call, an assignment or a line
  /// `if … then return … end`.
  static func withoutStatement(_ tokens: [LuaTokens.Token], _ start: Int) -> Mutant? {
    let first = tokens[start]
    guard first.kind == .name, isStatement(tokens, start) else { return nil }
    if first.text == "if" {
      guard let end = endOfReturn(tokens, start) else { return nil }
      return leaving(tokens, start...end, "if … return … end")
    }
    guard !keywords.contains(first.text) else { return nil }
    let name = tokens[start...].prefix { $0.kind == .name || $0.text == "." }.map(\.text)
    if let end = endOfCall(tokens, start) {
      return leaving(tokens, start...end, "\(name.joined()) …")
    }
    guard let end = endOfAssignment(tokens, start) else { return nil }
    return leaving(tokens, start...end, "\(name.joined()) = …")
  }

  private static func leaving(
    _ tokens: [LuaTokens.Token], _ out: ClosedRange<Int>, _ what: String
  ) -> Mutant {
    let (first, last) = (tokens[out.lowerBound], tokens[out.upperBound])
    return Mutant(
      range: first.range.lowerBound..<last.range.upperBound,
      replacement: String(repeating: "\n", count: last.lastLine - first.line), line: first.line,
      change: "\(what) is left out")
  }

  /// The `end` of a line that only returns on a condition.
  private static func endOfReturn(_ tokens: [LuaTokens.Token], _ start: Int) -> Int? {
    let line = tokens[start].line
    let rest = tokens[start...].prefix { $0.line == line && $0.lastLine == line }
    guard let then = rest.firstIndex(where: { $0.kind == .name && $0.text == "then" }),
      then + 1 < rest.endIndex, tokens[then + 1].text == "return",
      let end = rest[then...].firstIndex(where: { $0.kind == .name && $0.text == "end" }),
      !rest[start..<end].contains(where: { $0.kind == .name && $0.text == "function" })
    else { return nil }
    return end
  }

  /// Where the value ends that a variable or field is set to; nil for anything else, and for a
  /// function.
  private static func endOfAssignment(_ tokens: [LuaTokens.Token], _ start: Int) -> Int? {
    guard var place = endOfNames(tokens, start), place < tokens.count, tokens[place].text == "="
    else { return nil }
    place += 1
    var depth = 0
    while place < tokens.count {
      let token = tokens[place]
      if token.kind == .name, token.text == "function" { return nil }
      if token.kind == .symbol, ["(", "{", "["].contains(token.text) { depth += 1 }
      if token.kind == .symbol, [")", "}", "]"].contains(token.text) { depth -= 1 }
      if depth < 0 { return nil }
      if depth == 0, endsValue(tokens, place) { return place }
      place += 1
    }
    return nil
  }

  private static let blockEnds: Set<String> = ["end", "else", "elseif", "until", "return"]
  private static let operators: Set<String> = ["and", "or", "not"]

  /// Whether what follows a token outside of brackets is no more of the same value.
  private static func endsValue(_ tokens: [LuaTokens.Token], _ place: Int) -> Bool {
    guard place + 1 < tokens.count else { return true }
    let (token, after) = (tokens[place], tokens[place + 1])
    if after.text == ";" { return true }
    guard after.kind == .name, !operators.contains(after.text) else { return false }
    if blockEnds.contains(after.text) { return true }
    // A word behind a value, without an operator between them, begins a statement.
    switch token.kind {
    case .string, .number: return true
    case .name: return !operators.contains(token.text)
    case .symbol: return [")", "}", "]"].contains(token.text)
    }
  }

  /// Behind a chain of names and indices, or several with commas between them.
  private static func endOfNames(_ tokens: [LuaTokens.Token], _ start: Int) -> Int? {
    var place = start
    while place < tokens.count {
      guard tokens[place].kind == .name, !keywords.contains(tokens[place].text) else { return nil }
      place += 1
      while place < tokens.count {
        if tokens[place].text == "." {
          place += 2
        } else if tokens[place].text == "[", let end = closing(tokens, place) {
          place = end + 1
        } else {
          break
        }
      }
      guard place < tokens.count, tokens[place].text == "," else { return place }
      place += 1
    }
    return nil
  }

  private static func isStatement(_ tokens: [LuaTokens.Token], _ start: Int) -> Bool {
    guard start > 0 else { return true }
    let before = tokens[start - 1]
    if openers.contains(before.text) { return true }
    guard before.lastLine < tokens[start].line else { return false }
    switch before.kind {
    case .string, .number: return true
    case .name: return !keywords.contains(before.text) || ["end", "break"].contains(before.text)
    case .symbol: return [")", "}", "]"].contains(before.text)
    }
  }

  /// Where a chain of names that is called, once or more, is over; nil for anything else.
  private static func endOfCall(_ tokens: [LuaTokens.Token], _ start: Int) -> Int? {
    var place = start + 1
    var lastCall: Int?
    while place < tokens.count {
      let token = tokens[place]
      if token.text == "." || token.text == ":" {
        guard place + 1 < tokens.count, tokens[place + 1].kind == .name else { return nil }
        place += 2
      } else if token.kind == .string {
        lastCall = place
        place += 1
      } else if token.text == "(" || token.text == "{" {
        guard let end = closing(tokens, place) else { return nil }
        lastCall = end
        place = end + 1
      } else {
        break
      }
    }
    guard let lastCall, lastCall == place - 1 else { return nil }
    // An assignment, or a part of something longer.
    let after = place < tokens.count ? tokens[place] : nil
    if let after, after.kind == .symbol, after.text != ";" { return nil }
    return lastCall
  }

  private static func closing(_ tokens: [LuaTokens.Token], _ open: Int) -> Int? {
    var depth = 0
    for place in open..<tokens.count where tokens[place].kind == .symbol {
      switch tokens[place].text {
      case "(", "{", "[": depth += 1
      case ")", "}", "]":
        depth -= 1
        if depth == 0 { return place }
      default: break
      }
    }
    return nil
  }
}
