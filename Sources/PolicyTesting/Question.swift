import PathCore

/// What a test asks of the simulation: a verb, where it stands, and its arguments.
struct Question {
  let verb: String
  /// In the test's file; 0 when not known.
  let line: Int
  let arguments: [PlainValue]

  init?(_ value: PlainValue) {
    guard let parts = value.elements, parts.count >= 2, let verb = parts[0].text,
      let line = parts[1].integer
    else { return nil }
    self.verb = verb
    self.line = Int(clamping: line)
    arguments = Array(parts.dropFirst(2))
  }

  subscript(place: Int) -> PlainValue { place < arguments.count ? arguments[place] : .null }

  /// Whether the case goes on when it is not as the test expects.
  var isSoft: Bool { verb == "expect_soft" }

  /// The verb as people write it.
  var shown: String { verb.contains(".") ? verb : "sim." + verb }

  func text(_ place: Int, _ what: String) throws(Objection) -> String {
    try Self.text(self[place], "\(shown) takes \(what)")
  }

  func duration(_ place: Int) throws(Objection) -> Duration {
    try Self.duration(self[place], shown)
  }

  func bool(_ place: Int) throws(Objection) -> Bool {
    guard let bool = self[place].bool else {
      throw .misuse("\(shown) takes true or false, not \(Self.shown(self[place]))")
    }
    return bool
  }

  /// The entries of a table; none when it is left out and may be.
  func options(
    _ place: Int, _ known: [String], isOptional: Bool = false
  ) throws(Objection) -> Options {
    if isOptional, self[place] == .null { return Options(shown, []) }
    return try Options(self[place], shown, known)
  }

  // MARK: Reading values

  static func text(_ value: PlainValue, _ what: String) throws(Objection) -> String {
    guard let text = value.text, !text.isEmpty, text.utf8.count <= 4096 else {
      throw .misuse("\(what), not \(shown(value))")
    }
    return text
  }

  static func duration(_ value: PlainValue, _ what: String) throws(Objection) -> Duration {
    guard let text = value.text, let time = TestDuration.read(text) else {
      throw .misuse(
        "\(what): \(shown(value)) is no duration such as \"250ms\", \"10s\" or \"1h30m\", of at "
          + "most 100y")
    }
    return time
  }

  static func shown(_ value: PlainValue) -> String { LuaText.brief(value) }
}

/// A table whose keys are known.
struct Options {
  let what: String
  let pairs: [(key: String, value: PlainValue)]

  init(_ what: String, _ pairs: [(String, PlainValue)]) {
    self.what = what
    self.pairs = pairs
  }

  init(_ value: PlainValue, _ what: String, _ known: [String]) throws(Objection) {
    self.what = what
    var pairs: [(String, PlainValue)] = []
    guard let entries = value.pairs else {
      throw .misuse("\(what) takes a table with names, not \(Question.shown(value))")
    }
    for entry in entries {
      guard let key = entry.key.text, known.contains(key) else {
        let word = entry.key.text ?? LuaText.text(entry.key)
        throw .misuse("\(what) has no '\(word)'\(hint(word, known))")
      }
      pairs.append((key, entry.value))
    }
    self.pairs = pairs
  }

  var isEmpty: Bool { pairs.isEmpty }

  subscript(key: String) -> PlainValue { pairs.first { $0.key == key }?.value ?? .null }

  func text(_ key: String) throws(Objection) -> String? {
    self[key] == .null ? nil : try Question.text(self[key], "\(what): '\(key)' is a text")
  }

  func bool(_ key: String) throws(Objection) -> Bool? {
    if self[key] == .null { return nil }
    guard let bool = self[key].bool else {
      throw .misuse("\(what): '\(key)' is true or false, not \(Question.shown(self[key]))")
    }
    return bool
  }

  func duration(_ key: String) throws(Objection) -> Duration? {
    self[key] == .null ? nil : try Question.duration(self[key], "\(what): '\(key)'")
  }

  func integer(_ key: String, _ range: ClosedRange<Int64>) throws(Objection) -> Int64? {
    if self[key] == .null { return nil }
    guard let number = self[key].integer, range.contains(number) else {
      throw .misuse(
        "\(what): '\(key)' is a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + Question.shown(self[key]))
    }
    return number
  }

  /// A text, or a list of some.
  func texts(_ key: String) throws(Objection) -> [String] {
    if self[key] == .null { return [] }
    if self[key].text != nil { return [try text(key) ?? ""] }
    guard let elements = self[key].elements, elements.count <= 16 else {
      throw .misuse("\(what): '\(key)' is a text or a list of them")
    }
    var texts: [String] = []
    for element in elements {
      texts.append(try Question.text(element, "\(what): '\(key)' is a text or a list of them"))
    }
    return texts
  }

  func word<Word: RawRepresentable & CaseIterable>(
    _ key: String, _ type: Word.Type, _ kind: String
  ) throws(Objection) -> Word? where Word.RawValue == String {
    guard let text = try text(key) else { return nil }
    if let word = Word(rawValue: text) { return word }
    throw .misuse(
      "\(what): '\(text)' is no \(kind)\(hint(text, Word.allCases.map(\.rawValue)))")
  }
}

/// `; did you mean 'x'?`, or what there is.
func hint(_ word: String, _ words: [String]) -> String {
  if let near = nearestWord(to: word, in: words) { return "; did you mean '\(near)'?" }
  return words.isEmpty ? "" : "; there is \(words.sorted().joined(separator: ", "))"
}
