/// Which modules a text can reach, so that an edit in `lib/` concerns those alone who use it.
extension PolicyScript {
  /// The same script with the modules that it names, and those that they name. A `require` whose
  /// module is not written out, as in `require(name)`, may mean any of them.
  var withNeededModules: PolicyScript {
    guard !modules.isEmpty else { return self }
    var needed: Set<String> = []
    var texts = [source]
    while let text = texts.popLast() {
      guard let names = RequiredNames(in: text).names else { return self }
      for module in modules where names.contains(module.name) {
        if needed.insert(module.name).inserted { texts.append(module.source) }
      }
    }
    var script = self
    script.modules = modules.filter { needed.contains($0.name) }
    return script
  }
}

/// The modules that a text of Lua names in its `require`s. Comments and strings are not told apart
/// from code: a name too many costs nothing.
struct RequiredNames {
  /// Nil when one of them is not written out.
  private(set) var names: Set<String>? = []
  private let text: [UInt8]
  private var place = 0

  init(in text: [UInt8]) {
    self.text = text
    let word = Array("require".utf8)
    while place < text.count {
      guard Self.isOfWord(text[place]) else {
        place += 1
        continue
      }
      let start = place
      while place < text.count, Self.isOfWord(text[place]) { place += 1 }
      guard text[start..<place].elementsEqual(word) else { continue }
      guard let name = argument() else {
        names = nil
        return
      }
      names?.insert(name)
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 95, 97...122: true
    default: byte >= 128
    }
  }

  /// `"name"`, `'name'` or `("name")` behind the word.
  private mutating func argument() -> String? {
    skipBlanks()
    let isCall = take(UInt8(ascii: "("))
    if isCall { skipBlanks() }
    guard place < text.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(text[place]) else {
      return nil
    }
    let quote = text[place]
    place += 1
    let start = place
    while place < text.count, text[place] != quote {
      // An escape or the line's end: whatever it means, it is not written out.
      if text[place] == UInt8(ascii: "\\") || text[place] == UInt8(ascii: "\n") { return nil }
      place += 1
    }
    guard take(quote) else { return nil }
    let name = String(decoding: text[start..<(place - 1)], as: UTF8.self)
    guard isCall else { return name }
    skipBlanks()
    return take(UInt8(ascii: ")")) ? name : nil
  }

  private mutating func skipBlanks() {
    while place < text.count, [9, 10, 13, 32].contains(text[place]) { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard place < text.count, text[place] == byte else { return false }
    place += 1
    return true
  }
}
