import PathCore
package import PathPolicy

/// What of a policy the tests reached.
package struct Coverage: Sendable {
  package var policy: String
  package var file: String
  /// Lines that have something to run.
  package var code: LineSet
  package var ran: LineSet
  /// Handlers that no test called, and verbs that stand in the text and that no test saw used.
  package var unusedHandlers: [String]
  package var unusedVerbs: [String]

  package init(_ script: PolicyScript, _ record: PolicyRecord) {
    policy = script.name
    file = script.file
    code = (try? LuaState.codeLines(file: script.file, source: script.source)) ?? LineSet()
    ran = record.ranLines
    unusedVerbs = Self.verbs(in: script.source).subtracting(record.verbs).sorted()
    let set = PolicyRuntime().load([script], reason: .start) { _ in PolicySettings(deadline: nil) }
    let declared = set.loaded.first.map(Self.handlers) ?? []
    unusedHandlers = declared.filter { record.uses[$0] == nil }.map(\.rawValue).sorted()
  }

  /// The handlers that a policy really has: every one can be asked how long to settle.
  private static func handlers(_ declaration: PolicyDeclaration) -> Set<Handler> {
    let hasSettle = declaration.monitors.contains { $0.settle == .function }
    return hasSettle ? declaration.handlers : declaration.handlers.subtracting([.settle])
  }

  private static let verbWords: Set<String> = [
    "alert.raise", "alert.resolve", "cancel", "exec", "http", "log", "open_url", "publish", "retry",
    "timer.cancel", "timer.start", "timer.start_once",
  ]

  /// Verbs as they stand behind `ctx.` in the text.
  private static func verbs(in source: [UInt8]) -> Set<String> {
    let tokens = LuaTokens.read(source)
    var found: Set<String> = []
    for index in tokens.indices where tokens[index].text == "ctx" {
      let names = tokens[(index + 1)...].prefix(4).map(\.text)
      guard names.count >= 2, names[0] == "." else { continue }
      let whole = names.count == 4 && names[2] == "." ? "\(names[1]).\(names[3])" : names[1]
      for word in [whole, names[1]] where verbWords.contains(word) {
        found.insert(word == "timer.start_once" ? "timer.start" : word)
      }
    }
    return found
  }

  package var missed: [Int] { code.lines.filter { !ran.contains($0) } }
  package var reached: Int { code.count - missed.count }

  /// Rounded down: 100 is all of it.
  package var percent: Int { code.count == 0 ? 100 : reached * 100 / code.count }

  package var lines: [String] {
    var lines = ["\(file): \(reached) of \(code.count) lines, \(percent) %"]
    if !missed.isEmpty { lines.append("  not reached: \(Self.ranges(missed))") }
    if !unusedHandlers.isEmpty {
      lines.append("  handlers never called: \(unusedHandlers.joined(separator: ", "))")
    }
    if !unusedVerbs.isEmpty {
      lines.append("  never used: \(unusedVerbs.map { "ctx." + $0 }.joined(separator: ", "))")
    }
    return lines
  }

  /// `3, 7-9`.
  private static func ranges(_ lines: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for line in lines {
      if let last = ranges.last, last.upperBound + 1 == line {
        ranges[ranges.count - 1] = last.lowerBound...line
      } else {
        ranges.append(line...line)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }

  /// A record of the form that lcov(1) reads; `folder` is where the policies are.
  package func lcov(_ folder: String) -> [String] {
    ["TN:", "SF:\(folder)/\(file)"] + code.lines.map { "DA:\($0),\(ran.contains($0) ? 1 : 0)" }
      + ["LF:\(code.count)", "LH:\(reached)", "end_of_record"]
  }
}

extension PolicyRecord {
  /// Fuel and time of each handler, one a line.
  package func benchLines(_ policy: String) -> [String] {
    Handler.allCases.compactMap { handler in
      guard let use = uses[handler], use.calls > 0 else { return nil }
      let time = use.time.nanoseconds / use.calls
      return
        "\(policy) \(handler.rawValue): \(use.calls) calls, fuel \(use.fuel / use.calls) "
        + "(at most \(use.mostFuel)), \(time) ns"
    }
  }
}
