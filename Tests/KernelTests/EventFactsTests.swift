import Glibc
import PathCore
import PathKernel
import Testing

extension KernelTests {
  /// What the events of a real kernel do to the reader.
  @Suite struct EventFacts {}
}

extension KernelTests.EventFacts {
  @Test("A storm of foreign routes is dropped by the kernel, and a default in its midst is seen")
  func foreignRoutes() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24", "2001:db8::10/64"])
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    _ = lab.wait(reader, seconds: 0.3) { _ in false }
    let before = reader.counters
    try lab.batch((0..<2000).map { "route add 10.\($0 / 250).\($0 % 250).0/24 via 192.0.2.1" })
    try lab.batch(
      (0..<200).map { "-6 route add 2001:db8:\(String($0 + 16, radix: 16))::/48 via 2001:db8::1" }
        .map { String($0.dropFirst(3)) })
    #expect(reader.drain() == .nothing)
    #expect(reader.counters.messages == before.messages)
    try lab.batch(["route add default via 192.0.2.1"])
    try lab.batch((0..<2000).map { "route del 10.\($0 / 250).\($0 % 250).0/24" })
    #expect(reader.drain() == .changed(.route))
    #expect(reader.counters.messages == before.messages + 1)
    #expect(reader.snapshot().ipv4.exits == [lab.index("eth0")])
    #expect(reader.counters.overruns == 0)
  }

  @Test("Routes that cover the lookup address are let through whatever their length")
  func coveringRoutes() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24", "2001:db8::10/64"])
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    for prefix in ["198.41.0.4/32", "198.41.0.0/17", "128.0.0.0/1", "192.0.0.0/3"] {
      _ = reader.drain()
      try lab.ip("route add \(prefix) via 192.0.2.1")
      #expect(reader.drain() == .changed(.route), "\(prefix)")
    }
    for prefix in [
      "2001:503:ba3e::2:30/128", "2001:503:ba3e::/48", "2000::/3", "2001:503:b000::/36",
    ] {
      _ = reader.drain()
      try lab.ip("-6 route add \(prefix) via 2001:db8::1")
      #expect(reader.drain() == .changed(.route), "\(prefix)")
    }
    for prefix in ["198.41.0.5/32", "64.0.0.0/2", "198.40.0.0/16"] {
      _ = reader.drain()
      try lab.ip("route add \(prefix) via 192.0.2.1")
      #expect(reader.drain() == .nothing, "\(prefix)")
    }
  }

  @Test("Neighbours other than the gateway are not heard of")
  func foreignNeighbours() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24", "2001:db8::10/64"], farAddresses: ["192.0.2.1/24"])
    try lab.ip("route add default via 192.0.2.1\n-6 route add default via fe80::1 dev eth0")
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    _ = lab.wait(reader, seconds: 0.3) { _ in false }
    let before = reader.counters.messages
    try lab.batch(
      (2..<200).map { "neighbour replace 192.0.2.\($0) lladdr 02:00:5e:00:53:01 dev eth0" })
    #expect(reader.drain() == .nothing)
    #expect(reader.counters.messages == before)
    try lab.ip("-6 neighbour replace fe80::1 lladdr 02:00:5e:00:53:07 dev eth0")
    #expect(reader.drain() == .changed(.neighbour))
    #expect(reader.snapshot().gatewayHardware.map(\.address).contains("02:00:5e:00:53:07"))
  }

  @Test("N-01: an overrun is told once, and the next snapshot is the truth")
  func overrun() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1")
    let reader = try lab.reader { $0.receiveBufferBytes = 4096 }
    #expect(!lab.ready(reader, "eth0").ipv4.exits.isEmpty)
    _ = reader.drain()
    var lines = (0..<5000).map { "address add 10.\($0 / 250).\($0 % 250).1/32 dev lo" }
    lines.insert("route del default", at: 2500)
    try lab.batch(lines)
    guard case .lost(let words) = reader.drain() else {
      Issue.record("no loss was told")
      return
    }
    #expect(words.contains("queue"))
    let snapshot = reader.snapshot()
    #expect(snapshot.ipv4 == .noRoute)
    #expect(snapshot.unavailable == nil)
    #expect(snapshot.named("lo")?.addresses.count ?? 0 >= 5000)
    // Duplicate detection on eth0 may end by now; nothing else is left to hear of.
    if case .lost = reader.drain() { Issue.record("the loss was told twice") }
    #expect(reader.counters.overruns == 1)
    #expect(!reader.reconcile())
  }

  @Test("M-04: a refreshed lifetime is no news")
  func lifetimes() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["2001:db8::10/64"])
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    _ = lab.wait(reader, seconds: 0.3) { _ in false }
    let before = reader.counters.ignoredUnchanged
    try lab.ip("-6 address change 2001:db8::10/64 dev eth0 valid_lft 3600 preferred_lft 1800 nodad")
    #expect(reader.drain() == .nothing)
    #expect(reader.counters.ignoredUnchanged > before)
  }

  @Test("N-06: leaving a bridge is not leaving the machine, and its port gives it its type")
  func leavesBridge() throws {
    let lab = try Lab()
    try lab.wire("eth0", [])
    try lab.ip(
      """
      link add br0 type bridge
      link set br0 up
      address add 192.0.2.10/24 dev br0
      link set eth0 master br0
      """)
    let reader = try lab.reader()
    let bridged = lab.ready(reader, "br0")
    #expect(bridged.named("br0")?.bridgePorts == [lab.index("eth0")])
    #expect(bridged.named("br0")?.type == .wired)
    #expect(bridged.named("eth0")?.isPort == true)
    try lab.ip("link set eth0 nomaster")
    let left = lab.wait(reader) { $0.named("eth0")?.isPort == false }
    #expect(left.named("eth0")?.isPort == false)
    #expect(left.named("br0")?.bridgePorts == nil)
    #expect(left.named("br0")?.type == .other)
    #expect(reader.counters.ignoredFamily > 0)
    #expect(!reader.reconcile())
  }

  @Test("N-07: a renamed link keeps its index, and its name follows")
  func rename() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    let reader = try lab.reader()
    let before = lab.ready(reader, "eth0")
    try lab.ip(
      """
      -n far link set eth0p down
      -n far link set eth0p name keth0p
      -n far link set keth0p up
      link set eth0 down
      link set eth0 name keth0
      link set keth0 up
      """)
    try lab.wire("eth0", ["198.51.100.10/24"])
    let after = lab.ready(reader, "eth0")
    #expect(after.interfaces.count { $0.name == "eth0" } == 1)
    #expect(after.named("keth0")?.index == before.named("eth0")?.index)
    // No rule of the configuration fits the new name.
    #expect(after.named("keth0")?.isPhysical == false)
    #expect(!reader.reconcile())
  }

  @Test("N-12: alternative names come and go, long ones too")
  func alternativeNames() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    let long = "a-name-of-forty-characters-0123456789012"
    let reader = try lab.reader { $0.interfaces = [InterfaceRule("a-name-*", type: .cellular)] }
    #expect(lab.ready(reader, "eth0").named("eth0")?.type == .wired)
    try lab.ip("link property add dev eth0 altname enp6s0 altname \(long)")
    let named = lab.wait(reader) { $0.named("eth0")?.alternativeNames.count == 2 }
    #expect(named.named("eth0")?.alternativeNames.sorted() == [long, "enp6s0"])
    #expect(named.named("eth0")?.type == .cellular)
    #expect(named.named("eth0")?.cost == LinkCost(isExpensive: true, source: .type))
    try lab.ip("link property del dev eth0 altname \(long)")
    let less = lab.wait(reader) { $0.named("eth0")?.alternativeNames == ["enp6s0"] }
    #expect(less.named("eth0")?.alternativeNames == ["enp6s0"])
    #expect(less.named("eth0")?.type == .wired)
  }

  @Test("A deleted link is gone with its addresses, and a new one under its name is another")
  func deletion() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    let reader = try lab.reader()
    let old = lab.ready(reader, "eth0").named("eth0")
    try lab.ip("link del eth0")
    #expect(lab.wait(reader) { $0.named("eth0") == nil }.named("eth0") == nil)
    try lab.wire("eth0")
    let new = lab.ready(reader, "eth0").named("eth0")
    #expect(new?.index != old?.index)
    #expect(new?.addresses.contains { $0.address.family == .ipv4 } == false)
  }

  @Test("A thousand links are dumped, kept out of the snapshot and counted")
  func thousandLinks() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1\nlink add br0 type bridge\nlink set br0 up")
    try lab.batch(
      (0..<500).flatMap {
        [
          "link add va\($0) type veth peer name vb\($0)", "link set va\($0) master br0 group 7",
          "link set va\($0) up", "link set vb\($0) up",
        ]
      })
    let clock = ContinuousClock()
    let reader = try lab.reader()
    let first = clock.measure { _ = reader.snapshot() }
    let snapshot = lab.ready(reader, "eth0")
    var again = Duration.seconds(9)
    for _ in 0..<20 { again = min(again, clock.measure { _ = reader.snapshot() }) }
    print("1,000 links: first snapshot \(first), later ones \(again)")
    #expect(snapshot.interfaces.map(\.name) == ["lo", "eth0"])
    #expect(snapshot.ignoredLinks >= 1001)
    #expect(snapshot.ipv4.exits == [lab.index("eth0")])
    try lab.ip("link del group 7")
    _ = lab.wait(reader) { $0.ignoredLinks < 10 }
    #expect(!reader.reconcile())
    #expect(reader.counters.malformed == 0)
  }

  @Test("A snapshot of one usable interface is quick")
  func speed() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1")
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    let clock = ContinuousClock()
    var times = (0..<300).map { _ in clock.measure { _ = reader.snapshot() } }
    times.sort()
    print("one interface: median \(times[150]), p99 \(times[297])")
    #expect(times[150] < .milliseconds(2))
  }
}
