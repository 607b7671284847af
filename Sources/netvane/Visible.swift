import Glibc

/// Untrusted text made fit to be shown: control characters, and marks that turn the direction of
/// writing or hide, are written out as `\u{…}`. Names of interfaces and networks, what policies say
/// and what files hold are all chosen by somebody else.
func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isTreacherous) else { return text }
  var shown = ""
  for scalar in text.unicodeScalars {
    if isTreacherous(scalar) {
      shown += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

private func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
    0xFFF9...0xFFFB, 0xE0000...0xE007F:
    true
  default: false
  }
}

/// Whether a person sits in front of this process.
func isTerminal() -> Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
