import PathCore
import PathDaemon

/// Turns the words after the program's name into what they ask for. Pure: it reads `flagTable`,
/// nothing else.
struct ArgumentParser {
  /// What stood on the command line, flags and their values sorted from operands.
  var values: [Flag.Name: String] = [:]
  private var operands: [String] = []
  private let command: Command

  private init(command: Command) {
    self.command = command
  }

  static func parse(_ words: [String]) -> Result<Invocation, UsageError> {
    Result { () throws(UsageError) in try invocation(words) }
  }

  private static func invocation(_ words: [String]) throws(UsageError) -> Invocation {
    guard let first = words.first else {
      throw UsageError(message: "no command; one of \(commandWords) was expected", command: nil)
    }
    switch first {
    case "--help", "-h": return try alone(first, words, .help(nil))
    case "--version": return try alone(first, words, .version)
    default: break
    }
    let command = try command(first)
    var parser = ArgumentParser(command: command)
    try parser.sort(words.dropFirst())
    if parser.values[.help] != nil { return .help(command) }
    return try parser.typed()
  }

  private static func alone(
    _ flag: String, _ words: [String], _ invocation: Invocation
  ) throws(UsageError) -> Invocation {
    guard words.count == 1 else {
      throw UsageError(
        message: "nothing was expected after \(flag), but there is \(quoted(words[1]))",
        command: nil)
    }
    return invocation
  }

  private static func command(_ word: String) throws(UsageError) -> Command {
    if let command = Command(rawValue: word) { return command }
    if word.hasPrefix("-"), word != "-" {
      let name = nameOfFlag(word)
      if let flag = flagTable.first(where: { $0.name.typed == name }), !flag.commands.isEmpty {
        let owners = flag.commands.map(\.rawValue).joined(separator: " or ")
        throw UsageError(message: "\(name) belongs after a command: \(owners)", command: nil)
      }
      let hint = didYouMean(name, ["--help", "--version"])
      throw UsageError(message: "unknown flag \(quoted(name))\(hint)", command: nil)
    }
    let hint = didYouMean(word, Command.allCases.map(\.rawValue))
    let expected = hint.isEmpty ? "; one of \(commandWords) was expected" : hint
    throw UsageError(message: "unknown command \(quoted(word))\(expected)", command: nil)
  }

  // MARK: Words to flags and operands

  /// Fills `values` and `operands`, stopping at `--help`: who asks for help need not be right about
  /// the rest.
  private mutating func sort(_ words: ArraySlice<String>) throws(UsageError) {
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let flag = try flag(word)
      guard values[flag.name] == nil else { throw error("\(flag.name.typed) is given twice") }
      values[flag.name] = try value(of: flag, in: word, rest: &rest)
      if flag.name == .help { return }
    }
  }

  private func flag(_ word: String) throws(UsageError) -> Flag {
    let name = word == "-h" ? Flag.Name.help.typed : Self.nameOfFlag(word)
    if let flag = command.flags.first(where: { $0.name.typed == name }) { return flag }
    if let flag = flagTable.first(where: { $0.name.typed == name }) {
      let owners = flag.commands.map(\.rawValue).joined(separator: ", ")
      let whose = owners.isEmpty ? "it stands alone" : "it belongs to \(owners)"
      throw error("\(command.rawValue) takes no \(name); \(whose)")
    }
    let hint = Self.didYouMean(name, command.flags.map(\.name.typed))
    throw error("\(command.rawValue) has no flag \(quoted(name))\(hint)")
  }

  private func value(
    of flag: Flag, in word: String, rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    let name = flag.name.typed
    let attached = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
    guard let placeholder = flag.placeholder else {
      if let attached { throw error("\(name) takes no value, but has \(quoted(attached))") }
      return ""
    }
    if let attached {
      if attached.isEmpty {
        throw error("\(name)= has nothing after it; \(placeholder) was expected")
      }
      return attached
    }
    guard let next = rest.popFirst() else {
      throw error("\(name) has nothing after it; \(placeholder) was expected")
    }
    if next.isEmpty { throw error("the value of \(name) is empty; \(placeholder) was expected") }
    if next.hasPrefix("-"), next != "-" {
      throw error(
        "\(name) is followed by \(quoted(next)); \(placeholder) was expected "
          + "(a value that begins with a dash: \(name)=VALUE)")
    }
    return next
  }

  // MARK: Flags and operands to an invocation

  private func typed() throws(UsageError) -> Invocation {
    try checkOperands()
    let operand = operands.first
    switch command {
    case .run:
      if values[.noRedact] != nil, values[.record] == nil {
        throw error("--no-redact says how to record, so it needs --record FILE")
      }
      if values[.force] != nil, values[.record] == nil {
        throw error("--force says that a recording may be overwritten, so it needs --record FILE")
      }
      return .run(
        RunOptions(
          directory: operand, config: values[.config], shadow: values[.shadow],
          state: values[.state], control: values[.control],
          dryRun: values[.dryRun] != nil, record: values[.record],
          overwritesRecord: values[.force] != nil, redact: values[.noRedact] == nil,
          json: values[.json] != nil))
    case .status:
      let options = try askOptions()
      if options.asksKernel, options.control != nil {
        throw error(
          "--control asks a daemon, and a filter or --config the kernel; give one of them")
      }
      return .status(options)
    case .explain: return .explain(try askOptions())
    case .alerts: return control(.alerts)
    case .press: return control(.press(key: operands[0], button: operands[1]))
    case .dismiss: return control(.dismiss(key: operands[0]))
    case .reload: return control(.reload)
    case .check:
      return .check(
        CheckOptions(
          directory: operand ?? "", config: values[.config], json: values[.json] != nil,
          strict: values[.strict] != nil))
    case .new:
      return .new(NewOptions(name: operand ?? "", directory: operands.dropFirst().first))
    case .api: return .api(operand)
    case .test: return .test(try testOptions(operand))
    case .help:
      return .help(try operand.map { text throws(UsageError) in try Self.command(text) })
    }
  }

  private func askOptions() throws(UsageError) -> AskOptions {
    AskOptions(
      required: try values[.required].map { text throws(UsageError) in try type(text, .required) },
      prohibited: try types(.prohibited), interface: values[.interface],
      config: values[.config], control: values[.control], json: values[.json] != nil)
  }

  private func control(_ call: ControlCall) -> Invocation {
    .control(
      ControlOptions(call: call, control: values[.control], json: values[.json] != nil))
  }

  private func checkOperands() throws(UsageError) {
    let allowed: Int
    let most: String
    switch command.entry.operand {
    case .none: (allowed, most) = (0, "no argument")
    case .optional(let name): (allowed, most) = (1, "at most one \(name)")
    case .required(let name):
      if operands.isEmpty { throw error("\(command.rawValue) needs \(name)") }
      (allowed, most) = (1, "one \(name)")
    case .requiredThenOptional(let name, let other):
      if operands.isEmpty { throw error("\(command.rawValue) needs \(name)") }
      (allowed, most) = (2, "\(name) and at most one \(other)")
    case .requiredBoth(let name, let other):
      if operands.count < 2 { throw error("\(command.rawValue) needs \(name) and \(other)") }
      (allowed, most) = (2, "\(name) and \(other)")
    }
    if operands.count > allowed {
      throw error("\(command.rawValue) takes \(most); \(quoted(operands[allowed])) is too many")
    }
    if operands.contains("") { throw error("the argument of \(command.rawValue) is empty") }
  }

  private func type(_ text: String, _ flag: Flag.Name) throws(UsageError) -> TypeWord {
    if let type = TypeWord(rawValue: text) { return type }
    if text.contains(",") { throw error("\(flag.typed) takes one type, not \(quoted(text))") }
    let hint = Self.didYouMean(text, TypeWord.allCases.map(\.rawValue))
    throw error(
      "\(quoted(text)) is no type for \(flag.typed)"
        + (hint.isEmpty ? "; one of \(typeWords) was expected" : hint))
  }

  private func types(_ flag: Flag.Name) throws(UsageError) -> [TypeWord] {
    guard let text = values[flag] else { return [] }
    var types: [TypeWord] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      if part.isEmpty { throw error("\(flag.typed) has an empty place in \(quoted(text))") }
      let type = try type(String(part), flag)
      if !types.contains(type) { types.append(type) }
    }
    return types
  }

  // MARK: Words of errors

  func error(_ message: String) -> UsageError {
    UsageError(message: message, command: command)
  }

  private static let commandWords = Command.allCases.map(\.rawValue).joined(separator: ", ")

  private static func nameOfFlag(_ word: String) -> String {
    String(word.prefix { $0 != "=" })
  }

  static func didYouMean(_ word: String, _ words: [String]) -> String {
    // One dash where two belong is the commonest slip, and would count against the rest of the
    // word.
    let dashed = word.hasPrefix("-") && !word.hasPrefix("--") ? "-" + word : word
    return nearestWord(to: dashed, in: words).map { "; did you mean \($0)?" } ?? ""
  }
}

/// What someone typed, in quotes; control characters escaped so that it cannot drive the terminal.
func quoted(_ text: String) -> String {
  var shown = "“"
  for scalar in text.unicodeScalars.prefix(80) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
      shown += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return shown + (text.unicodeScalars.count > 80 ? "…”" : "”")
}
