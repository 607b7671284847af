import Foundation
import Glibc
import Testing

/// The built `netvane`, run as a person or a service manager would run it.
final class Program {
  /// Beside the test bundle, which is what this process runs.
  static let path: String = {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = max(0, readlink("/proc/self/exe", &bytes, bytes.count - 1))
    let own = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/netvane"
  }()

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let process: pid_t
  /// What it printed so far, without what `next` has passed by.
  private(set) var lines: [String] = []
  private var passed = 0
  private var partial: [UInt8] = []
  private var output: Int32 = -1
  private var errorOutput: Int32 = -1
  private var errorBytes: [UInt8] = []
  private var code: Int32?

  /// `launcher` is what runs it (`setpriv …`); `terminal` is a descriptor to be its input and
  /// output; `room` is what the pipe holds that it prints to; `output` is what it prints to in its
  /// place.
  init(
    _ arguments: [String], environment: [String: String] = [:], launcher: [String] = [],
    terminal: Int32? = nil, room: Int32 = 65_536, output other: Int32? = nil
  ) throws {
    var out: [Int32] = [-1, -1]
    var err: [Int32] = [-1, -1]
    guard pipe(&out) == 0, pipe(&err) == 0 else { throw Failure(description: "pipe: \(errno)") }
    for end in out + err { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(out[1], 1031, room)  // F_SETPIPE_SZ
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let terminal {
      posix_spawn_file_actions_adddup2(&actions, terminal, 0)
      posix_spawn_file_actions_adddup2(&actions, terminal, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, other ?? out[1], 1)
    }
    posix_spawn_file_actions_adddup2(&actions, err[1], 2)
    // A test runner may block or ignore signals; a shell does not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&all, signal) }
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // Two runs at a time are not to meet at the usual control socket.
    let isApart = arguments.first == "run" && !arguments.contains("--control")
    let words = launcher + [Self.path] + arguments + (isApart ? ["--control", "none"] : [])
    var variables = [
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "TZ": "UTC",
    ]
    variables.merge(environment) { $1 }
    var argv = words.map { strdup($0) } + [nil]
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var child: pid_t = 0
    let failure = posix_spawnp(&child, words[0], &actions, &attributes, &argv, &envp)
    close(out[1])
    close(err[1])
    process = child
    output = out[0]
    errorOutput = err[0]
    guard failure == 0 else { throw Failure(description: "start \(words[0]): \(failure)") }
  }

  deinit {
    if code == nil {
      kill(process, SIGKILL)
      _ = waitpid(process, nil, 0)
    }
    closeOutput()
    close(errorOutput)
  }

  /// Runs a command to its end.
  static func run(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> (code: Int32, lines: [String], errors: String) {
    let program = try Program(arguments, environment: environment)
    let code = try program.exit(seconds: 20)
    return (code, program.lines, program.errors)
  }

  // MARK: What it says

  /// What it printed to standard error so far.
  var errors: String { String(decoding: errorBytes, as: UTF8.self) }

  /// The next line that is as wanted; those before it are passed by. Nil when none came in time.
  func next(seconds: Double = 10, _ isWanted: (String) -> Bool) -> String? {
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      while passed < lines.count {
        passed += 1
        if isWanted(lines[passed - 1]) { return lines[passed - 1] }
      }
      guard read(until: end) else { return nil }
    }
  }

  /// Passes by what it said so far.
  func passBy() { _ = next(seconds: 0) { _ in false } }

  /// The next report of this kind that is as wanted.
  func event(
    _ kind: String, seconds: Double = 10, _ isWanted: (Report) -> Bool = { _ in true },
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Report {
    var found: Report?
    _ = next(seconds: seconds) { line in
      guard let report = Report(line), report.kind == kind, isWanted(report) else { return false }
      found = report
      return true
    }
    let said = "no such \(kind) in:\n" + lines.joined(separator: "\n") + "\n" + errors
    return try #require(found, "\(said)", sourceLocation: location)
  }

  /// Nobody listens any more.
  func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  // MARK: Its end

  func send(_ signal: Int32) { kill(process, signal) }

  /// Waits for the end, reading what is said; the exit code, or 128 and the signal.
  func exit(seconds: Double, isReading: Bool = true) throws -> Int32 {
    if let code { return code }
    let end = Date(timeIntervalSinceNow: seconds)
    while isReading, read(until: end) {}
    var status: Int32 = 0
    // Its streams are closed, or time is over: it is ending, or it does not want to.
    while waitpid(process, &status, WNOHANG) == 0 {
      guard end.timeIntervalSinceNow > 0 else {
        throw Failure(description: "it did not end in \(seconds) s; said: \(errors)")
      }
      poll(nil, 0, 1)
    }
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    self.code = code
    return code
  }

  /// Asks it to end; it must do so at once, with success and without a complaint.
  func end(_ signal: Int32 = SIGTERM, _ location: SourceLocation = #_sourceLocation) throws {
    send(signal)
    #expect(try exit(seconds: 1) == 0, sourceLocation: location)
    #expect(errors == "", sourceLocation: location)
  }

  /// Reads once; false when nothing came in time or ever will.
  private func read(until end: Date) -> Bool {
    var ends = [output, errorOutput].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let left = Int32(max(0, end.timeIntervalSinceNow) * 1000)
    guard (ends.contains { $0.fd >= 0 }), poll(&ends, 2, left) > 0 else { return false }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    if ends[1].revents != 0 {
      let count = Glibc.read(errorOutput, &piece, piece.count)
      if count > 0 {
        errorBytes += piece[..<count]
      } else {
        close(errorOutput)
        errorOutput = -1
      }
    }
    if ends[0].revents != 0 {
      let count = Glibc.read(output, &piece, piece.count)
      if count > 0 { take(piece[..<count]) } else { closeOutput() }
    }
    return true
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    partial += bytes
    while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: partial[..<end], as: UTF8.self))
      partial.removeSubrange(...end)
    }
  }
}

/// One line of `--json`.
struct Report {
  let values: [String: Any]

  init?(_ line: String) {
    let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
    guard let values = value as? [String: Any] else { return nil }
    self.values = values
  }

  var kind: String { text("event") }

  func text(_ key: String) -> String { values[key] as? String ?? "" }
  func texts(_ key: String) -> [String] { values[key] as? [String] ?? [] }

  /// The keys of each kind, as `ReportJSON` documents them.
  private static let keys: [String: Set<String>] = [
    "ready": ["version", "policies"],
    "path": [
      "policy", "monitor", "status", "reason", "why", "interface", "type", "initial", "changed",
      "causes", "sequence",
    ],
    "alert": ["policy", "key", "state", "severity", "title", "body"],
    "publish": ["policy", "name", "value"],
    "action": ["policy", "key", "kind", "state", "detail"],
    "policy": ["policy", "state", "detail"],
    "fault": ["policy", "handler", "file", "line", "message"],
    "gap": ["detail"],
    "reload": ["detail"],
    "shadow": ["policy", "only", "what"],
  ]

  /// Whether it has the documented keys and no others.
  var isDocumented: Bool {
    guard var keys = Self.keys[kind] else { return false }
    keys.formUnion(["time", "event"])
    if kind == "alert", text("state") == "resolved" || text("cause") == "restored" {
      keys.insert("cause")
    }
    return Set(values.keys) == keys
  }
}
