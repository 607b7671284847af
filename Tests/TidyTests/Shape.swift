import Foundation

/// How long things may be, what a file begins with, and which marks may not stay.
enum Shape {
  static let longestFunction = 70
  static let longestFile = 400
  static let longestLine = 100

  /// A file or function that may be longer for now. Each says why, and until when: a past day is a
  /// failure.
  struct Exception: Sendable {
    /// `Sources/Room/File.swift`, or the same with ` name` of the function behind it.
    let place: String
    let reason: String
    /// The last day it holds, as in "2026-12-31".
    let until: String
  }

  static let exceptions: [Exception] = []

  static func isExcepted(_ place: String, _ list: [Exception], today: String) -> Bool {
    list.contains { $0.place == place && !$0.reason.isEmpty && today <= $0.until }
  }

  static func today() -> String {
    String(Date().ISO8601Format().prefix(10))
  }

  // MARK: Lengths

  static func checkFileLength(_ file: SourceFile, _ list: [Exception] = exceptions) -> [Finding] {
    guard file.isSwift || file.isC else { return [] }
    let count = file.text.hasSuffix("\n") ? file.lines.count - 1 : file.lines.count
    guard count > longestFile, !isExcepted(file.path, list, today: today()) else { return [] }
    return [
      Finding(
        path: file.path, line: count,
        message: "\(count) lines; \(longestFile) is the most: split it by what its parts are for")
    ]
  }

  static func checkFunctions(_ file: SourceFile, _ list: [Exception] = exceptions) -> [Finding] {
    guard file.isSwift || file.isC else { return [] }
    return functions(in: file).compactMap { function in
      let place = "\(file.path) \(function.name)"
      guard function.length > longestFunction, !isExcepted(place, list, today: today()) else {
        return nil
      }
      return Finding(
        path: file.path, line: function.line,
        message: "\(function.name) has \(function.length) lines; \(longestFunction) is the most")
    }
  }

  static func checkLineLength(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    return file.lines.enumerated().compactMap { index, line in
      guard line.count > longestLine else { return nil }
      return Finding(
        path: file.path, line: index + 1,
        message: "\(line.count) columns; \(longestLine) is the most")
    }
  }

  // MARK: Words

  /// Notes to oneself belong where they can be found and closed, not in the code.
  static func checkMarks(_ file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard let mark = line.firstMatch(of: /\b(?:TODO|FIXME|XXX|HACK)\b/) else { return nil }
      return Finding(
        path: file.path, line: index + 1, message: "\(mark.output) may not stay: do it or file it")
    }
  }

  /// The first thing a file declares says what it is for.
  static func checkFirstComment(_ file: SourceFile) -> [Finding] {
    guard file.isSwift, !file.path.hasSuffix("/main.swift") else { return [] }
    var comment = ""
    var blockIsOpen = false
    for (index, line) in file.lines.enumerated() {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if blockIsOpen {
        blockIsOpen = !text.contains("*/")
      } else if text.hasPrefix("/*") {
        comment = String(text)
        blockIsOpen = !text.contains("*/")
      } else if text.hasPrefix("//") {
        comment = String(text)
      } else if text.isEmpty || text.hasPrefix("#") {
        comment = ""
      } else if text.contains(/^(?:@\S+\s+)*(?:\w+\s+)?import\s/) || text.hasPrefix("@") {
        continue
      } else if comment.hasPrefix("///") || comment.hasPrefix("/**") {
        return []
      } else {
        return [
          Finding(
            path: file.path, line: index + 1,
            message: "the first declaration has no doc comment that says what the file is for")
        ]
      }
    }
    return []
  }
}
