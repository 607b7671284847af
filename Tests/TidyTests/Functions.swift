/// A function's place and length, from the line of its name to that of its closing brace.
struct FunctionSpan: Equatable {
  let name: String
  let line: Int
  let length: Int
}

/// The functions of a Swift or C file, those inside others included.
func functions(in file: SourceFile) -> [FunctionSpan] {
  let scanner = FunctionScanner(bytes: Array(file.code.utf8))
  return file.isSwift ? scanner.swiftFunctions() : scanner.cFunctions()
}

/// Looks at code whose comments and strings are blank, so that braces and brackets are what they
/// seem.
private struct FunctionScanner {
  let bytes: [UInt8]

  func swiftFunctions() -> [FunctionSpan] {
    var spans: [FunctionSpan] = []
    var at = 0
    while let (word, end) = nextWord(from: at) {
      let start = end - word.utf8.count
      at = end
      guard ["func", "init", "deinit", "subscript"].contains(word) else { continue }
      if start > 0, bytes[start - 1] == UInt8(ascii: ".") { continue }
      guard let open = swiftBody(from: end), let close = matching(open) else { continue }
      let name = word == "func" ? self.name(after: end) : word
      spans.append(span(name, from: start, to: close))
    }
    return spans
  }

  /// A brace at the outermost level right after a closing bracket opens a function.
  func cFunctions() -> [FunctionSpan] {
    var spans: [FunctionSpan] = []
    var at = 0
    var declaration = 0
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: ";"),
        UInt8(ascii: "\n") where isDirective(at):
        declaration = at + 1
      case UInt8(ascii: "{"):
        guard let close = matching(at) else { return spans }
        let head = String(decoding: bytes[declaration..<at], as: UTF8.self)
        if let name = head.prefixMatch(of: /(?s).*?(\w+)\s*\(.*\)\s*/), !head.contains("=") {
          let start = at - head.drop(while: \.isWhitespace).utf8.count
          spans.append(span(String(name.output.1), from: start, to: close))
        }
        (at, declaration) = (close, close + 1)
      default: break
      }
      at += 1
    }
    return spans
  }

  /// Whether the line that ends at `end` is a preprocessor directive.
  private func isDirective(_ end: Int) -> Bool {
    let begin = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return bytes[begin..<end].first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "#")
  }

  private func span(_ name: String, from start: Int, to close: Int) -> FunctionSpan {
    FunctionSpan(
      name: name, line: lineNumber(start), length: lineNumber(close) - lineNumber(start) + 1)
  }

  private func lineNumber(_ offset: Int) -> Int {
    bytes[..<offset].count { $0 == UInt8(ascii: "\n") } + 1
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }

  private func nextWord(from start: Int) -> (String, end: Int)? {
    guard let begin = bytes[start...].firstIndex(where: isWord) else { return nil }
    let end = bytes[begin...].firstIndex { !isWord($0) } ?? bytes.count
    return (String(decoding: bytes[begin..<end], as: UTF8.self), end)
  }

  /// The name of a function: a word, an operator, or one in backticks.
  private func name(after end: Int) -> String {
    let rest = bytes[end...].drop { $0 == UInt8(ascii: " ") }
    if rest.first == UInt8(ascii: "`") {
      return String(decoding: rest.dropFirst().prefix { $0 != UInt8(ascii: "`") }, as: UTF8.self)
    }
    let stops = "( \n".utf8
    return String(decoding: rest.prefix { !stops.contains($0) }, as: UTF8.self)
  }

  /// The brace that opens the body of a declaration; nil when it has none (a requirement, or no
  /// declaration).
  private func swiftBody(from start: Int) -> Int? {
    var depth = 0
    var at = start
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "{") where depth == 0: return at
      case UInt8(ascii: "{"):
        guard let close = matching(at) else { return nil }
        at = close
      case UInt8(ascii: "}"): return nil
      default:
        if depth == 0, isWord(bytes[at]), at == 0 || !isWord(bytes[at - 1]),
          let (word, _) = nextWord(from: at),
          ["func", "init", "deinit", "subscript", "var", "let", "case"].contains(word), at > start
        {
          // `func init` is no Swift; another declaration means the first had no body.
          return nil
        }
      }
      if depth < 0 { return nil }
      at += 1
    }
    return nil
  }

  private func matching(_ open: Int) -> Int? {
    var depth = 0
    for at in open..<bytes.count {
      if bytes[at] == UInt8(ascii: "{") { depth += 1 }
      if bytes[at] == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { return at }
      }
    }
    return nil
  }
}
