/// Untrusted text made fit for one line of a log, a trace or a terminal.
package enum LineText {
  /// A name: as it is when it is plain, quoted when it could be taken for something else.
  package static func word(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// Text between quotes, escaped.
  package static func quoted(_ text: String) -> String {
    var line = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { line.unicodeScalars.append("\\") }
      append(scalar, to: &line)
    }
    return line + "\""
  }

  /// Text without quotes: only what could move the cursor or hide other text is escaped.
  package static func escaped(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars { append(scalar, to: &line) }
    return line
  }

  private static func append(_ scalar: Unicode.Scalar, to line: inout String) {
    switch scalar {
    case "\n": line += "\\n"
    case "\t": line += "\\t"
    case _ where isUnsafe(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
    default: line.unicodeScalars.append(scalar)
    }
  }

  /// Control characters, line separators, and marks that are not seen or that turn the direction of
  /// writing (U+202A…E, U+2066…9 and their kind).
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      true
    default: false
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        case 0x2A, 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x3F, 0x40, 0x5F: true
        default: false
        }
      }
  }
}
