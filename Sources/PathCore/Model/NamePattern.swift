/// A glob over interface names: `*` stands for any run of characters, `?` for exactly one.
///
/// Without recursion, and never more work than name × pattern: on a mismatch only the last `*`
/// takes one character more.
package struct NamePattern: Hashable, Sendable {
  package let text: String
  private let isPlain: Bool

  package init(_ text: String) {
    self.text = text
    isPlain = !text.utf8.contains { $0 == Self.star || $0 == Self.question }
  }

  private static let star = UInt8(ascii: "*")
  private static let question = UInt8(ascii: "?")

  /// Whether the whole of `name` fits.
  package func matches(_ name: String) -> Bool {
    if isPlain { return text == name }
    let pattern = text.unicodeScalars
    let subject = name.unicodeScalars
    var inPattern = pattern.startIndex
    var inSubject = subject.startIndex
    var afterStar: String.Index?
    var resume = inSubject
    while inSubject < subject.endIndex {
      if inPattern < pattern.endIndex, pattern[inPattern] == "*" {
        inPattern = pattern.index(after: inPattern)
        afterStar = inPattern
        resume = inSubject
      } else if inPattern < pattern.endIndex,
        pattern[inPattern] == "?" || pattern[inPattern] == subject[inSubject]
      {
        inPattern = pattern.index(after: inPattern)
        inSubject = subject.index(after: inSubject)
      } else if let star = afterStar {
        inPattern = star
        resume = subject.index(after: resume)
        inSubject = resume
      } else {
        return false
      }
    }
    while inPattern < pattern.endIndex, pattern[inPattern] == "*" {
      inPattern = pattern.index(after: inPattern)
    }
    return inPattern == pattern.endIndex
  }

  /// Whether the name or one of the alternative names fits.
  package func matches(_ name: String, alternatives: [String]) -> Bool {
    matches(name) || alternatives.contains { matches($0) }
  }

  /// Whether the name or one of the altnames fits.
  package func matches(_ interface: Interface) -> Bool {
    matches(interface.name, alternatives: interface.alternativeNames)
  }
}
