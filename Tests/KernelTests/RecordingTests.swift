import Foundation
import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

extension KernelTests {
  /// What `--record` writes on the real kernel.
  @Suite struct Recordings {}
}

extension KernelTests.Recordings {
  /// Runs through an outage at a place with telling addresses, recording it.
  private func record(_ site: Site, _ flags: String...) throws -> (said: [String], trace: String) {
    let trace = "\(site.folder)/trace"
    try site.configure(
      #"policies = { ["reconnect-banner"] = { grace = "100ms", shown = "200ms" } },"#)
    try site.lab.wire("wlan0", ["93.184.216.10/24", "2a02:1234:5678:9abc::10/64"])
    try site.lab.ip(
      """
      route replace default via 93.184.216.1 dev wlan0
      -6 route replace default via fe80::3e22:fbff:fe01:203 dev wlan0
      neighbour replace 93.184.216.1 lladdr 3c:22:fb:01:02:03 dev wlan0
      """)
    let program = try Program(
      [
        "run", "--json", site.policies, "--config", site.config, "--state", "none", "--record",
        trace,
      ] + flags)
    _ = try program.event("path") { $0.text("status") == "satisfied" }
    try site.lab.setCarrier("wlan0", false)
    _ = try program.event("alert") { $0.text("state") == "raised" }
    try site.lab.setCarrier("wlan0", true)
    _ = try program.event("alert") { $0.text("state") == "expired" }
    try program.end()
    return (program.lines, try String(contentsOfFile: trace, encoding: .utf8))
  }

  /// What the same policies make of a recorded trace.
  private func replay(_ site: Site, _ trace: String) throws -> (TraceHeader, [Order]) {
    let lines = trace.split(separator: "\n").map(String.init)
    let header = try TraceReader().header(try #require(lines.first))
    let runtime = PolicyRuntime()
    let configuration = try ConfigurationReader.read(site.config)
    _ = runtime.load(try PolicyDirectory(reading: site.policies).scripts, reason: .start) {
      configuration.settings(for: $0)
    }
    var engine = Engine(host: runtime, seed: header.seed)
    var orders: [Order] = []
    for (at, fact) in try TraceReader().facts(Array(lines.dropFirst())) {
      orders += engine.handle(fact, at: at)
    }
    return (header, orders)
  }

  @Test func `a recording replays to the same orders`() throws {
    let site = try Site(policies: ["reconnect-banner", "status-border"])
    let (said, trace) = try record(site, "--no-redact")
    let (header, orders) = try replay(site, trace)
    #expect(header.isRedacted == false)
    #expect(header.policies.map(\.name) == ["reconnect-banner", "status-border"])
    #expect(header.config != nil)
    #expect(trace.contains("93.184.216.10"))
    #expect(orders.compactMap { Gist($0, full: true) } == said.compactMap { Gist($0, full: true) })
    #expect(said.compactMap { Gist($0, full: true) }.count >= 8)
  }

  @Test func `a recording says nothing of where it was made unless told to`() throws {
    let site = try Site(policies: ["reconnect-banner", "status-border"])
    let (said, trace) = try record(site)
    for secret in ["93.184.216", "2a02:1234", "3c:22:fb", "3e22:fb"] {
      #expect(!trace.contains(secret), "\(secret)")
    }
    let mode = try FileManager.default.attributesOfItem(atPath: "\(site.folder)/trace")
    #expect((mode[.posixPermissions] as? Int) == 0o600)
    let (header, orders) = try replay(site, trace)
    #expect(header.isRedacted)
    #expect(
      orders.compactMap { Gist($0, full: false) } == said.compactMap { Gist($0, full: false) })
  }

  @Test func `a full disk ends the recording, not the program`() throws {
    let site = try Site(policies: ["status-border"])
    let program = try site.run("--record", "/dev/full")
    #expect(try program.event("gap").text("detail").contains("No space left"))
    _ = try program.event("path")
    try site.lab.ip("route del default")
    _ = try program.event("publish") { $0.text("value") == "red" }
    try program.end()
    let nowhere = try site.run("--record", "\(site.folder)/no/trace")
    #expect(try nowhere.exit(seconds: 10) == 1)
    #expect(nowhere.errors.contains("no/trace"))
  }

  @Test func `a recording does not take the place of a file unless told to`() throws {
    let site = try Site(policies: ["status-border"])
    let trace = "\(site.folder)/trace"
    try "mine".write(toFile: trace, atomically: true, encoding: .utf8)
    let careful = try site.run("--record", trace)
    #expect(try careful.exit(seconds: 10) == 2)
    #expect(careful.errors.contains(trace) && careful.errors.contains("--force"))
    #expect(try String(contentsOfFile: trace, encoding: .utf8) == "mine")
    let told = try site.runToVerdict("--record", trace, "--force")
    try told.end()
    #expect(try String(contentsOfFile: trace, encoding: .utf8).hasPrefix("{"))
    // Nothing in a device could be lost.
    try site.runToVerdict("--record", "/dev/null").end()
  }

  @Test func `a recording into a pipe that nobody reads is refused, not waited for`() throws {
    let site = try Site(policies: ["status-border"])
    let pipe = "\(site.folder)/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let program = try site.run("--record", pipe)
    #expect(try program.exit(seconds: 5) == 1)
    #expect(program.errors.contains(pipe))
  }
}

/// What an order and the line that the program printed for it have in common.
private struct Gist: Hashable, CustomStringConvertible {
  var description: String

  init?(_ order: Order, full: Bool) {
    switch order {
    case .deliver(let policy, let event):
      description =
        "\(policy) \(event.monitor) \(event.path.status.rawValue) #\(event.sequence) "
        + event.causes.words.joined(separator: ",") + (full ? event.path.why : "")
    case .alert(let notice):
      description =
        "\(notice.policy) \(notice.content.key) \(notice.state.rawValue) \(notice.content.title) "
        + (full ? notice.content.body : "")
    case .publish(let notice):
      description = "\(notice.policy) \(notice.name) \(notice.value?.jsonText ?? "null")"
    default: return nil
    }
  }

  init?(_ line: String, full: Bool) {
    guard let report = Report(line) else { return nil }
    switch report.kind {
    case "path":
      description =
        "\(report.text("policy")) \(report.text("monitor")) \(report.text("status")) "
        + "#\(report.values["sequence"] as? Int ?? -1) "
        + report.texts("causes").joined(separator: ",") + (full ? report.text("why") : "")
    case "alert":
      description =
        "\(report.text("policy")) \(report.text("key")) \(report.text("state")) "
        + "\(report.text("title")) " + (full ? report.text("body") : "")
    case "publish":
      let value = report.values["value"]
      let word = value as? String
      description =
        "\(report.text("policy")) \(report.text("name")) "
        + (word.map { "\"\($0)\"" } ?? ((value as? Bool) == true ? "true" : "false"))
    default: return nil
    }
  }
}
