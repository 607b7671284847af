import Foundation
import Glibc
import PathCore
import PathDaemon
import PathKernel
import PathPolicy
import Synchronization
import Testing

extension KernelTests {
  /// What once was told minutes late, with the program as people run it.
  @Suite struct Late {}
}

extension KernelTests.Late {
  private static let policy = """
    local p = { api = 1, settle = "0s" }
    function p.on_path(ctx, ev) ctx.publish("verdict", ev.status) end
    return p
    """

  /// The seconds until a policy is told of a path that is as wanted.
  private func time(
    _ program: Program, _ isWanted: (Report) -> Bool, after make: () throws -> Void
  ) throws -> TimeInterval {
    try make()
    let start = Date()
    _ = try program.event("path", seconds: 5, isWanted)
    return Date().timeIntervalSince(start)
  }

  @Test func `a policy is told at once of the route to a tunnel's server, and of its end`() throws {
    let site = try Site()
    try site.write("told", Self.policy)
    try site.lab.ip("route del default")
    let tun = try TunDevice("tun0")
    defer { tun.detach() }
    try site.lab.ip(
      """
      address add 10.8.0.2/24 dev tun0
      link set tun0 up
      route add default dev tun0
      """)
    let program = try site.run()
    _ = try program.event("path") { $0.text("reason") == "noUnderlay" }
    for round in 0..<2 {
      let came = try time(program, { $0.text("status") == "satisfied" }) {
        try site.lab.ip("route add 203.0.113.7 via 192.0.2.1 dev eth0")
      }
      #expect(came < 1, "\(round)")
      let went = try time(program, { $0.text("reason") == "noUnderlay" }) {
        try site.lab.ip("route del 203.0.113.7 via 192.0.2.1 dev eth0")
      }
      #expect(went < 1, "\(round)")
    }
    try program.end()
  }

  @Test func `a resolv.conf that is mounted over, rewritten and unmounted is a change of DNS`()
    throws
  {
    let site = try Site()
    try site.write("told", Self.policy)
    let other = "\(site.folder)/mounted"
    func put(_ text: String) throws {
      try "\(text)\n".write(toFile: other, atomically: false, encoding: .utf8)
    }
    let mounts = try Mounts()
    defer { mounts.end() }
    try mounts.mount("# nobody", "\(site.folder)/base")
    let program = try site.run()
    _ = try program.event("path")
    try put("nameserver 192.0.2.53")
    let isDNS = { (report: Report) in report.texts("changed").contains("dns") }
    #expect(try time(program, isDNS) { try mounts.mount(other) } < 1)
    #expect(try time(program, isDNS) { try put("# nobody") } < 1)
    #expect(try time(program, isDNS) { try put("nameserver 192.0.2.54") } < 1)
    #expect(try time(program, isDNS) { mounts.unmount() } < 1)
    try program.end()
  }

  @Test func `netlink refused at the start is told, is in the status, and is tried again`() throws {
    let site = try Site()
    try site.write("told", Self.policy)
    let socket = "\(site.folder)/run/control"
    let life = RefusedLife()
    let config = site.config
    let policies = site.policies
    Thread { life.run(policies, config, socket) }.start()
    defer { life.end() }
    #expect(site.lab.polls { life.gaps.contains { $0.contains("open a netlink socket") } })
    #expect(site.lab.polls { life.verdicts.last == "requiresConnection" }, "\(life.verdicts)")
    let status = try Program.run("status", "--control", socket)
    #expect(status.lines.contains { $0.contains("open a netlink socket") }, "\(status)")
    life.allow()
    #expect(site.lab.polls { life.verdicts.last == "satisfied" }, "\(life.verdicts)")
    #expect(life.gaps.last?.contains("netlink can be had again") == true, "\(life.gaps)")
    let after = try Program.run("status", "--control", socket)
    #expect(!after.lines.contains { $0.contains("netlink") }, "\(after)")
  }
}

/// Files mounted over this namespace's resolv.conf.
struct Mounts {
  private static let target = "/etc/resolv.conf"

  init() throws {
    guard Lab.isWanted else { throw Lab.Failure(description: "not in a namespace of its own") }
  }

  func mount(_ text: String, _ file: String) throws {
    try "\(text)\n".write(toFile: file, atomically: false, encoding: .utf8)
    try mount(file)
  }

  func mount(_ file: String) throws {
    guard Glibc.mount(file, Self.target, nil, UInt(MS_BIND), nil) == 0 else {
      throw KernelError("mount")
    }
  }

  func unmount() { umount2(Self.target, 0) }

  /// However many are left.
  func end() { while umount2(Self.target, 0) == 0 {} }
}

/// A daemon in a thread of its own, to which netlink is refused until it is allowed.
private final class RefusedLife: DaemonDelegate, Sendable {
  private struct Heard {
    var gaps: [String] = []
    var verdicts: [String] = []
    var isRefused = true
    var isOver = false
    var hasEnded = false
  }

  private let heard = Mutex(Heard())

  var gaps: [String] { heard.withLock { $0.gaps } }
  var verdicts: [String] { heard.withLock { $0.verdicts } }

  func allow() { heard.withLock { $0.isRefused = false } }

  /// Waits for the thread, so that the next test has the namespace to itself.
  func end() {
    heard.withLock { $0.isOver = true }
    for _ in 0..<2000 where !heard.withLock({ $0.hasEnded }) { poll(nil, 0, 1) }
  }

  func run(_ policies: String, _ config: String, _ socket: String) {
    defer { heard.withLock { $0.hasEnded = true } }
    do {
      var settings = DaemonSettings(
        scripts: try PolicyDirectory(reading: policies).scripts,
        configuration: try ConfigurationReader.read(config), version: "test")
      settings.state = "none"
      settings.control = socket
      let daemon = try Daemon(settings: settings, delegate: self) { [self] call in
        call == .open && heard.withLock { $0.isRefused } ? EAFNOSUPPORT : nil
      }
      _ = try daemon.run()
    } catch {
      heard.withLock { $0.gaps.append("it failed: \(error)") }
    }
  }

  func input(_ line: String) -> [Fact] { [] }

  func report(_ report: PathDaemon.Report, at time: WallTime) -> Bool {
    heard.withLock { heard in
      switch report {
      case .gap(let detail): heard.gaps.append(detail)
      case .publish(let notice):
        heard.verdicts.append(notice.value.flatMap { PlainReader.decode($0)?.text } ?? "?")
      default: break
      }
      return !heard.isOver
    }
  }
}
