/// Finds a word in a script's text, so that an error about a table's key can name its line.
enum SourceWords {
  /// The first line that holds `word` as a whole word; zero when none does.
  static func line(of word: String, in source: [UInt8]) -> Int {
    let wanted = Array(word.utf8)
    guard !wanted.isEmpty else { return 0 }
    var line = 1
    for start in source.indices {
      if source[start] == UInt8(ascii: "\n") { line += 1 }
      guard source[start] == wanted[0], start + wanted.count <= source.count else { continue }
      let end = start + wanted.count
      if source[start..<end].elementsEqual(wanted),
        start == 0 || !isWordByte(source[start - 1]),
        end == source.count || !isWordByte(source[end])
      {
        return line
      }
    }
    return 0
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 95: true
    default: false
    }
  }
}
