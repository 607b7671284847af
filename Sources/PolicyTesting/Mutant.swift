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
      if let mutant = withoutStatement(tokens, index) { mutants.append(mutant) }
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
    case .name where token.text == "not":
      return [
        Mutant(range: token.range, replacement: "", line: token.line, change: "not is left out")
      ]
    case .name, .symbol: return swaps[token.text].map { [replacing(token, $0)] } ?? []
    case .number:
      // Which form of the API and of the state this is, is no behaviour.
      let key = index >= 2 && tokens[index - 1].text == "=" ? tokens[index - 2].text : ""
      guard let number = Int64(token.text), number < .max, key != "api", key != "version" else {
        return []
      }
      return [number + 1, number - 1].filter { $0 >= 0 }.map { replacing(token, String($0)) }
    case .string:
      let inner = String(token.text.dropFirst().dropLast())
      if let (count, per) = TestDuration.readLimit(inner) {
        let counts = [count + 1, count - 1].filter { $0 > 0 }.map { "\($0)/\(per.shortText)" }
        return (counts + times(per).map { "\(count)/\($0)" }).map { replacing(token, "\"\($0)\"") }
      }
      return times(TestDuration.read(inner) ?? .zero).map { replacing(token, "\"\($0)\"") }
    }
  }

  /// Twice and half of it.
  private static func times(_ time: Duration) -> [String] {
    guard time > .milliseconds(1) else { return [] }
    return [time + time, time / 2].map(\.shortText)
  }

  private static func replacing(_ token: LuaTokens.Token, _ text: String) -> Mutant {
    Mutant(
      range: token.range, replacement: text, line: token.line,
      change: "\(token.text) becomes \(text)")
  }
}
