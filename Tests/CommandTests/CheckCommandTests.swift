import Foundation
import Testing

@testable import netvane

/// What `netvane check` says of policies that work and look wrong.
struct CheckCommandTests {
  let bench: Workbench
  private static let odd = """
    local p = { api = 1, description = "odd" }
    function p.on_path(ctx, ev) ctx.exec { key = "k", command = "c" } end
    function p.on_timer(ctx, ev) end
    return p
    """

  init() throws {
    bench = try Workbench()
    try bench.write("none.lua", "return {}")
    try bench.write("p/odd.lua", Self.odd)
    try bench.write("p/od_test.lua", "")
  }

  @Test func `warnings name their place and fail only where that is asked for`() throws {
    let checked = try bench.run("check", "@/p", "--config", "@/none.lua")
    #expect(checked.code == 0)
    for line in [
      "ok\todd\todd", "warn\todd.lua:2: the command 'c' is not granted",
      "warn\todd.lua:3: on_timer never runs", "warn\tod_test.lua: there is no od.lua",
    ] { #expect(checked.said.contains(line), "\(checked.said)") }
    #expect(try bench.run("check", "@/p", "--config", "@/none.lua", "--strict").code == 1)
  }

  @Test func `a policy that cannot be used weighs more than a warning`() throws {
    try bench.write("p/bad.lua", "return {")
    let checked = try bench.run("check", "@/p", "--config", "@/none.lua", "--strict")
    #expect(checked.code == 2)
    #expect(checked.said.contains("bad\tbad.lua:1") && checked.said.contains("warn\todd.lua:3"))
  }

  @Test func `settings for no policy are a warning too`() throws {
    try FileManager.default.removeItem(atPath: bench.path + "/p/od_test.lua")
    try bench.write("p/odd.lua", "return { api = 1 }")
    try bench.write("c.lua", "return { policies = { ood = {} } }")
    let checked = try bench.run("check", "@/p", "--config", "@/c.lua", "--strict")
    #expect(checked.code == 1 && checked.said.contains("note\t"), "\(checked.said)")
    #expect(try bench.run("check", "@/p", "--config", "@/none.lua", "--strict").code == 0)
  }

  /// A policy that uses the command `tool`, and a configuration that grants it this program.
  private func grant(_ mode: mode_t) throws -> String {
    try FileManager.default.removeItem(atPath: bench.path + "/p/od_test.lua")
    try bench.write("p/odd.lua", "return { api = 1 }")
    try bench.write("bin/tool", "#!/bin/sh\n")
    let program = bench.path + "/bin/tool"
    chmod(program, mode)
    try bench.write(
      "c.lua", "return { grants = { exec = { tool = { '\(program)' }, no = { '/no/such' } } } }")
    return program
  }

  @Test func `a granted program that others may write is a warning with what helps`() throws {
    let program = try grant(0o757)
    let checked = try bench.run("check", "@/p", "--config", "@/c.lua", "--strict")
    #expect(checked.code == 1)
    #expect(
      checked.said.contains(
        "grants.exec.tool will not be run: everybody may write @/bin/tool; "
          + "take that away with: chmod o-w @/bin/tool"), "\(checked.said)")
    #expect(!checked.said.contains("exec.no"))
    chmod(program, 0o755)
    #expect(try bench.run("check", "@/p", "--config", "@/c.lua", "--strict").code == 0)
    chmod(bench.path + "/bin", 0o777)
    let folder = try bench.run("check", "@/p", "--config", "@/c.lua")
    #expect(folder.code == 0)
    #expect(folder.said.contains("everybody may write into @/bin;"), "\(folder.said)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `a granted program of another user is a warning with what helps`() throws {
    let program = try grant(0o755)
    chown(program, 1000, 1000)
    let checked = try bench.run("check", "@/p", "--config", "@/c.lua", "--strict")
    #expect(checked.code == 1)
    #expect(checked.said.contains("chown root @/bin/tool"), "\(checked.said)")
  }

  @Test func `JSON is one object a line`() throws {
    try bench.write("p/bad.lua", "return {\n")
    let said = try bench.run("check", "@/p", "--config", "@/none.lua", "--json").said
    let objects = try said.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    func of(_ event: String, _ key: String) -> [String] {
      objects.filter { $0["event"] as? String == event }.map { "\($0[key] ?? "nil")" }
    }
    #expect(of("policy", "state") == ["ok", "bad"])
    #expect(of("policy", "file") == ["nil", "bad.lua"])
    #expect(of("warning", "file") == ["odd.lua", "odd.lua", "od_test.lua"])
    #expect(of("warning", "line") == ["2", "3", "0"])
    #expect(of("warning", "message").allSatisfy { !$0.isEmpty })
  }
}
