import Foundation
import Glibc
import PathCore
import Testing

extension KernelTests {
  /// The program itself, on the real kernel.
  @Suite struct Daemon {}
}

extension KernelTests.Daemon {
  @Test func `a pulled cable raises an alert after the grace, and its return says so`() throws {
    let site = try Site(policies: ["reconnect-banner", "offline-popup", "status-border"])
    try site.configure(#"policies = { ["reconnect-banner"] = { grace = "700ms" } },"#)
    try site.lab.wire("wlan0")
    let program = try site.run()
    let ready = try program.event("ready")
    #expect(ready.values["policies"] as? Int == 3)
    let first = try program.event("path") { $0.text("policy") == "reconnect-banner" }
    #expect(first.text("status") == "satisfied")
    #expect(first.text("interface") == "eth0")
    #expect(first.text("type") == "wired")
    #expect(first.text("why").contains("eth0"))
    #expect(first.values["initial"] as? Bool == true)

    let pulled = Date()
    try site.lab.setCarrier("eth0", false)
    let raised = try program.event("alert") { $0.text("policy") == "reconnect-banner" }
    #expect(Date().timeIntervalSince(pulled) >= 0.7)
    #expect(raised.text("title") == "Not connected")
    #expect(raised.text("body").contains("no carrier"))
    #expect(raised.text("state") == "raised")

    try site.lab.setCarrier("eth0", true)
    let back = try program.event("alert") { $0.text("policy") == "reconnect-banner" }
    #expect(back.text("title") == "Back online")
    #expect(back.text("state") == "updated")
    try program.end()

    let reports = program.lines.map { Report($0) }
    #expect(reports.allSatisfy { $0?.isDocumented ?? false }, "\(program.lines)")
    let published = reports.compactMap { report -> String? in
      guard let report, report.kind == "publish", report.text("name") == "color" else { return nil }
      return report.text("value")
    }
    #expect(published == ["gray", "green", "red", "green"])
    let why = reports.compactMap { $0?.kind == "path" ? $0?.text("reason") : nil }
    #expect(why.contains(PathReason.deadDefaultRoute.rawValue))
  }

  @Test func `Ctrl-C ends it as SIGTERM does`() throws {
    let program = try Site(policies: ["status-border"]).runToVerdict()
    try program.end(SIGINT)
  }

  @Test func `editing a policy's grace changes what happens, with no compiling`() throws {
    let site = try Site()
    for (grace, soonest, latest) in [("1500ms", 1.5, 10), ("100ms", 0.1, 1.4)] {
      try site.copy(
        "reconnect-banner", replacing: #"grace = "2s""#, with: #"grace = "\#(grace)""#)
      let program = try site.runToVerdict()
      let pulled = Date()
      try site.lab.setCarrier("eth0", false)
      _ = try program.event("alert")
      let took = Date().timeIntervalSince(pulled)
      #expect(took >= soonest && took < latest, "\(grace): \(took) s")
      try program.end()
      try site.lab.setCarrier("eth0", true)
    }
  }

  @Test func `a broken policy is turned away by name and line while the others run`() throws {
    let site = try Site(policies: ["status-border"])
    try site.write("broken", "return {\n  api = 1,\n  on_paht = function() end,\n}\n")
    try site.write("typo", "return {\n  api = 1,\n  then\n}\n")
    let program = try site.run()
    var rejected: [String: String] = [:]
    for _ in 0..<2 {
      let report = try program.event("policy") { $0.text("state") == "rejected" }
      rejected[report.text("policy")] = report.text("detail")
    }
    #expect(rejected["broken"]?.contains("broken.lua:3") == true, "\(rejected)")
    #expect(rejected["broken"]?.contains("on_path") == true, "\(rejected)")
    #expect(rejected["typo"]?.contains("typo.lua:3") == true, "\(rejected)")
    #expect(try program.event("ready").values["policies"] as? Int == 1)
    #expect(try program.event("path").text("policy") == "status-border")
    try program.end()
    #expect(program.lines.allSatisfy { Report($0)?.isDocumented ?? false }, "\(program.lines)")
  }

  @Test func `a policy that hangs is a fault, and the others are served`() throws {
    let site = try Site(policies: ["status-border"])
    try site.write(
      "hung",
      """
      return {
        api = 1,
        on_path = function(ctx, ev)
          while true do end
        end,
      }
      """)
    let program = try site.run()
    let fault = try program.event("fault")
    #expect(fault.text("policy") == "hung")
    #expect(fault.text("handler") == "on_path")
    #expect(fault.text("file").hasSuffix("hung.lua"))
    #expect(fault.values["line"] as? Int == 4)
    _ = try program.event("publish") { $0.text("value") == "green" }
    try site.lab.ip("route del default")
    _ = try program.event("publish") { $0.text("value") == "red" }
    try program.end()
  }

  @Test func `a reader that goes away ends it with an exit code, not a signal`() throws {
    let site = try Site(policies: ["status-border"])
    let program = try site.runToVerdict()
    program.closeOutput()
    try site.lab.ip("route del default")
    #expect(try program.exit(seconds: 5) == 4)
    #expect(program.errors == "")
  }

  @Test func `a reader that does not read cannot keep it from ending`() throws {
    let site = try Site()
    try site.write(
      "chatty",
      """
      return {
        api = 1,
        settle = "0s",
        on_path = function(ctx)
          for _ = 1, 5 do ctx.log(("x"):rep(4000)) end
        end,
      }
      """)
    let program = try Program(
      ["run", "--json", site.policies, "--config", site.config, "--state", "none"], room: 4096)
    _ = try program.event("path")
    // Whether it waits already or is about to: more is to be said than there is room for.
    program.send(SIGTERM)
    #expect(try program.exit(seconds: 2, isReading: false) == 1)
  }

  @Test func `reports to a closed output do not go into the next thing opened`() throws {
    let site = try Site(policies: ["status-border"])
    let place = "\(site.folder)/trace"
    let program = try site.run(
      "--record", place, launcher: ["sh", "-c", #"exec "$@" >&- <&-"#, "sh"])
    let isJudged = site.lab.polls {
      (try? String(contentsOfFile: place, encoding: .utf8))?.contains("\"snapshot\"") ?? false
    }
    #expect(isJudged)
    // Seen: the kernel's event socket was number 1, and was sent every report.
    for stream in 0...1 {
      let target = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(program.process)/fd/\(stream)")
      #expect(target == "/dev/null")
    }
    try program.end()
  }

  @Test func `where nothing can be watched the verdict is still known`() throws {
    let site = try Site(policies: ["status-border"])
    // A user namespace with a limit of its own: this one gets no inotify instance.
    let program = try site.run(
      launcher: [
        "unshare", "-r", "sh", "-c",
        "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$@\"", "sh",
      ])
    #expect(try program.event("path").text("status") == "satisfied")
    try program.end()
  }

  @Test func `other name servers are a change of DNS`() throws {
    let site = try Site(policies: ["status-border"])
    try site.write("dns", "return { api = 1, settle = \"0s\", on_path = function() end }\n")
    // An /etc of its own, that only this one sees.
    let program = try site.run(
      launcher: [
        "unshare", "-m", "sh", "-c",
        "mount -t tmpfs tmpfs /etc && echo nameserver 192.0.2.53 >/etc/resolv.conf && exec \"$@\"",
        "sh",
      ])
    _ = try program.event("path") { $0.text("policy") == "dns" }
    let etc = "/proc/\(program.process)/root/etc"
    // As programs do it that manage the file: a new one, or a link elsewhere, takes its place.
    try "".write(toFile: "\(etc)/next", atomically: false, encoding: .utf8)
    rename("\(etc)/next", "\(etc)/resolv.conf")
    let gone = try program.event("path") { $0.text("policy") == "dns" }
    #expect(gone.texts("changed") == ["dns"])
    try "nameserver 192.0.2.54\n".write(
      toFile: "\(etc)/stub.conf", atomically: false, encoding: .utf8)
    symlink("stub.conf", "\(etc)/next")
    rename("\(etc)/next", "\(etc)/resolv.conf")
    let back = try program.event("path") { $0.text("policy") == "dns" }
    #expect(back.texts("changed") == ["dns"])
    try program.end()
  }

  @Test func `it needs no rights`() throws {
    let site = try Site(policies: ["status-border"])
    var launcher = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    // In a namespace that somebody else than root made there is only one user.
    let map = try String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)
    let users = map.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    if users.count == 3, users[2] > 65_534 {
      launcher += ["--reuid=65534", "--regid=65534", "--clear-groups"]
    }
    let program = try site.run(launcher: launcher)
    let path = try program.event("path")
    #expect(path.text("status") == "satisfied")
    let status = try String(contentsOfFile: "/proc/\(program.process)/status", encoding: .utf8)
    #expect(status.contains("CapEff:\t0000000000000000"))
    try site.lab.ip("route del default")
    _ = try program.event("path") { $0.text("status") == "unsatisfied" }
    try program.end()
  }

  @Test func `the service manager hears when it is ready and when it ends`() throws {
    let site = try Site(policies: ["status-border"])
    let place = "\(site.folder)/notify"
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: place.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    func message() -> String {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 10_000) > 0 else { return "nothing" }
      let text = String(decoding: bytes[..<max(0, recv(socket, &bytes, 4096, 0))], as: UTF8.self)
      // How the network is may be said at any time.
      return text.hasPrefix("STATUS=") ? message() : text
    }
    let program = try site.run(environment: ["NOTIFY_SOCKET": place])
    #expect(message().contains("READY=1"))
    program.send(SIGTERM)
    #expect(message().contains("STOPPING=1"))
    #expect(try program.exit(seconds: 1) == 0)
  }

  @Test func `at rest nothing wakes it`() throws {
    let site = try Site(policies: ["reconnect-banner", "offline-popup", "status-border"])
    let program = try site.runToVerdict()
    func switches() throws -> String {
      let status = try String(contentsOfFile: "/proc/\(program.process)/status", encoding: .utf8)
      return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }.joined()
    }
    // Link-local addresses are checked for two seconds, on both sides of the cable.
    let reader = try site.lab.reader()
    _ = site.lab.wait(reader, seconds: 5) { snapshot in
      snapshot.named("eth0")?.addresses.contains { $0.address.isLinkLocal && !$0.isPending }
        ?? false
    }
    var rested = false
    for _ in 0..<3 where !rested {
      let before = try switches()
      _ = program.next(seconds: 0) { _ in false }
      #expect(program.next(seconds: 3) { _ in true } == nil)
      rested = try before == switches()
    }
    #expect(rested)
    try program.end()
  }
}
