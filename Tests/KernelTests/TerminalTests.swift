import Foundation
import Glibc
import Testing

extension KernelTests {
  /// The program on a terminal, with somebody at the keyboard.
  @Suite struct AtTerminal {}
}

extension KernelTests.AtTerminal {
  private static let policy = """
    return {
      api = 1,
      settle = "0s",
      on_path = function(ctx, ev)
        if ev.status ~= "satisfied" then
          ctx.alert.raise { key = "connection", title = "Not connected",
            buttons = { { id = "retry", label = "Try again" }, { id = "web", label = "Browser" } } }
        else
          ctx.alert.resolve "connection"
        end
      end,
      on_button = function(ctx, ev) ctx.log("pressed " .. ev.key .. "/" .. ev.button) end,
    }
    """

  @Test func `an alert's buttons are numbered, and typing the number presses them`() throws {
    let site = try Site()
    try site.write("buttons", Self.policy)
    let terminal = try Terminal()
    let program = try site.run(on: terminal)
    #expect(terminal.shows("satisfied"))
    try site.lab.ip("route del default")
    #expect(terminal.shows("[1] Try again"), "\(terminal.text)")
    #expect(terminal.shows("[2] Browser"), "\(terminal.text)")
    terminal.type("1\n")
    #expect(terminal.shows("pressed connection/retry"), "\(terminal.text)")
    terminal.type(" 2 \n")
    #expect(terminal.shows("pressed connection/web"), "\(terminal.text)")
    terminal.type("7\n")
    #expect(terminal.shows("Type the number of a button: 1, 2."), "\(terminal.text)")
    try site.lab.ip("route add default via 192.0.2.1 dev eth0")
    #expect(terminal.shows("resolved"), "\(terminal.text)")
    terminal.type("1\n")
    #expect(terminal.shows("There is no button to press now."), "\(terminal.text)")
    // Ctrl-D says that nobody will type any more, not that it should end.
    terminal.type("\u{04}")
    try site.lab.ip("route del default")
    #expect(terminal.shows("raised"), "\(terminal.text)")
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 1) == 0)
    #expect(terminal.text.contains("\u{1B}[1m"))
  }

  @Test func `NO_COLOR is respected on a terminal`() throws {
    let site = try Site(policies: ["status-border"])
    let terminal = try Terminal()
    let program = try site.run(on: terminal, environment: ["NO_COLOR": "1"])
    #expect(terminal.shows("green"))
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 1) == 0)
    #expect(!terminal.text.contains("\u{1B}"))
  }
}

extension KernelTests.AtTerminal {
  @Test func `in the background it leaves the keyboard alone and goes on`() throws {
    let site = try Site(policies: ["status-border"])
    let terminal = try Terminal()
    // A shell with job control in the foreground of its own session, as people have it.
    let program = try site.run(
      on: terminal,
      launcher: ["setsid", "--ctty", "sh", "-m", "-c", #""$@" & echo is $!; wait"#, "sh"])
    #expect(terminal.shows("green"), "\(terminal.text)")
    terminal.type("for the shell\n")
    try site.lab.ip("route del default")
    #expect(terminal.shows("red"), "\(terminal.text)")
    let words = terminal.text.split { $0.isWhitespace }
    let place = try #require(words.firstIndex(of: "is"))
    let daemon = try #require(pid_t(words[place + 1]))
    func ticks() throws -> Int {
      let stat = try String(contentsOfFile: "/proc/\(daemon)/stat", encoding: .utf8)
      return stat.split(separator: " ")[13...14].compactMap { Int($0) }.reduce(0, +)
    }
    // What it leaves unread must not keep it busy either.
    let before = try ticks()
    #expect(!terminal.shows("anything", seconds: 0.5))
    #expect(try ticks() - before < 10)
    kill(daemon, SIGTERM)
    #expect(try program.exit(seconds: 2) == 0)
  }
}

extension Site {
  /// `netvane run` on a terminal.
  func run(
    on terminal: Terminal, state: String = "none", environment: [String: String] = [:],
    launcher: [String] = []
  ) throws -> Program {
    defer { terminal.leave() }
    return try Program(
      ["run", policies, "--config", config, "--state", state],
      environment: environment.merging(["TERM": "xterm"]) { $1 }, launcher: launcher,
      terminal: terminal.inner)
  }
}

/// A pseudo-terminal, pty(7), and what it showed.
final class Terminal {
  private let outer: Int32
  private(set) var inner: Int32
  private(set) var text = ""
  private var seen = 0

  init() throws {
    outer = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // What unlockpt(3) and ptsname(3) do, which the Glibc overlay hides: TIOCSPTLCK, TIOCGPTN.
    var locked: Int32 = 0
    var number: UInt32 = 0
    guard outer >= 0, ioctl(outer, 0x4004_5431, &locked) == 0,
      ioctl(outer, 0x8004_5430, &number) == 0
    else { throw Lab.Failure(description: "no pseudo-terminal: \(errno)") }
    inner = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard inner >= 0 else { throw Lab.Failure(description: "cannot open the terminal") }
  }

  deinit {
    leave()
    close(outer)
  }

  /// The program has its own hold on the terminal now.
  func leave() {
    if inner >= 0 { close(inner) }
    inner = -1
  }

  func type(_ words: String) {
    _ = Array(words.utf8).withUnsafeBytes { write(outer, $0.baseAddress, $0.count) }
  }

  /// Whether these words come to be shown, behind those that were waited for before.
  func shows(_ words: String, seconds: Double = 10) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      let fresh = plain.dropFirst(seen)
      if let range = fresh.range(of: words) {
        seen = plain.distance(from: plain.startIndex, to: range.upperBound)
        return true
      }
      var request = pollfd(fd: outer, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(0, end.timeIntervalSinceNow) * 1000)
      guard poll(&request, 1, left) > 0 else { return false }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(outer, &bytes, bytes.count)
      guard count > 0 else { return false }
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Without colours.
  private var plain: String { text.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
}
