import PathDaemon
import Testing

@testable import netvane

/// The words after the program's name, given as one string.
private func parse(_ line: String) -> Result<Invocation, UsageError> {
  ArgumentParser.parse(line.split(separator: " ").map(String.init))
}

private func message(_ words: [String]) -> String? {
  switch ArgumentParser.parse(words) {
  case .success: nil
  case .failure(let error): error.message
  }
}

private func message(_ line: String) -> String? {
  message(line.split(separator: " ").map(String.init))
}

struct ArgumentParserTests {
  @Test func `run takes a directory and all its flags, in any order`() {
    let options = RunOptions(
      directory: "policies", config: "c.lua", shadow: "d", state: "s", control: "k", dryRun: true,
      record: "t", overwritesRecord: true, redact: false, json: true)
    #expect(
      parse(
        "run policies --config c.lua --shadow d --state s --control k --dry-run --record t --json "
          + "--force --no-redact")
        == .success(.run(options)))
    #expect(
      parse(
        "run --json --no-redact --state=s --record=t --force --dry-run --config=c.lua --shadow=d "
          + "--control=k policies")
        == .success(.run(options)))
  }

  @Test func `nothing but the command means the defaults`() {
    #expect(parse("run") == .success(.run(RunOptions())))
    #expect(parse("status") == .success(.status(AskOptions())))
    #expect(
      parse("status --required wifi --prohibited cellular,other --json")
        == .success(
          .status(AskOptions(required: .wifi, prohibited: [.cellular, .other], json: true))))
    #expect(parse("explain") == .success(.explain(AskOptions())))
    #expect(parse("help") == .success(.help(nil)))
  }

  @Test func `explain takes one required type and a list of prohibited ones`() {
    let options = AskOptions(
      required: .wifi, prohibited: [.cellular, .wiredEthernet], interface: "eth0", config: "c",
      json: true)
    #expect(
      parse(
        "explain --required wifi --prohibited cellular,wiredEthernet,cellular --interface eth0"
          + " --config c --json") == .success(.explain(options)))
  }

  @Test(arguments: TypeWord.allCases) func `each type is understood by both filters`(
    type: TypeWord
  ) {
    #expect(
      parse("explain --required=\(type.rawValue) --prohibited=\(type.rawValue)")
        == .success(.explain(AskOptions(required: type, prohibited: [type]))))
  }

  @Test func `check takes its directory`() {
    #expect(
      parse("check p --config c") == .success(.check(CheckOptions(directory: "p", config: "c"))))
    #expect(
      parse("check --strict p --json")
        == .success(.check(CheckOptions(directory: "p", json: true, strict: true))))
  }

  @Test func `new takes a name, and a directory if need be`() {
    #expect(parse("new a") == .success(.new(NewOptions(name: "a"))))
    #expect(parse("new a p") == .success(.new(NewOptions(name: "a", directory: "p"))))
    #expect(parse("api") == .success(.api(nil)) && parse("api p") == .success(.api("p")))
  }

  @Test func `what a daemon is asked has its words, and where it is asked`() {
    func control(_ call: ControlCall, _ place: String? = nil, json: Bool = false)
      -> Result<Invocation, UsageError>
    {
      .success(.control(ControlOptions(call: call, control: place, json: json)))
    }
    #expect(parse("alerts --json") == control(.alerts, json: true))
    #expect(parse("press k b --control s") == control(.press(key: "k", button: "b"), "s"))
    #expect(parse("dismiss p/k") == control(.dismiss(key: "p/k")))
    #expect(parse("reload --control=s") == control(.reload, "s"))
    #expect(parse("status --control s") == .success(.status(AskOptions(control: "s"))))
  }

  @Test func `a filter or a configuration is a question for the kernel`() {
    for options in [
      AskOptions(required: .wifi), AskOptions(prohibited: [.wifi]), AskOptions(interface: "eth0"),
      AskOptions(config: "c"),
    ] { #expect(options.asksKernel) }
    #expect(!AskOptions(control: "s", json: true).asksKernel)
  }

  @Test func `after a double dash everything is an operand`() {
    #expect(parse("run -- --json") == .success(.run(RunOptions(directory: "--json"))))
    #expect(parse("run --json --") == .success(.run(RunOptions(json: true))))
    #expect(parse("run - --json") == .success(.run(RunOptions(directory: "-", json: true))))
  }

  @Test func `a value may begin with a dash or hold an equals sign when it is attached`() {
    #expect(parse("run --config=-c=d") == .success(.run(RunOptions(config: "-c=d"))))
  }

  @Test(arguments: ["--help", "-h", "help"]) func `help is to be had without a command`(
    word: String
  ) {
    #expect(parse(word) == .success(.help(nil)))
  }

  @Test(arguments: Command.allCases) func `each command explains itself in both ways`(
    command: Command
  ) {
    #expect(parse("\(command.rawValue) --help") == .success(.help(command)))
    #expect(parse("\(command.rawValue) -h") == .success(.help(command)))
    #expect(parse("help \(command.rawValue)") == .success(.help(command)))
  }

  @Test func `who asks for help need not be right about what follows`() {
    #expect(parse("run a b --help --nonsense") == .success(.help(.run)))
  }

  @Test func `the version is asked for alone`() {
    #expect(parse("--version") == .success(.version))
    #expect(message("--version run")?.contains("“run”") == true)
  }

  @Test(arguments: [
    ("rnu", "run"), ("stat", "status"), ("explian", "explain"), ("chek", "check"), ("RUN", "run"),
    ("help chekc", "check"), ("--hlep", "--help"), ("-version", "--version"),
    ("run --jsno", "--json"), ("run --dryrun", "--dry-run"), ("run -config", "--config"),
    ("explain --require wifi", "--required"), ("explain --proh wifi", "--prohibited"),
    ("explain --required wfi", "wifi"), ("explain --required WiFi", "wifi"),
    ("explain --prohibited wifi,celular", "cellular"), ("relaod", "reload"),
    ("alert", "alerts"), ("status --contrl x", "--control"),
  ]) func `a misspelt word is answered with the nearest right one`(line: String, right: String) {
    #expect(message(line)?.hasSuffix("did you mean \(right)?") == true)
  }

  @Test(arguments: [
    ("", "no command"),
    ("xyzzy", "one of run, status, explain, alerts, press, dismiss, reload, check"),
    ("--json status", "belongs after a command"), ("--xyzzy", "unknown flag"),
    ("run --xyzzy", "run has no flag"), ("status --record f", "it belongs to run"),
    ("status --version", "it stands alone"),
    ("run --config", "FILE was expected"), ("run --config=", "FILE was expected"),
    ("run --config --json", "--config=VALUE"), ("explain --required", "TYPE was expected"),
    ("explain --prohibited", "TYPE,… was expected"), ("explain --interface", "NAME was expected"),
    ("run --json=yes", "takes no value"), ("run --json --json", "given twice"),
    ("run --config a --config=b", "given twice"),
    ("run a b", "at most one DIR; “b” is too many"), ("status now", "no argument"),
    ("check", "check needs DIR"), ("check a b", "one DIR; “b” is too many"),
    ("help run status", "“status” is too many"),
    ("press", "press needs KEY and BUTTON"), ("press k", "press needs KEY and BUTTON"),
    ("press k b c", "KEY and BUTTON; “c” is too many"), ("dismiss", "dismiss needs KEY"),
    ("reload now", "no argument"), ("explain --control s", "it belongs to run, status, alerts"),
    ("status --control s --required wifi", "--control asks a daemon"),
    ("status --control s --config c", "--control asks a daemon"),
    ("new", "new needs NAME"), ("new a b c", "NAME and at most one DIR; “c” is too many"),
    ("explain --required lte", "one of wifi, wired, wiredEthernet, cellular, loopback, other"),
    ("explain --required wifi,wired", "one type"),
    ("explain --prohibited wifi,,wired", "empty place"),
    ("explain --prohibited wifi,", "empty place"),
    ("run --no-redact", "--record"), ("run --force", "--record"),
    ("test --format tab", "did you mean tap?"), ("test --format x", "text, tap, junit, json"),
    ("test --seed many", "whole number"), ("test --coverage-min 101", "from 0 to 100"),
    ("test a b", "at most one DIR"), ("test --json", "test takes no --json"),
  ]) func `a wrong line is refused in words that say what was expected`(
    line: String, words: String
  ) {
    #expect(message(line)?.contains(words) == true, "\(message(line) ?? "no error")")
  }

  @Test func `test takes a directory, a choice of cases and what to tell of them`() {
    var options = TestOptions(directory: "dir")
    options.choice.pattern = "loss*"
    options.choice.stopsAtFailure = true
    options.choice.shuffleSeed = 7
    options.choice.seed = UInt64(bitPattern: -3)
    options.format = .junit
    options.showsCoverage = true
    options.coverageLeast = 90
    let words = [
      "test", "dir", "--run", "loss*", "--fail-fast", "--shuffle", "7", "--seed=-3", "--format",
      "junit", "--coverage", "--coverage-min", "90",
    ]
    #expect(ArgumentParser.parse(words) == .success(.test(options)))
    #expect(ArgumentParser.parse(["test"]) == .success(.test(TestOptions())))
  }

  @Test func `empty words are refused where they would mean the current directory`() {
    #expect(message(["run", ""])?.contains("empty") == true)
    #expect(message(["run", "--config", ""])?.contains("empty") == true)
  }

  @Test func `an error names the help that tells more`() {
    #expect(UsageError(message: "m", command: .run).lines.last == "Try: netvane help run")
    #expect(UsageError(message: "m", command: nil).lines.last == "Try: netvane help")
  }

  @Test func `what was typed cannot drive the terminal that shows the error`() throws {
    let evil = "\u{1B}[2Jx\n\u{202E}"
    for line in [
      [evil], ["-" + evil], ["--help", evil], ["run", "--" + evil], ["run", "a", evil],
      ["run", "--json=" + evil], ["run", "--config", "-" + evil], ["help", evil],
      ["explain", "--required", evil], ["explain", "--prohibited", evil + ",,"],
    ] {
      let text = try #require(message(line))
      #expect(text.contains("\\u{1b}[2Jx\\u{a}\\u{202e}") || !text.contains("2Jx"))
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E })
    }
    #expect(quoted(String(repeating: "x", count: 100)).count == 83)
  }

  @Test func `no line of three words makes the parser trap`() {
    let words =
      flagTable.flatMap { [$0.name.typed, $0.name.typed + "=", $0.name.typed + "=x"] }
      + Command.allCases.map(\.rawValue) + ["", "-", "--", "---", "-h", "=", "wifi", ",", "x"]
    for a in words {
      for b in words {
        _ = ArgumentParser.parse([a, b])
        for c in words { _ = ArgumentParser.parse([a, b, c]) }
      }
    }
  }
}
