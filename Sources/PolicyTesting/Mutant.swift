import PathCore
import PathPolicy

/// A policy with one small change, which its tests should notice.
struct Mutant: Hashable {
  var range: Range<Int>
  var replacement: String
  var line: Int
  /// What was changed, for people.
  var change: String

  func applied(to script: PolicyScript) -> PolicyScript {
    var script = script
    script.source.replaceSubrange(range, with: Array(replacement.utf8))
    return script
  }

  /// All changes of a policy, in the order of its text.
  static func all(of script: PolicyScript) -> [Mutant] {
    let tokens = LuaTokens.read(script.source)
    var mutants: [Mutant] = []
    for index in tokens.indices {
      mutants += changes(tokens, index)
      if let mutant = withoutCall(tokens, index, script.source) { mutants.append(mutant) }
    }
    return mutants
  }

  private static let swaps = [
    "==": "~=", "~=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "and": "or", "or": "and",
    "true": "false", "false": "true",
  ]

  private static func changes(_ tokens: [LuaTokens.Token], _ index: Int) -> [Mutant] {
    let token = tokens[index]
    switch token.kind {
    case .name, .symbol: return swaps[token.text].map { [replacing(token, $0)] } ?? []
    case .number:
      // Which form of the API and of the state this is, is no behaviour.
      let key = index >= 2 && tokens[index - 1].text == "=" ? tokens[index - 2].text : ""
      guard let number = Int64(token.text), number < .max, key != "api", key != "version" else {
        return []
      }
      return [number + 1, number - 1].filter { $0 >= 0 }.map { replacing(token, String($0)) }
    case .string:
      let inner = token.text.dropFirst().dropLast()
      guard let time = TestDuration.read(String(inner)), time > .milliseconds(1) else { return [] }
      let (double, half) = (time + time, time / 2)
      return [double, half].map { replacing(token, "\"\($0.shortText)\"") }
    }
  }

  private static func replacing(_ token: LuaTokens.Token, _ text: String) -> Mutant {
    Mutant(
      range: token.range, replacement: text, line: token.line,
      change: "\(token.text) becomes \(text)")
  }

  // MARK: Statements

  private static let openers: Set<String> = ["then", "do", "else", "repeat", ";"]
  private static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// The statement that begins here left out, if it is nothing but a call.
  private static func withoutCall(
    _ tokens: [LuaTokens.Token], _ start: Int, _ source: [UInt8]
  ) -> Mutant? {
    let first = tokens[start]
    guard first.kind == .name, !keywords.contains(first.text), isStatement(tokens, start),
      let end = endOfCall(tokens, start)
    else { return nil }
    let range = first.range.lowerBound..<tokens[end].range.upperBound
    let lines = tokens[end].lastLine - first.line
    let name = tokens[start..<end].prefix { $0.kind == .name || $0.text == "." }.map(\.text)
    return Mutant(
      range: range, replacement: String(repeating: "\n", count: lines), line: first.line,
      change: "\(name.joined()) … is left out")
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
