import Foundation

/// A call that has a better place or a better form here.
struct BannedCall: Sendable {
  /// What it looks like in code, comments and strings taken out.
  let pattern: String
  let name: String
  /// What to write instead.
  let instead: String
  /// The rooms it is banned in; nil means all.
  var rooms: Set<String>?
  /// Rooms where it is fine.
  var except: Set<String> = []
  /// Files where it is fine, each for a reason given there.
  var exceptFiles: Set<String> = []
}

enum BannedCalls {
  /// Rooms whose users' code has queues and tasks.
  private static let library: Set<String> = ["NetworkPath", "NetworkPathNotifications"]

  static let table: [BannedCall] = [
    BannedCall(
      pattern: #"(?<![.\w])(print|debugPrint|dump)\("#, name: "print",
      instead: "an order or a log line; only the executables write to the terminal",
      except: ["netvane", "netvane-bench"]),
    BannedCall(
      pattern: #"\bfatalError\("#, name: "fatalError",
      instead: "preconditionFailure with a message that names the state and the input"),
    BannedCall(pattern: #"\btry!"#, name: "try!", instead: "do/catch, or a throwing function"),
    BannedCall(pattern: #"\bas!"#, name: "as!", instead: "`as?` with a guard, or a better type"),
    BannedCall(
      pattern: #"\bDispatch(Queue|Source|Semaphore|Group|WorkItem)\b"#, name: "Dispatch",
      instead: "the loop in PathDaemon, where everything happens in one order",
      except: library, exceptFiles: ["Sources/netvane-bench/LibraryWorkload.swift"]),
    BannedCall(
      pattern: #"\bTask\s*(\{|\(|\.detached|\.sleep)"#, name: "Task",
      instead: "the loop in PathDaemon, where everything happens in one order",
      except: library),
    BannedCall(
      pattern: #"(?<!func )\b(u|nano)?sleep\("#, name: "sleep",
      instead: "a timer of the loop, or a fact to wait for",
      exceptFiles: ["Sources/PathKernel/DumpRepeater.swift"]),
    BannedCall(
      pattern: #"\bDate\("#, name: "Date()", instead: "the time that was handed in"),
    BannedCall(
      pattern:
        #"\.random(Element)?\(|\.shuffled?\(|\bSystemRandomNumberGenerator\b"#,
      name: "a random number", instead: "the recorded generator that is part of the state",
      rooms: ["PathCore"]),
    BannedCall(
      pattern: #"\b(Continuous|Suspending)Clock\b"#, name: "a clock",
      instead: "the `now` that was handed in", rooms: ["PathCore"]),
    BannedCall(
      pattern:
        #"\bString\((cString|validatingCString|validatingUTF8):(?!\s*(unsafe\s+)?strerror\()"#,
      name: "String(cString:)",
      instead:
        "String(decoding:as:) over bytes whose length was checked: kernel text may lack its end",
      rooms: ["PathKernel"]),
  ]

  static func check(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    return table.flatMap { check(file, $0) }
  }

  private static func check(_ file: SourceFile, _ call: BannedCall) -> [Finding] {
    if let rooms = call.rooms, !rooms.contains(file.room) { return [] }
    if call.except.contains(file.room) || call.exceptFiles.contains(file.path) { return [] }
    let code = file.code as NSString
    let whole = NSRange(location: 0, length: code.length)
    // The patterns are the table's own, and a test runs each of them.
    let matches = try! NSRegularExpression(pattern: call.pattern).matches(
      in: file.code, range: whole)
    return matches.map { match in
      let before = code.substring(to: match.range.location)
      return Finding(
        path: file.path, line: before.utf8.count { $0 == UInt8(ascii: "\n") } + 1,
        message: "\(call.name) is not used here; instead: \(call.instead)")
    }
  }

  /// What switches a check of the compiler off must say, in a comment right above, what guards the
  /// value.
  static func checkGuards(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    let lines = file.lines.map { $0.drop { $0 == " " } }
    return file.codeLines.enumerated().compactMap { index, line in
      guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") else {
        return nil
      }
      var above = index - 1
      while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
      if above >= 0, lines[above].hasPrefix("//"), lines[above].lowercased().contains("guard") {
        return nil
      }
      return Finding(
        path: file.path, line: index + 1,
        message: "needs a comment line right above that names the guard, as in `// Guarded by …`")
    }
  }
}
