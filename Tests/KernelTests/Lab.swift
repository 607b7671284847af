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
  func batch(_ lines: [String]) throws {
    try Self.run(["-batch", "-"], input: lines.joined(separator: "\n") + "\n")
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
      for table in ["main", "100", "51820"] { try? run([family, "route", "flush", "table", table]) }
    }
    try run(["nexthop", "flush"])
    try run(["link", "set", "lo", "up"])
    for (name, value) in [
      ("ipv4/nexthop_compat_mode", "1"), ("ipv4/conf/all/ignore_routes_with_linkdown", "0"),
    ] {
      try value.write(toFile: "/proc/sys/net/\(name)", atomically: false, encoding: .utf8)
    }
  }

  private static func run(_ arguments: [String], input: String? = nil) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/ip")
    process.arguments = arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    let feed = Pipe()
    if input != nil { process.standardInput = feed }
    try process.run()
    if let input {
      feed.fileHandleForWriting.write(Data(input.utf8))
      try feed.fileHandleForWriting.close()
    }
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      let words = String(decoding: text, as: UTF8.self)
      throw Failure(description: "ip \(arguments.joined(separator: " ")): \(words)")
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
