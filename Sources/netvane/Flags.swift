/// What `netvane` can be told to do. The raw value is the word people type.
enum Command: String, CaseIterable, Sendable {
  case run, status, explain, alerts, press, dismiss, reload, check, new, api, test, help
}

/// One line about a command: what stands after its name, and what it does.
struct CommandEntry: Sendable {
  /// Whether an operand must, may or must not be given.
  enum Operand: Equatable, Sendable {
    case none
    case optional(String)
    case required(String)
    case requiredThenOptional(String, String)
    case requiredBoth(String, String)
  }

  let command: Command
  let operand: Operand
  /// One line for the list of commands.
  let summary: String
  /// What else to know, for the command's own help.
  let details: String
}

/// One flag. Parsing, help and the tests all read this table, so a flag is added in one place.
struct Flag: Sendable {
  enum Name: String, CaseIterable, Sendable {
    case config, shadow, state, control, dryRun = "dry-run", record, noRedact = "no-redact", json
    case force, strict
    case required, prohibited, interface
    case only = "run", failFast = "fail-fast", shuffle, seed, list, format
    case coverage, coverageMin = "coverage-min", lcov, bench, mutate, watch
    case help, version

    /// The name as it is typed, with its dashes.
    var typed: String { "--" + rawValue }
  }

  let name: Name
  /// What the value is called in help; nil for a flag without a value.
  let placeholder: String?
  let help: String
  /// The commands that take it; `--help` and `--version` also stand alone.
  let commands: [Command]
}

/// An interface type as filters name it on the command line.
enum TypeWord: String, CaseIterable, Sendable {
  case wifi, wired, wiredEthernet, cellular, loopback, other
}

let commandTable: [CommandEntry] = [
  CommandEntry(
    command: .run, operand: .optional("DIR"),
    summary: "watch the network and run the policies in DIR",
    details: """
      Without DIR the policies are those in $XDG_CONFIG_HOME/netvane/policies or, when there is \
      no such directory, in /etc/netvane/policies. Needs no root. Edits of the policies and of the \
      configuration are live when they are saved; `netvane reload` or SIGHUP reads them again by \
      hand. SIGINT and SIGTERM end it cleanly.
      """),
  CommandEntry(
    command: .status, operand: .none,
    summary: "say how the network is now",
    details: """
      Asks the daemon that runs, if there is one: its policies, what became of the last edits, \
      alerts, timers and actions are told, too. Without one, or with --config or a filter, it asks \
      the kernel directly. Exit code 0 when there is a path, 1 when there is none, 2 when the \
      daemon that --control names does not answer, or there is no interface of that name.
      """),
  CommandEntry(
    command: .explain, operand: .none,
    summary: "say why, interface by interface",
    details: """
      Shows for each interface what the kernel was asked, what it answered and why the interface \
      counts or not. With a filter: the answer for a program that may only use what passes it.
      """),
  CommandEntry(
    command: .alerts, operand: .none,
    summary: "show the alerts that are up, with their buttons",
    details: "Exit code 0 when there are some, 3 when there are none, 2 when no daemon answers."),
  CommandEntry(
    command: .press, operand: .requiredBoth("KEY", "BUTTON"),
    summary: "press a button of an alert",
    details: """
      KEY is the alert's, with its policy before it (POLICY/KEY) where two policies use the same; \
      BUTTON is the button's id. `netvane alerts` shows both. What came of it at once is printed. \
      Exit code 1 when there is none such, or when that failed, 2 when no daemon answers.
      """),
  CommandEntry(
    command: .dismiss, operand: .required("KEY"),
    summary: "take an alert away",
    details: """
      KEY is the alert's, or POLICY/KEY. Its policy hears of it. Exit code 1 when there is none \
      such, or when that failed, 2 when no daemon answers.
      """),
  CommandEntry(
    command: .reload, operand: .none,
    summary: "have the policies and the configuration read again",
    details: """
      The same as SIGHUP, but waits and prints what came of it. Exit code 1 when something is not \
      taken, 2 when no daemon answers.
      """),
  CommandEntry(
    command: .check, operand: .required("DIR"),
    summary: "load and check the policies in DIR, run nothing",
    details: """
      Faults are named with their place, and so is what looks wrong in a policy that works: \
      handlers that can never run, timers and buttons that nobody hears, alerts that never end. \
      Exit code 0 when every policy is fine, 2 when one cannot be used, 1 when something looks \
      wrong and --strict is given.
      """),
  CommandEntry(
    command: .new, operand: .requiredThenOptional("NAME", "DIR"),
    summary: "write a small policy NAME and its test",
    details: """
      Writes NAME.lua and NAME_test.lua into DIR, and beside them the files that editors look for. \
      Nothing is ever overwritten. Without DIR: where `netvane run` looks for policies.
      """),
  CommandEntry(
    command: .api, operand: .optional("DIR"),
    summary: "show the policy API, or write it into DIR for editors",
    details: """
      Without DIR the reference page is printed. With DIR the page (README.md) and the files that \
      editors and luacheck look for are brought up to date there; a file of the same name that \
      Netvane did not make is kept.
      """),
  CommandEntry(
    command: .test, operand: .optional("DIR"),
    summary: "run the tests of the policies in DIR",
    details: """
      A policy's tests stand beside it: x_test.lua tests x.lua. They run in the engine that also \
      runs policies, with a clock that jumps and a network that is made up; nothing is acted on. \
      Exit code 0 when all passed, 1 when one failed, 2 when a file cannot be used, 3 when there \
      was none to run.
      """),
  CommandEntry(
    command: .help, operand: .optional("COMMAND"),
    summary: "show this, or all about one command",
    details: ""),
]

let flagTable: [Flag] = [
  Flag(
    name: .config, placeholder: "FILE",
    help: "the configuration, instead of netvane/config.lua in $XDG_CONFIG_HOME or /etc",
    commands: [.run, .status, .explain, .check]),
  Flag(
    name: .shadow, placeholder: "DIR",
    help: "tell what the policies in DIR would decide differently; do nothing of it",
    commands: [.run]),
  Flag(
    name: .state, placeholder: "DIR",
    help: """
      where to keep what policies must not forget, instead of $STATE_DIRECTORY or netvane in \
      $XDG_STATE_HOME (~/.local/state); none: keep nothing
      """,
    commands: [.run]),
  Flag(
    name: .control, placeholder: "PATH",
    help: """
      the control socket, instead of $RUNTIME_DIRECTORY/control (run alone), \
      $XDG_RUNTIME_DIR/netvane/control or /run/netvane/control; run --control none makes none
      """,
    commands: [.run, .status, .alerts, .press, .dismiss, .reload]),
  Flag(
    name: .dryRun, placeholder: nil,
    help: "say which actions would be done, do none and keep nothing", commands: [.run]),
  Flag(
    name: .record, placeholder: "FILE",
    help: "write what the kernel says to FILE, names and addresses made unrecognisable",
    commands: [.run]),
  Flag(
    name: .noRedact, placeholder: nil,
    help: "with --record: keep names and addresses as they are", commands: [.run]),
  Flag(
    name: .force, placeholder: nil,
    help: "with --record: overwrite FILE when it is there already", commands: [.run]),
  Flag(
    name: .required, placeholder: "TYPE",
    help: "count only interfaces of this type: \(typeWords)",
    commands: [.status, .explain]),
  Flag(
    name: .prohibited, placeholder: "TYPE,…",
    help: "count no interface of these types", commands: [.status, .explain]),
  Flag(
    name: .interface, placeholder: "NAME",
    help: "count only the interface of this name", commands: [.status, .explain]),
  Flag(
    name: .only, placeholder: "PATTERN",
    help: "only cases whose name holds this; with * it must fit the whole name",
    commands: [.test]),
  Flag(
    name: .failFast, placeholder: nil, help: "end at the first case that fails",
    commands: [.test]),
  Flag(
    name: .shuffle, placeholder: "NUMBER", help: "run the cases in an order that this gives",
    commands: [.test]),
  Flag(
    name: .seed, placeholder: "NUMBER",
    help: "draw what properties draw from this, where they do not say their own (1)",
    commands: [.test]),
  Flag(
    name: .list, placeholder: nil, help: "list the cases and run none", commands: [.test]),
  Flag(
    name: .format, placeholder: "FORMAT", help: "text, tap, junit or json (text)",
    commands: [.test]),
  Flag(
    name: .watch, placeholder: nil, help: "run them again whenever a file changes",
    commands: [.test]),
  Flag(
    name: .coverage, placeholder: nil,
    help: "say which lines, handlers and verbs of each policy no test reached",
    commands: [.test]),
  Flag(
    name: .coverageMin, placeholder: "PERCENT",
    help: "fail when less of the lines of a policy was reached", commands: [.test]),
  Flag(
    name: .lcov, placeholder: "FILE", help: "write the lines that were reached for lcov(1)",
    commands: [.test]),
  Flag(
    name: .bench, placeholder: nil, help: "say what each handler took, in fuel and nanoseconds",
    commands: [.test]),
  Flag(
    name: .mutate, placeholder: nil,
    help: "change each policy a little, over and over, and say which change no test noticed",
    commands: [.test]),
  Flag(
    name: .json, placeholder: nil,
    help: "print one JSON object a line",
    commands: [.run, .status, .explain, .alerts, .press, .dismiss, .reload, .check]),
  Flag(
    name: .strict, placeholder: nil, help: "exit code 1 when something looks wrong",
    commands: [.check]),
  Flag(
    name: .help, placeholder: nil,
    help: "show help and do nothing else (also -h)", commands: Command.allCases),
  Flag(
    name: .version, placeholder: nil,
    help: "show the version and do nothing else", commands: []),
]

/// The valid types as one list for help and errors.
let typeWords = TypeWord.allCases.map(\.rawValue).joined(separator: ", ")

extension Command {
  /// The command's row; a test holds that there is one for each command.
  var entry: CommandEntry {
    for entry in commandTable where entry.command == self { return entry }
    preconditionFailure("the command table has no row for \(rawValue)")
  }

  /// The flags this command takes, in the order of help.
  var flags: [Flag] { flagTable.filter { $0.commands.contains(self) } }
}
