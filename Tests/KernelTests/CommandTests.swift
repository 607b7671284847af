import Foundation
import PathCore
import Testing

extension KernelTests {
  /// The commands that ask and leave, on the real kernel.
  @Suite struct Commands {}
}

extension KernelTests.Commands {
  @Test func `status tells of a path by its words and by its exit code`() throws {
    let site = try Site()
    let online = try Program.run("status", "--json")
    #expect(online.code == 0)
    let path = try #require(online.lines.first.flatMap { Report($0) })
    #expect(online.lines.count == 1)
    #expect(path.text("status") == "satisfied")
    let table = try Program.run("status")
    #expect(table.lines.contains { $0.contains("eth0 (wired)") }, "\(table.lines)")
    #expect(table.lines.allSatisfy { !$0.contains("\u{1B}") })
    try site.lab.setCarrier("eth0", false)
    let offline = try Program.run("status")
    #expect(offline.code == 1)
    #expect(offline.lines.contains { $0.contains("unsatisfied") })
    #expect(online.errors + table.errors + offline.errors == "")
  }

  @Test func `explain says why a filter leaves nothing`() throws {
    let site = try Site()
    let wifi = try Program.run(
      "explain", "--required", "wifi", "--json", "--config", site.config)
    #expect(wifi.code == 1)
    let report = try #require(wifi.lines.first.flatMap { Report($0) })
    let path = report.values["path"] as? [String: Any]
    #expect(path?["status"] as? String == "unsatisfied")
    #expect(path?["reason"] as? String == PathReason.filteredOut.rawValue)
    let evidence = report.texts("evidence")
    #expect(evidence.contains { $0.contains("eth0") }, "\(evidence)")
    #expect(try Program.run("explain", "--required", "wired", "--config", site.config).code == 0)
    #expect(
      try Program.run("explain", "--prohibited", "wifi,wired", "--config", site.config).code == 1)
    let nonsense = try Program.run("explain", "--required", "wifey")
    #expect(nonsense.code == 2)
    #expect(nonsense.errors.contains("wifi"))
  }

  @Test func `check names each fault with its place`() throws {
    let site = try Site(policies: ["status-border", "offline-popup"])
    let fine = try Program.run("check", site.policies, "--config", site.config)
    #expect(fine.code == 0, "\(fine)")
    #expect(fine.lines.count == 2)
    try site.write("broken", "return {\n  api = 1,\n  settel = \"2s\",\n}\n")
    let bad = try Program.run("check", site.policies, "--config", site.config)
    #expect(bad.code == 2)
    #expect(bad.lines.contains { $0.contains("broken.lua:3") && $0.contains("settle") })
    let empty = "\(site.folder)/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    #expect(try Program.run("check", empty, "--config", site.config).code == 3)
    #expect(try Program.run("run", empty, "--config", site.config).code == 3)
    #expect(try Program.run("check", "\(site.folder)/nowhere").code == 2)
    #expect(try Program.run("run", "\(site.folder)/nowhere").code == 2)
  }

  // L-10
  @Test func `check runs no policy that is off, and fails for the broken one alone`() throws {
    let site = try Site(policies: ["status-border", "offline-popup", "modem-reset"])
    try site.write(
      "off", "return { api = 1, enabled = false, on_start = function(c) c.options.x() end }")
    let fine = try Program.run("check", site.policies, "--config", site.config)
    #expect(fine.code == 0 && fine.lines.contains { $0.hasPrefix("off\toff") }, "\(fine)")
    try site.write("options", "local options = nil\nlocal x = options.x\nreturn { api = 1 }")
    let bad = try Program.run("check", site.policies, "--config", site.config)
    #expect(bad.code == 2)
    #expect(bad.lines.filter { $0.hasPrefix("bad") }.count == 1, "\(bad)")
    #expect(bad.lines.contains { $0.contains("options.lua:2: ") }, "\(bad)")
    #expect(bad.lines.count { $0.hasPrefix("ok") } == 3)
  }

  @Test func `a bad configuration ends every command with its place`() throws {
    let site = try Site(policies: ["status-border"])
    try "return {\n  interfaces = { eth0 = { tpye = \"wired\" } },\n}\n".write(
      toFile: site.config, atomically: true, encoding: .utf8)
    for command in [["run", site.policies], ["explain"], ["check", site.policies]] {
      let program = try Program(command + ["--config", site.config])
      #expect(try program.exit(seconds: 10) == 2, "\(command)")
      #expect(program.errors.contains("config.lua:2"), "\(command): \(program.errors)")
      #expect(program.errors.contains("type"), "\(command): \(program.errors)")
    }
    let absent = try Program.run("run", site.policies, "--config", "\(site.folder)/none.lua")
    #expect(absent.code == 2)
    #expect(absent.errors.contains("none.lua"))
  }

  @Test func `the configuration is found where people keep theirs`() throws {
    let site = try Site()
    let home = "\(site.folder)/home/netvane"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    try "return { interfaces = { eth0 = { type = \"cellular\" } } }\n".write(
      toFile: "\(home)/config.lua", atomically: true, encoding: .utf8)
    let status = try Program.run(
      "status", environment: ["XDG_CONFIG_HOME": "\(site.folder)/home"])
    #expect(status.code == 0)
    #expect(status.lines.contains { $0.contains("eth0 (cellular)") }, "\(status.lines)")
  }
}
