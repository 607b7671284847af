import PathCore

/// Names that are nowhere declared: misspelt, or of another Lua's library. When such a line runs,
/// the handler fails.
extension PolicyReader {
  mutating func lookAtGlobals() {
    let declared = own.declaredNames
    let libraries = Dictionary(
      uniqueKeysWithValues: PolicyAPI.libraries.map { ($0.name, $0.members) })
    let known = declared.union(PolicyAPI.globals).union(libraries.keys).union(["_ENV", "self"])
    var told: Set<String> = []
    for place in own.words.indices where own.isReference(at: place) {
      let word = own.words[place]
      if !known.contains(word.text) {
        if told.insert(word.text).inserted {
          say(word.line, "there is no '\(word.text)' here" + hint(word.text, known.sorted()))
        }
      } else if let members = libraries[word.text], !declared.contains(word.text),
        own.isSymbol(".", at: place + 1), let member = own[place + 2], member.kind == .name,
        !members.contains(member.text),
        told.insert("\(word.text).\(member.text)").inserted
      {
        say(
          member.line,
          "\(word.text) has no '\(member.text)' here" + hint(member.text, members))
      }
    }
  }

  /// What older Lua had, and what stands for it.
  private static let successors = [
    "unpack": "table.unpack", "getn": "#list", "pow": "x ^ y", "mod": "math.fmod",
    "gfind": "gmatch", "atan2": "nothing", "loadstring": "nothing", "setfenv": "nothing",
    "getfenv": "nothing", "load": "nothing", "dofile": "nothing", "io": "nothing",
    "os": "nothing",
  ]

  private func hint(_ name: String, _ words: [String]) -> String {
    let end = "; the README beside the policies lists what there is"
    if let successor = Self.successors[name] {
      return successor == "nothing" ? ": policies have no such thing" + end : "; use \(successor)"
    }
    return nearestWord(to: name, in: words).map { "; did you mean '\($0)'?" } ?? end
  }
}

extension LuaText {
  private static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Whether a variable is read here: no field, no key, no label, nothing that is assigned.
  func isReference(at place: Int) -> Bool {
    guard let word = self[place], word.kind == .name, !Self.keywords.contains(word.text) else {
      return false
    }
    if [".", ":", "::"].contains(where: { isSymbol($0, at: place - 1) }) { return false }
    // `local a <const>`.
    if isSymbol("<", at: place - 1), isSymbol(">", at: place + 1) { return false }
    return !isSymbol("=", at: place + 1) && !isName("goto", at: place - 1)
  }

  /// Every name that is declared or assigned somewhere, whatever its scope.
  var declaredNames: Set<String> {
    var names: Set<String> = []
    for (place, word) in words.enumerated() where word.kind == .name {
      switch word.text {
      case "local", "for": names.formUnion(list(from: place + 1))
      case "function":
        var open = place + 1
        while let next = self[open], !isSymbol("(", at: open) {
          if next.kind == .name, open == place + 1 { names.insert(next.text) }
          open += 1
        }
        names.formUnion(list(from: open + 1))
      default:
        let isField = [".", ":"].contains { isSymbol($0, at: place - 1) }
        if !isField, isSymbol("=", at: place + 1) { names.insert(word.text) }
      }
    }
    return names
  }

  /// `a, b <const>, c` up to whatever follows.
  private func list(from start: Int) -> [String] {
    var names: [String] = []
    var place = start
    if isName("function", at: place) { place += 1 }
    while let word = self[place], word.kind == .name, !Self.keywords.contains(word.text) {
      names.append(word.text)
      place += 1
      if isSymbol("<", at: place), isSymbol(">", at: place + 2) { place += 3 }
      guard isSymbol(",", at: place) else { break }
      place += 1
    }
    return names
  }
}
