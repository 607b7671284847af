import Foundation
import Glibc
import PathTestKit
import Testing

extension KernelTests {
  /// Shipped policies that act, from the kernel to the act: a person at a terminal pulls cables and
  /// types the numbers of buttons, and what answers is real.
  @Suite struct PolicyStories {}
}

extension KernelTests.PolicyStories {
  /// web-error for a page on this very machine.
  private func site(for server: WebServer) throws -> Site {
    let site = try Site(policies: ["web-error"])
    try site.configure(
      """
      grants = { http = { "127.0.0.1" } },
      policies = { ["web-error"] = { pages = { "\(server.url)" }, base = "200ms" } },
      """)
    return site
  }

  @Test func `Try again waits for the cable, and its return loads the page once`() throws {
    let server = WebServer { _ in .text(WebServer.ok("hello")) }
    let site = try site(for: server)
    let terminal = try Terminal()
    let program = try site.run(on: terminal)
    #expect(terminal.shows("satisfied"))
    try site.lab.setCarrier("eth0", false)
    #expect(terminal.shows("[1] Try again"), "\(terminal.text)")
    terminal.type("1\n")
    #expect(terminal.shows("waits for the path"), "\(terminal.text)")
    // The server could be reached all the while; it is the path that the retry waits for.
    #expect(!terminal.shows("succeeded", seconds: 1))
    #expect(server.requests == [])
    try site.lab.setCarrier("eth0", true)
    #expect(terminal.shows("resolved"), "\(terminal.text)")
    #expect(terminal.shows("http succeeded"), "\(terminal.text)")
    // Longer than a second load would have waited.
    #expect(!terminal.shows("http started", seconds: 3), "\(terminal.text)")
    #expect(server.requests.count == 1)
    #expect(terminal.count("raised") == 1, "\(terminal.text)")
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 2) == 0)
  }

  @Test func `a kill between Try again and the cable's return changes nothing of it`() throws {
    let server = WebServer { _ in .text(WebServer.ok("hello")) }
    let site = try site(for: server)
    let state = "\(site.folder)/state"
    let first = try Terminal()
    let killed = try site.run(on: first, state: state)
    #expect(first.shows("satisfied"))
    try site.lab.setCarrier("eth0", false)
    #expect(first.shows("[1] Try again"), "\(first.text)")
    first.type("1\n")
    #expect(first.shows("waits for the path"), "\(first.text)")
    killed.send(SIGKILL)
    #expect(try killed.exit(seconds: 5) == 128 + SIGKILL)
    let second = try Terminal()
    let program = try site.run(on: second, state: state)
    // The error is told again, with its buttons, and not as another one.
    #expect(second.shows("restored"), "\(second.text)")
    #expect(second.shows("[1] Try again"), "\(second.text)")
    #expect(second.shows("ready"), "\(second.text)")
    try site.lab.setCarrier("eth0", true)
    // Told in this order or the other: the page may be there before the alert's end is kept.
    #expect(second.shows("http succeeded"), "\(second.text)")
    #expect(!second.shows("http started", seconds: 3), "\(second.text)")
    #expect(server.requests.count == 1)
    #expect(second.count("resolved") == 1 && second.count("raised") == 0, "\(second.text)")
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 2) == 0)
  }

  @Test func `a page that fails at first is tried again, and nobody is told`() throws {
    let answers = Answers(["500 Oops", "500 Oops", "200 OK"])
    let server = WebServer { _ in .text(WebServer.ok("hello", answers.next())) }
    let site = try site(for: server)
    let program = try site.run()
    #expect(try program.event("path").text("status") == "satisfied")
    try site.lab.setCarrier("eth0", false)
    _ = try program.event("alert") { $0.text("state") == "raised" }
    try site.lab.setCarrier("eth0", true)
    _ = try program.event("alert") { $0.text("state") == "resolved" }
    _ = try program.event("action") { $0.text("state") == "succeeded" }
    try program.end()
    #expect(server.requests.count == 3)
    let alerts = program.lines.compactMap { Report($0) }.filter { $0.kind == "alert" }
    #expect(alerts.map { $0.text("state") } == ["raised", "resolved"])
  }

  @Test func `without grants the page error is the one alert, and says what is missing`() throws {
    let site = try Site(policies: ["web-error"])
    let terminal = try Terminal()
    let program = try site.run(on: terminal)
    #expect(terminal.shows("satisfied"))
    try site.lab.setCarrier("eth0", false)
    #expect(terminal.shows("[2] View in browser"), "\(terminal.text)")
    terminal.type("2\n")
    #expect(terminal.shows("No browser opened"), "\(terminal.text)")
    try site.lab.setCarrier("eth0", true)
    #expect(terminal.shows("The page does not answer"), "\(terminal.text)")
    #expect(terminal.shows("is not granted"), "\(terminal.text)")
    #expect(!terminal.shows("http started", seconds: 2), "\(terminal.text)")
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 2) == 0)
  }

  @Test func `the gate without a cable runs what is granted, and opens with one`() throws {
    let site = try Site(policies: ["launch-gate"])
    let place = "\(site.folder)/settings"
    try site.configure(
      #"grants = { exec = { settings = { "/bin/sh", "-c", "echo $NETVANE_BUTTON >\#(place)" } } },"#
    )
    try site.lab.setCarrier("eth0", false)
    let terminal = try Terminal()
    let program = try site.run(on: terminal)
    #expect(terminal.shows("[2] Open settings"), "\(terminal.text)")
    terminal.type("2\n")
    #expect(terminal.shows("exec succeeded"), "\(terminal.text)")
    #expect(try String(contentsOfFile: place, encoding: .utf8) == "settings\n")
    terminal.type("1\n")
    #expect(terminal.shows("That did not work"), "\(terminal.text)")
    try site.lab.setCarrier("eth0", true)
    #expect(terminal.shows("resolved"), "\(terminal.text)")
    #expect(terminal.shows(#"route = "onboarding""#), "\(terminal.text)")
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 2) == 0)
  }
}

extension Terminal {
  fileprivate func count(_ word: String) -> Int { text.components(separatedBy: word).count - 1 }
}

/// What a server says, one after the other; the last for ever.
// Guarded by `lock`.
private final class Answers: @unchecked Sendable {
  private let lock = NSLock()
  private var rest: [String]

  init(_ answers: [String]) { rest = answers }

  func next() -> String {
    lock.withLock { rest.count > 1 ? rest.removeFirst() : rest[0] }
  }
}
