/// Colours for the lines of `status`, wherever they were made: the daemon's come without any.
struct StatusPaint {
  let console: Console

  private static let styles: [String: Console.Style] = [
    "satisfied": .green, "unsatisfied": .red, "requiresConnection": .red,
    "running": .faint, "resting": .red, "disabled": .faint, "rejected": .red,
    "info": .green, "warning": .yellow, "critical": .red,
  ]

  func line(_ line: String) -> String {
    if line.hasPrefix("  ") { return entry(line) }
    // Names have values beside them; what is shorter is a heading.
    guard line.count > StatusText.nameWidth else { return console.styled(line, .faint) }
    let value = line.dropFirst(StatusText.nameWidth)
    let name = console.styled(line.upTo(value), .faint)
    guard line.hasPrefix("status ") else { return name + value }
    return name + console.styled(String(value), .bold, Self.styles[String(value)] ?? .bold)
  }

  /// The second column of a policy or an alert is a word that has a colour.
  private func entry(_ line: String) -> String {
    let body = line.drop { $0 == " " }
    if body.hasPrefix("edit not taken: ") {
      return line.upTo(body) + console.styled(String(body), .red)
    }
    let word = body.drop { $0 != " " }.drop { $0 == " " }.prefix { $0 != " " }
    guard let style = Self.styles[String(word)] else { return line }
    return line.upTo(word) + console.styled(String(word), style) + line[word.endIndex...]
  }
}

extension String {
  /// What stands before a part of it.
  fileprivate func upTo(_ part: Substring) -> String { String(self[..<part.startIndex]) }
}
