import Foundation
import Glibc
import PathCore
import PathKernel
import Testing

/// A small network in the namespace that the whole test process runs in, with the far ends of its
/// cables in another one. Refuses to work where it could touch a real machine's links.
struct Lab {
  /// Whether this process was started in a namespace of its own for these tests.
  static let isWanted = ProcessInfo.processInfo.environment["NETVANE_KERNEL_TESTS"] == "1"
  private static let far = "far"

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Starts from nothing but `lo`.
  init() throws {
    guard Self.isWanted else { throw Failure(description: "not in a namespace of its own") }
    try Self.clear()
    try Self.run(["netns", "add", Self.far])
    // The two ends of a veth pair get different indexes only if the far side has one link more.
    try ip(
      """
      -n far link add spare type veth peer name spare2
      -n far link set lo up
      """)
  }

  /// Runs lines of `ip -batch`; a line may begin with `-n far` or `-6`.
  func ip(_ lines: String) throws {
    for line in lines.split(separator: "\n") {
      try Self.run(line.split(separator: " ").map(String.init))
    }
  }

  /// Many commands in one process.
  func batch(_ lines: [String], options: [String] = []) throws {
    let path = "/run/netvane-lab.batch"
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: path, atomically: false, encoding: .utf8)
    try Self.run(options + ["-batch", path])
  }

  /// A cable: `name` here, `name` with a p behind it on the far side.
  func wire(_ name: String, _ addresses: [String] = [], farAddresses: [String] = []) throws {
    var lines = [
      "link add \(name) type veth peer name \(name)p netns \(Self.far)",
      "-n \(Self.far) link set \(name)p up", "link set \(name) up",
    ]
    lines += addresses.map { "address add \($0) dev \(name)" + Self.noDetection($0) }
    lines += farAddresses.map {
      "-n \(Self.far) address add \($0) dev \(name)p" + Self.noDetection($0)
    }
    try ip(lines.joined(separator: "\n"))
  }

  private static func noDetection(_ address: String) -> String {
    address.contains(":") ? " nodad" : ""
  }

  /// Pulls the cable, or puts it back.
  func setCarrier(_ name: String, _ isUp: Bool) throws {
    try ip("-n \(Self.far) link set \(name)p \(isUp ? "up" : "down")")
  }

  func sysctl(_ name: String, _ value: Int) throws {
    try "\(value)\n".write(
      toFile: "/proc/sys/net/\(name)", atomically: false, encoding: .utf8)
  }

  func index(_ name: String) -> Int32 { Int32(if_nametoindex(name)) }

  /// Every link here is a wired device, as the configuration can say.
  var settings: KernelSettings {
    var settings = KernelSettings()
    settings.interfaces = [
      InterfaceRule("eth*", type: .wired), InterfaceRule("wlan*", type: .wifi),
      InterfaceRule("wwan*", type: .cellular),
    ]
    settings.resolverPath = "/nonexistent/resolv.conf"
    return settings
  }

  func reader(_ change: (inout KernelSettings) -> Void = { _ in }) throws -> KernelReader {
    var settings = settings
    change(&settings)
    return try KernelReader(settings: settings)
  }

  /// Follows the events until the snapshot is as wanted; returns the last one in any case.
  func wait(
    _ reader: KernelReader, seconds: Double = 3, _ isReached: (Snapshot) -> Bool
  ) -> Snapshot {
    let end = Date(timeIntervalSinceNow: seconds)
    _ = reader.drain()
    var snapshot = reader.snapshot()
    while !isReached(snapshot) {
      let left = end.timeIntervalSinceNow
      guard left > 0 else { break }
      var poll = pollfd(fd: reader.eventDescriptor, events: Int16(POLLIN), revents: 0)
      Glibc.poll(&poll, 1, Int32(left * 1000) + 1)
      if reader.drain() != .nothing { snapshot = reader.snapshot() }
    }
    return snapshot
  }

  /// Asks again and again until it is so; for what nothing tells of.
  func polls(seconds: Double = 10, _ isSo: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !isSo() {
      guard end.timeIntervalSinceNow > 0 else { return false }
      Glibc.poll(nil, 0, 5)
    }
    return true
  }

  /// Waits until the link carries, as seen by the kernel's events.
  func ready(_ reader: KernelReader, _ names: String...) -> Snapshot {
    wait(reader) { snapshot in
      names.allSatisfy { snapshot.named($0)?.linkState == .usable }
    }
  }

  private static func clear() throws {
    if FileManager.default.fileExists(atPath: "/run/netns/\(far)") {
      try run(["netns", "del", far])
    }
    var names: [String] = []
    let list = if_nameindex()
    var entry = list
    while let name = entry?.pointee.if_name {
      names.append(String(cString: name))
      entry = entry?.advanced(by: 1)
    }
    if_freenameindex(list)
    for name in names where name != "lo" {
      // The other end of a pair goes with the first.
      if if_nametoindex(name) != 0 { try? run(["link", "del", name]) }
    }
    for family in ["-4", "-6"] {
      try run([family, "rule", "flush"])
      try? run([family, "rule", "add", "pref", "0", "table", "local"])
      try run([family, "rule", "add", "pref", "32766", "table", "main"])
      for table in ["main", "77", "100", "200", "51820"] {
        try? run([family, "route", "flush", "table", table])
      }
    }
    try run(["nexthop", "flush"])
    // Taking it down and up restores the loopback's own addresses.
    try run(["address", "flush", "dev", "lo"])
    try run(["link", "set", "lo", "down"])
    try run(["link", "set", "lo", "up"])
    try? run(["address", "add", "127.0.0.1/8", "dev", "lo"])
    for (name, value) in [
      ("ipv4/nexthop_compat_mode", "1"), ("ipv4/conf/all/ignore_routes_with_linkdown", "0"),
      ("ipv4/conf/default/ignore_routes_with_linkdown", "0"),
      ("ipv6/conf/all/ignore_routes_with_linkdown", "0"),
      ("ipv6/conf/default/ignore_routes_with_linkdown", "0"),
    ] {
      try value.write(toFile: "/proc/sys/net/\(name)", atomically: false, encoding: .utf8)
    }
  }

  /// posix_spawn(3) and a plain wait: Foundation's Process was seen to miss the end of a child
  /// here.
  private static func run(_ arguments: [String]) throws {
    let words = ["ip"] + arguments
    var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw KernelError("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var child: pid_t = 0
    let path = access("/usr/sbin/ip", X_OK) == 0 ? "/usr/sbin/ip" : "/sbin/ip"
    let failure = posix_spawn(&child, path, &actions, nil, &argv, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard failure == 0 else { throw KernelError("start ip", code: failure) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let length = read(ends[0], &buffer, buffer.count)
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { break }
      text += buffer[..<length]
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    if status != 0 {
      let said = String(decoding: text, as: UTF8.self)
      throw Failure(description: "ip \(arguments.joined(separator: " ")): \(said)")
    }
  }
}

extension Snapshot {
  func named(_ name: String) -> Interface? { interfaces.first { $0.name == name } }
}

extension Lookup {
  /// The indexes that the answer leaves by, best first; empty for any other outcome.
  var exits: [Int32] { answer?.hops.map(\.interface) ?? [] }
  var gateways: [String] { answer?.hops.compactMap { $0.gateway?.description } ?? [] }
}
