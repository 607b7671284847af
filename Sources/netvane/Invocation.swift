import PathDaemon
import PolicyTesting

/// What one command line asks for, checked and typed: what `ArgumentParser` makes of the words.
enum Invocation: Equatable, Sendable {
  case run(RunOptions)
  case status(AskOptions)
  case explain(AskOptions)
  case control(ControlOptions)
  case check(CheckOptions)
  case new(NewOptions)
  /// The directory to write into; nil means to print.
  case api(String?)
  case test(TestOptions)
  case help(Command?)
  case version
}

struct RunOptions: Equatable, Sendable {
  /// The policies' directory; nil means the usual places.
  var directory: String?
  var config: String?
  /// A directory of policies that are compared with the live ones.
  var shadow: String?
  /// Where to keep what policies must not forget; nil means the usual place.
  var state: String?
  /// Where to make the control socket, or `none`; nil means the usual place.
  var control: String?
  var dryRun = false
  var record: String?
  /// Whether `record` may be a file that is there already.
  var overwritesRecord = false
  /// Whether `record` hides names and addresses.
  var redact = true
  var json = false
}

/// What the commands that ask the kernel once are told.
struct AskOptions: Equatable, Sendable {
  var required: TypeWord?
  /// In the order given, each once.
  var prohibited: [TypeWord] = []
  var interface: String?
  var config: String?
  /// Where a daemon is asked; nil means the usual places.
  var control: String?
  var json = false

  /// A daemon answers for what it watches, under its own configuration.
  var asksKernel: Bool {
    required != nil || !prohibited.isEmpty || interface != nil || config != nil
  }
}

/// What the commands are told that only a daemon can carry out.
struct ControlOptions: Equatable, Sendable {
  var call: ControlCall
  /// Where it is asked; nil means the usual places.
  var control: String?
  var json = false
}

struct CheckOptions: Equatable, Sendable {
  var directory: String
  var config: String?
  var json = false
  /// Whether what looks wrong is a failure.
  var strict = false
}

/// What `new` is told.
struct NewOptions: Equatable, Sendable {
  var name: String
  /// Nil means the usual place.
  var directory: String?
}

/// What `test` is told.
struct TestOptions: Equatable, Sendable {
  /// Nil means the usual places.
  var directory: String?
  var choice = TestRunner.Choice()
  var lists = false
  var format = TestFormat.text
  var showsCoverage = false
  var coverageLeast: Int?
  var lcov: String?
  var benches = false
  var mutates = false
  var watches = false

  var notesLines: Bool { showsCoverage || coverageLeast != nil || lcov != nil }
}

/// A command line that cannot be understood: what is wrong with it, and which help would tell more.
struct UsageError: Error, Equatable, Sendable {
  /// One sentence without a full stop: what is wrong and what was expected.
  let message: String
  let command: Command?

  /// The lines for standard error.
  var lines: [String] {
    ["netvane: \(message)", "Try: netvane help\(command.map { " " + $0.rawValue } ?? "")"]
  }
}
