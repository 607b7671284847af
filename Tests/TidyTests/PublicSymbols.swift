/// Each public symbol of the library says what it is.
enum PublicSymbols {
  /// The rooms whose symbols other people's code uses.
  static let rooms: Set<String> = ["NetworkPath", "NetworkPathNotifications"]

  static func check(_ file: SourceFile) -> [Finding] {
    guard rooms.contains(file.room), file.isSwift else { return [] }
    let lines = file.codeLines
    var findings: [Finding] = []
    // What is open, outermost first: whether its cases or requirements are public without a word.
    var open: [(indent: Int, isPublic: Bool)] = []
    for index in lines.indices {
      let line = lines[index]
      let text = line.drop { $0 == " " }
      if text.isEmpty { continue }
      let indent = line.count - text.count
      while let last = open.last, indent <= last.indent { open.removeLast() }
      let isMember = open.last.map { $0.isPublic && indent == $0.indent + 2 } ?? false
      if isSymbol(text, isMember), !isDocumented(file.lines, index) {
        findings.append(
          Finding(
            path: file.path, line: index + 1, message: "a public symbol has no doc comment"))
      }
      if text.contains(/^public\s(?:indirect\s)?(?:enum|protocol)\s/), !text.hasSuffix("}") {
        open.append((indent, true))
      } else if text.contains(/^(?:\w+\s)*(?:struct|class|enum|extension|func|var|init|actor)\b/) {
        open.append((indent, false))
      }
    }
    return findings
  }

  private static func isSymbol(_ text: Substring, _ isMember: Bool) -> Bool {
    if text.contains(/\bimport\b/) || text.contains(/^public extension\b/) { return false }
    if text.contains(/^(?:@\S+\s)*(?:final\s)?public\s/) { return true }
    // The set of a property belongs to it.
    return isMember && text.contains(/^(?:case|init[?(]|var|func|static|associatedtype)/)
  }

  /// Attributes may stand between.
  private static func isDocumented(_ lines: [Substring], _ index: Int) -> Bool {
    var above = index
    while above > 0 {
      above -= 1
      let text = lines[above].drop { $0 == " " }
      if text.hasPrefix("@") || text.hasPrefix("#if") { continue }
      return text.hasPrefix("///")
    }
    return false
  }
}
