/// A shell-like pattern for interface names: `*` stands for any run of bytes, `?` for one.
///
/// Matching takes time in proportion to pattern × name at worst and never recurses, so a pattern
/// from a configuration cannot stall the loop.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  package let text: String
  private let bytes: [UInt8]

  package init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  package var description: String { text }

  /// Whether the whole of `name` fits.
  package func matches(_ name: String) -> Bool {
    let name = name.utf8
    var position = 0
    var index = name.startIndex
    // Where to go on after the last `*`, when what follows it turns out not to fit.
    var star: Int?
    var resume = name.startIndex
    while index != name.endIndex {
      if position < bytes.count, bytes[position] == UInt8(ascii: "*") {
        star = position
        resume = index
        position += 1
      } else if position < bytes.count,
        bytes[position] == UInt8(ascii: "?") || bytes[position] == name[index]
      {
        position += 1
        index = name.index(after: index)
      } else if let last = star {
        position = last + 1
        resume = name.index(after: resume)
        index = resume
      } else {
        return false
      }
    }
    return bytes[position...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  /// Whether the interface's name or one of its alternative names fits.
  package func matches(_ name: String, alternatives: [String]) -> Bool {
    matches(name) || alternatives.contains(where: matches)
  }
}
