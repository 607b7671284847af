import Foundation

/// A text file of this package; `path` is relative to its top folder.
struct SourceFile: Sendable, CustomStringConvertible {
  let path: String
  let text: String

  /// The text with comments and string contents blanked, line numbers kept: what a rule about code
  /// looks at.
  let code: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    self.code = blankingCommentsAndStrings(text, nested: path.hasSuffix(".swift"))
  }

  var description: String { path }

  /// The room: the folder below `Sources` or `Tests`.
  var room: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isC: Bool { path.hasSuffix(".c") || path.hasSuffix(".h") }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var codeLines: [Substring] { code.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// A place where a rule does not hold.
struct Finding: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// The package's own files, read once.
enum SourceTree {
  static let top = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let sources = files(below: "Sources", kinds: ["swift", "c", "h", "lua"])
  static let tests = files(below: "Tests", kinds: ["swift", "c", "h", "lua"])
  static let policies = files(below: "policies", kinds: ["lua"])

  static func files(below folder: String, kinds: Set<String>) -> [SourceFile] {
    let root = top.appending(path: folder)
    guard let walk = FileManager.default.enumerator(atPath: root.path) else { return [] }
    var files: [SourceFile] = []
    for case let name as String in walk where kinds.contains((name as NSString).pathExtension) {
      guard let text = try? String(contentsOf: root.appending(path: name), encoding: .utf8) else {
        continue
      }
      files.append(SourceFile(path: folder + "/" + name, text: text))
    }
    return files.sorted { $0.path < $1.path }
  }
}

/// Replaces what stands in comments and string literals by spaces. Swift's block comments nest, C's
/// do not.
func blankingCommentsAndStrings(_ text: String, nested: Bool) -> String {
  var scanner = CodeScanner(bytes: Array(text.utf8), nested: nested)
  scanner.scan()
  return String(decoding: scanner.output, as: UTF8.self)
}

private struct CodeScanner {
  let bytes: [UInt8]
  let nested: Bool
  var output: [UInt8] = []
  var at = 0

  init(bytes: [UInt8], nested: Bool) {
    self.bytes = bytes
    self.nested = nested
    output.reserveCapacity(bytes.count)
  }

  mutating func scan() {
    while at < bytes.count {
      if sees("//") {
        blank { $0.bytes[$0.at] == UInt8(ascii: "\n") }
      } else if sees("/*") {
        blankBlockComment()
      } else if let hashes = openingHashes() {
        blankString(hashes: hashes)
      } else if !nested, bytes[at] == UInt8(ascii: "'") {
        blankCharacter()
      } else {
        output.append(bytes[at])
        at += 1
      }
    }
  }

  private func sees(_ text: String, from start: Int? = nil) -> Bool {
    bytes[(start ?? at)...].starts(with: text.utf8)
  }

  /// The number of `#` before a quote that opens here; nil where no string opens.
  private func openingHashes() -> Int? {
    var end = at
    while nested, end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
    return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - at : nil
  }

  private mutating func skip(_ count: Int) {
    for _ in 0..<count where at < bytes.count {
      let byte = bytes[at]
      output.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
      at += 1
    }
  }

  private mutating func blank(until isEnd: (CodeScanner) -> Bool) {
    while at < bytes.count, !isEnd(self) { skip(1) }
  }

  private mutating func blankBlockComment() {
    var depth = 0
    repeat {
      if sees("/*"), nested || depth == 0 {
        depth += 1
        skip(2)
      } else if sees("*/") {
        depth -= 1
        skip(2)
      } else {
        skip(1)
      }
    } while depth > 0 && at < bytes.count
  }

  private mutating func blankString(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    skip(hashes)
    let quotes = nested && sees("\"\"\"") ? "\"\"\"" : "\""
    skip(quotes.utf8.count)
    while at < bytes.count, !sees(quotes + fence) {
      if quotes == "\"", bytes[at] == UInt8(ascii: "\n") { return }
      skip(sees("\\" + fence) ? 2 + hashes : 1)
    }
    skip(quotes.utf8.count + hashes)
  }

  private mutating func blankCharacter() {
    skip(1)
    blank { $0.sees("'") || $0.sees("\\") || $0.sees("\n") }
    if at < bytes.count, sees("\\") { skip(2) }
    blank { $0.sees("'") || $0.sees("\n") }
    skip(1)
  }
}
