import Foundation
import Glibc
import PathTestKit
import Testing

extension KernelTests {
  /// Actions of several policies at the same time, with real commands.
  @Suite struct Turns {}
}

extension KernelTests.Turns {
  private static let hog = """
    local p = { api = 1, settle = "0s" }
    function p.on_path(ctx, ev)
      for i = 1, 16 do ctx.exec { key = "k" .. i, command = "sleep", timeout = "5m" } end
    end
    return p
    """

  /// Runs one command at each path that it is told.
  private static let brief = """
    local p = { api = 1, settle = "0s" }
    function p.on_path(ctx, ev) ctx.exec { key = "it", command = "true" } end
    return p
    """

  private func site() throws -> Site {
    let site = try Site()
    try site.configure(
      #"grants = { exec = { sleep = { "/bin/sleep", "100" }, ["true"] = { "/bin/true" } } },"#)
    return site
  }

  @Test func `sixteen long commands of one policy delay no command of another`() throws {
    let site = try site()
    try site.write("hog", Self.hog)
    try site.write("other", Self.brief)
    let program = try site.run()
    let told = try program.event("path") { $0.text("policy") == "other" }
    var ended = told
    for state in ["started", "succeeded"] {
      ended = try program.event("action") { $0.text("policy") == "other" }
      #expect(ended.text("state") == state)
    }
    let (begin, end) = (try #require(told.time), try #require(ended.time))
    #expect(end.timeIntervalSince(begin) < 0.1, "\(program.lines)")
    try program.end()
    let reports = program.lines.compactMap { Report($0) }
    let own = reports.filter { $0.kind == "action" && $0.text("policy") == "hog" }
    #expect(own.count { $0.text("state") == "started" } == 4, "\(program.lines)")
    let waiting = own.filter { $0.text("state") == "waiting" }
    #expect(waiting.count == 12, "\(program.lines)")
    #expect(waiting.allSatisfy { $0.text("detail").hasPrefix("waits for its turn: ") })
    #expect(own.allSatisfy { ["started", "waiting"].contains($0.text("state")) })
  }

  @Test func `fifty policies with one command each at one event all run it`() throws {
    let site = try site()
    for number in 10..<60 { try site.write("p\(number)", Self.brief) }
    let program = try site.run()
    var done: Set<String> = []
    while done.count < 50 {
      let report = try program.event("action") { $0.text("state") != "started" }
      if report.text("state") == "succeeded" { done.insert(report.text("policy")) }
      #expect(["succeeded", "waiting"].contains(report.text("state")), "\(report)")
    }
    try program.end()
  }

  @Test func `what is not granted is refused, and never told as started`() throws {
    let site = try Site()
    try site.write("other", Self.brief)
    let program = try site.run()
    let report = try program.event("action")
    #expect(report.text("state") == "refused", "\(report)")
    try program.end()
  }
}

extension Report {
  fileprivate var time: Date? {
    let reader = ISO8601DateFormatter()
    reader.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return reader.date(from: text("time"))
  }
}
