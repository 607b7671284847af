/// The program's help, made from the command and flag tables: lines of at most 80 columns.
enum Help {
  static let width = 80

  static func lines(for command: Command?) -> [String] {
    guard let command else { return program() }
    return about(command)
  }

  /// The only line of `--version`.
  static let version = "netvane \(netvaneVersion)"

  private static func program() -> [String] {
    var lines = ["netvane: watch the network path and let Lua policies decide what follows", ""]
    lines += ["Usage:"]
    lines += table(
      commandTable.map { (usage($0, withFlags: false), $0.summary) })
    lines += ["", "Everywhere:"]
    lines += table([Flag.Name.help, .version].map { row(name: $0) })
    lines += ["", "Exit codes:"]
    lines += table([
      ("0", "yes, or done"), ("1", "no, or failed"), ("2", "the command line or a file is wrong"),
      ("3", "there was nothing to do"),
      ("\(Console.unwritable)", "the answer could not be written; what was asked may be done"),
    ])
    return lines
  }

  private static func about(_ command: Command) -> [String] {
    let entry = command.entry
    var lines = wrap(
      "Usage: netvane " + usage(entry, withFlags: true), indent: 0, hanging: 9)
    lines += [""] + wrap(capitalised(entry.summary) + ".", indent: 0)
    if !entry.details.isEmpty { lines += wrap(entry.details, indent: 0) }
    let flags = command.flags
    lines += ["", "Flags:"] + table(flags.map { row(name: $0.name) })
    return lines
  }

  private static func usage(_ entry: CommandEntry, withFlags: Bool) -> String {
    var words = [entry.command.rawValue]
    switch entry.operand {
    case .none: break
    case .optional(let name): words.append("[\(name)]")
    case .required(let name): words.append(name)
    case .requiredThenOptional(let name, let other): words += [name, "[\(other)]"]
    case .requiredBoth(let name, let other): words += [name, other]
    }
    if withFlags {
      for flag in entry.command.flags where flag.name != .help { words.append("[\(typed(flag))]") }
    }
    return words.joined(separator: " ")
  }

  private static func row(name: Flag.Name) -> (String, String) {
    for flag in flagTable where flag.name == name { return (typed(flag), flag.help) }
    preconditionFailure("the flag table has no row for \(name.typed)")
  }

  private static func typed(_ flag: Flag) -> String {
    flag.name.typed + (flag.placeholder.map { " " + $0 } ?? "")
  }

  // MARK: Setting text

  /// Two aligned columns; the second is wrapped within its own.
  private static func table(_ rows: [(String, String)]) -> [String] {
    let column = (rows.map { $0.0.count }.max() ?? 0) + 4
    return rows.flatMap { name, text -> [String] in
      var lines = wrap(text, indent: column)
      let head = "  " + name
      lines[0] = head + lines[0].dropFirst(head.count)
      return lines
    }
  }

  /// Words filled into lines: the first begins at `indent`, the others at `hanging` (the same if
  /// nil).
  private static func wrap(_ text: String, indent: Int, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    for word in units(text) {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: hanging ?? indent)
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }

  /// The words of a text; what stands in brackets is one, so that a flag keeps its value beside it.
  private static func units(_ text: String) -> [String] {
    var units: [String] = []
    for word in text.split(separator: " ").map(String.init) {
      if let last = units.last, last.hasPrefix("["), !last.hasSuffix("]") {
        units[units.count - 1] = last + " " + word
      } else {
        units.append(word)
      }
    }
    return units
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
