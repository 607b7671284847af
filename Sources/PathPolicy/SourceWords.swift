/// Finds a word in a script's text, so that an error about a table's key can name its line.
enum SourceWords {
  /// The first line that holds `word` as a whole word outside comments; zero when none does. Words
  /// in strings count: keys such as `["wlan*"]` are written so.
  static func line(of word: String, in source: [UInt8]) -> Int {
    let wanted = Array(word.utf8)
    guard !wanted.isEmpty else { return 0 }
    var line = 1
    var place = 0
    var quote: UInt8?
    while place < source.count {
      let byte = source[place]
      if quote == nil, let end = endOfComment(place, in: source) {
        line += source[place..<end].count { $0 == newline }
        place = end
        continue
      }
      if matches(wanted, at: place, in: source) { return line }
      if byte == newline {
        line += 1
        quote = nil
      } else if byte == UInt8(ascii: "\\"), quote != nil {
        place += 1
        if place < source.count, source[place] == newline { line += 1 }
      } else if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      place += 1
    }
    return 0
  }

  private static let newline = UInt8(ascii: "\n")

  private static func matches(_ wanted: [UInt8], at start: Int, in source: [UInt8]) -> Bool {
    guard source[start] == wanted[0], start + wanted.count <= source.count else { return false }
    let end = start + wanted.count
    return source[start..<end].elementsEqual(wanted)
      && (start == 0 || !isWordByte(source[start - 1]))
      && (end == source.count || !isWordByte(source[end]))
  }

  /// Where the comment that begins here is over; nil when none begins.
  private static func endOfComment(_ start: Int, in source: [UInt8]) -> Int? {
    func byte(_ place: Int) -> UInt8 { place < source.count ? source[place] : 0 }
    let dash = UInt8(ascii: "-")
    guard byte(start) == dash, byte(start + 1) == dash else { return nil }
    var level = start + 3
    while byte(level) == UInt8(ascii: "=") { level += 1 }
    guard byte(start + 2) == UInt8(ascii: "["), byte(level) == UInt8(ascii: "[") else {
      return source[start...].firstIndex(of: newline) ?? source.count
    }
    let equals = [UInt8](repeating: UInt8(ascii: "="), count: level - start - 3)
    let close = [UInt8(ascii: "]")] + equals + [UInt8(ascii: "]")]
    var end = level + 1
    while end + close.count <= source.count {
      if source[end..<end + close.count].elementsEqual(close) { return end + close.count }
      end += 1
    }
    return source.count
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 95: true
    default: false
    }
  }
}
