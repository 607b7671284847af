import Foundation
import Glibc
import Testing

extension KernelTests {
  /// A running daemon and the commands that ask it.
  @Suite struct Control {}
}

extension KernelTests.Control {
  private static let banner = """
    local p = { api = 1, description = "Shows a banner.", settle = "0s" }
    function p.on_start(ctx)
      ctx.alert.raise { key = "k", title = "Ready", buttons = { { id = "go", label = "Go on" } } }
    end
    function p.on_button(ctx, ev) ctx.publish("pressed", ev.button) end
    return p
    """

  private func control(_ site: Site) -> String { "\(site.folder)/run/control" }

  private func run(_ site: Site, _ flags: String...) throws -> Program {
    let program = try Program(
      ["run", "--json", site.policies, "--config", site.config, "--state", "none"]
        + ["--control", control(site)] + flags)
    _ = try program.event("path")
    return program
  }

  /// The answer of a command that asks the site's daemon.
  private func ask(
    _ site: Site, _ words: String...
  ) throws -> (code: Int32, lines: [String], errors: String) {
    let program = try Program(words + ["--control", control(site)])
    let code = try program.exit(seconds: 20)
    return (code, program.lines, program.errors)
  }

  @Test func `a broken edit is in the status until it is mended, and others run on`() throws {
    let site = try Site(policies: ["status-border"])
    try site.write("edited", Self.banner)
    let program = try run(site)
    let fine = try ask(site, "status")
    #expect(fine.code == 0 && fine.errors == "")
    #expect(fine.lines.contains("  edited         running   Shows a banner."), "\(fine.lines)")
    #expect(fine.lines.contains { $0.hasPrefix("  edited/k  info      Ready  (go)") })
    #expect(fine.lines.contains { $0.hasPrefix("daemon       netvane ") })

    try site.write("edited", "return {\n  api = = 1,\n}\n")
    _ = try program.event("policy") { $0.text("state") == "rejected" }
    let broken = try ask(site, "status")
    let line = try #require(broken.lines.first { $0.contains("edit not taken") })
    #expect(line.contains("edit not taken: edited.lua:2: "))
    #expect(line.hasSuffix("; the version before it runs"))
    let json = try ask(site, "status", "--json")
    #expect(json.lines.count == 1 && json.code == 0)
    let report = try #require(json.lines.first.flatMap { Report($0) })
    #expect(report.text("status") == "satisfied")
    let policies = try #require(report.values["policies"] as? [[String: Any]])
    #expect(policies.map { $0["name"] as? String } == ["edited", "status-border"])
    #expect((policies[0]["editNotTaken"] as? String)?.hasPrefix("edited.lua:2: ") == true)
    #expect(policies.allSatisfy { $0["standing"] as? String == "running" })

    let refused = try ask(site, "reload")
    #expect(refused.code == 1)
    #expect(refused.lines.contains { $0.hasPrefix("not taken: edited.lua:2: ") })
    try site.write("edited", Self.banner)
    let taken = try ask(site, "reload")
    #expect(taken.code == 0 && taken.errors == "", "\(taken)")
    #expect(try !ask(site, "status").lines.contains { $0.contains("edit not taken") })

    // The verdict is the kernel's, and its exit code too.
    try site.lab.setCarrier("eth0", false)
    _ = try program.event("publish") { $0.values["value"] as? Bool == false }
    let offline = try ask(site, "status")
    #expect(offline.code == 1 && offline.lines.first == "status       unsatisfied")
    try program.end()
    #expect(access(control(site), F_OK) != 0)
  }

  @Test func `alerts are listed, pressed and dismissed`() throws {
    let site = try Site()
    try site.write("edited", Self.banner)
    let program = try run(site)
    let alerts = try ask(site, "alerts", "--json")
    #expect(alerts.code == 0 && alerts.lines.count == 1)
    #expect(alerts.lines.first.flatMap { Report($0) }?.text("key") == "k")
    let pressed = try ask(site, "press", "k", "go")
    #expect(pressed.code == 0 && pressed.lines.first == "pressed go (Go on) of edited/k")
    #expect(pressed.lines.last?.hasSuffix("pressed = \"go\"") == true)
    _ = try program.event("publish") { $0.text("value") == "go" }
    let unknown = try ask(site, "press", "k", "og")
    #expect(unknown.code == 1 && unknown.errors.contains("did you mean go?"))
    #expect(try ask(site, "dismiss", "edited/k").code == 0)
    _ = try program.event("alert") { $0.text("state") == "dismissed" }
    let none = try ask(site, "alerts")
    #expect(none.code == 3 && none.lines == ["no alert is up"])
    let gone = try ask(site, "dismiss", "k")
    #expect(gone.code == 1 && gone.errors.contains("none else is up"))
    try program.end()
    let nobody = try ask(site, "alerts")
    #expect(nobody.code == 2 && nobody.errors.contains("no daemon answers"))
  }

  @Test func `the next run takes over what a killed one left, and leaves a live one alone`() throws
  {
    let site = try Site(policies: ["status-border"])
    let first = try run(site)
    let second = try run(site)
    let gap = second.lines.compactMap { Report($0) }.first { $0.kind == "gap" }
    #expect(gap?.text("detail").hasPrefix("another netvane answers at ") == true)
    try second.end()
    #expect(try ask(site, "status").lines.contains { $0.contains("process \(first.process),") })
    first.send(SIGKILL)
    #expect(try first.exit(seconds: 5) == 128 + SIGKILL)
    let without = try ask(site, "status")
    #expect(without.code == 2 && without.errors.contains("no daemon answers"), "\(without)")
    let third = try run(site, "--dry-run")
    #expect(!third.lines.contains { $0.contains("\"gap\"") })
    #expect(try ask(site, "status").lines.contains { $0.contains("process \(third.process),") })
    try third.end()
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
  func `another user is told that the daemon is not theirs, and gets the kernel's view`() throws {
    let site = try Site(policies: ["status-border"])
    // Where everybody's commands look.
    let place = "/run/netvane/control"
    try FileManager.default.createDirectory(
      atPath: "/run/netvane", withIntermediateDirectories: true)
    let program = try site.run("--control", place)
    _ = try program.event("path")
    // The program may be where only root can go.
    let copy = "/run/netvane-copy"
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: Program.path, toPath: copy)
    func asOther(_ words: [String]) throws -> Program {
      let program = try Program(
        words,
        launcher: [
          "setpriv", "--reuid", "65534", "--clear-groups", "sh", "-c", "shift; exec \(copy) \"$@\"",
          "sh",
        ])
      _ = try program.exit(seconds: 10)
      return program
    }
    let status = try asOther(["status"])
    #expect(status.lines.first == "status       satisfied", "\(status.lines) \(status.errors)")
    #expect(status.lines.last?.contains("does not answer user 65534") == true)
    for words in [["alerts"], ["alerts", "--control", place], ["status", "--control", place]] {
      let told = try asOther(words)
      #expect(try told.exit(seconds: 1) == 2)
      #expect(told.errors.contains("ask as the user that runs it, or as root"), "\(words)")
    }
    try program.end()
  }

  @Test func `after a question nothing wakes it, and no descriptor is left`() throws {
    let site = try Site(policies: ["status-border"])
    let program = try run(site)
    // The first question opens what the others need.
    _ = try ask(site, "status")
    let before = try program.descriptors()
    for _ in 0..<10 { #expect(try ask(site, "alerts").code == 3) }
    #expect(site.lab.polls { (try? program.descriptors()) == before })
    var rested = false
    for _ in 0..<3 where !rested {
      program.passBy()
      let switches = try program.switches()
      #expect(program.next(seconds: 3) { _ in true } == nil)
      rested = try switches == program.switches()
    }
    #expect(rested)
    try program.end()
  }

  @Test(arguments: [false, true])
  func `without a descriptor left it turns questions away at rest, and answers later`(
    wasAsked: Bool
  ) throws {
    let site = try Site(policies: ["status-border"])
    let program = try run(site)
    if wasAsked { #expect(try ask(site, "alerts").code == 3) }
    // The connection before may still be open, and its descriptor come free. On a busy machine a
    // question may come too late to be told why, but none is left without an end.
    var refused = (code: Int32(0), lines: [String](), errors: ""), isForgotten = false
    #expect(
      site.lab.polls {
        try? program.limitFiles(to: program.lowestFree())
        if let answer = try? ask(site, "alerts") { refused = answer }
        if refused.errors.contains("did not answer") { isForgotten = true }
        return refused.code == 2 && refused.errors.contains("no descriptor left")
      }, "\(refused)")
    #expect(!isForgotten, "it was heard only when it had given up")
    let before = try program.ticks()
    usleep(500_000)
    #expect(try program.ticks() - before < 10)
    _ = try program.event("gap") { $0.text("detail").contains("no descriptor left") }
    try program.limitFiles(to: 256)
    let answered = try ask(site, "alerts")
    // It read its files meanwhile, or could not.
    #expect([0, 3].contains(answered.code) && answered.errors == "", "\(answered)")
    try program.end()
  }

  @Test func `a lost socket is made anew by hand`() throws {
    let site = try Site(policies: ["status-border"])
    let program = try run(site)
    #expect(unlink(control(site)) == 0)
    #expect(try ask(site, "alerts").code == 2)
    program.send(SIGHUP)
    _ = try program.event("reload")
    #expect(try ask(site, "alerts").code == 3)
    try program.end()
    #expect(access(control(site), F_OK) != 0)
  }

  @Test func `a press that fails, and one that nobody can be told of, are no success`() throws {
    let site = try Site()
    try site.write(
      "edited", Self.banner.replacing("ctx.publish(\"pressed\", ev.button)", with: "error 'bang'"))
    let program = try run(site)
    let pressed = try ask(site, "press", "k", "go")
    #expect(pressed.code == 1)
    #expect(pressed.lines.contains { $0.contains("edited.lua:5: bang") }, "\(pressed)")
    for word in ["alerts", "status"] {
      let full = try Program(
        [word, "--control", control(site)],
        launcher: ["sh", "-c", "exec \"$@\" >/dev/full", "sh"])
      #expect(try full.exit(seconds: 10) == 4)
    }
    try program.end()
  }

  @Test func `what the daemon needs for answers is opened at the first question alone`() throws {
    let site = try Site(policies: ["status-border"])
    let program = try run(site)
    #expect(program.maps("libsystemd"))
    #expect(!program.maps("libmicrohttpd") && !program.maps("libgnutls"))
    _ = try ask(site, "status")
    #expect(program.maps("libmicrohttpd"))
    try program.end()
  }
}

extension Program {
  fileprivate func lowestFree() throws -> Int {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
    return (0...).first { !open.contains(String($0)) } ?? 0
  }

  /// The soft limit on descriptors, prlimit(1).
  fileprivate func limitFiles(to count: Int) throws {
    let tool = try Process.run(
      URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid=\(process)", "--nofile=\(count):"])
    tool.waitUntilExit()
    #expect(tool.terminationStatus == 0)
  }

  /// Processor time used, in hundredths of a second, proc_pid_stat(5).
  fileprivate func ticks() throws -> Int {
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
  }

  fileprivate func descriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  /// Whether a file with this in its name is mapped, proc_pid_maps(5).
  fileprivate func maps(_ name: String) -> Bool {
    // It has no size, and comes in pieces.
    let handle = FileHandle(forReadingAtPath: "/proc/\(process)/maps")
    var bytes = Data()
    while let piece = try? handle?.read(upToCount: 65_536), !piece.isEmpty { bytes += piece }
    return String(decoding: bytes, as: UTF8.self).contains(name)
  }

  /// How often it slept and was woken, proc_pid_status(5).
  fileprivate func switches() throws -> String {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }.joined()
  }
}
