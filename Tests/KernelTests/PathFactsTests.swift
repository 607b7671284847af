import PathCore
import PathKernel
import Testing

/// What the kernel says in the situations that people reported (research/cases-open.md).
@Suite(.serialized, .enabled(if: Lab.isWanted))
struct KernelTests {}

extension KernelTests {
  @Suite struct PathFacts {}
}

extension KernelTests.PathFacts {
  @Test("A default through a cable answers bound and unbound, with the gateway's hardware address")
  func plainDefault() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"], farAddresses: ["192.0.2.1/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    let reader = try lab.reader()
    let snapshot = lab.ready(reader, "eth0")
    let eth0 = lab.index("eth0")
    #expect(snapshot.unavailable == nil)
    #expect(snapshot.ipv4.exits == [eth0])
    #expect(snapshot.ipv4.gateways == ["192.0.2.1"])
    #expect(snapshot.ipv4.answer?.table == 254)
    #expect(snapshot.ipv4.answer?.prefixLength == 0)
    #expect(snapshot.ipv6 == .noRoute)
    #expect(snapshot.named("eth0")?.ipv4?.exits == [eth0])
    #expect(snapshot.named("eth0")?.ipv6 == .noRoute)
    #expect(snapshot.named("eth0")?.type == .wired)
    #expect(snapshot.named("lo")?.type == .loopback)

    try lab.ip("neighbour replace 192.0.2.1 lladdr 02:00:5e:00:53:01 dev eth0")
    let known = lab.wait(reader) { !$0.gatewayHardware.isEmpty }
    #expect(known.gatewayHardware.map(\.address) == ["02:00:5e:00:53:01"])
    try lab.ip("neighbour replace 192.0.2.1 lladdr 02:00:5e:00:53:02 dev eth0")
    let changed = lab.wait(reader) { $0.gatewayHardware.first?.address.hasSuffix("02") ?? false }
    #expect(changed.gatewayHardware.map(\.address) == ["02:00:5e:00:53:02"])
  }

  @Test("A route that returns brings who answers for its gateway now, not who did before")
  func gatewayAgain() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    let route = "route add default via 192.0.2.1 dev eth0"
    let neighbour = "neighbour replace 192.0.2.1 dev eth0 lladdr 02:00:5e:00:53:0"
    try lab.ip("\(route)\n\(neighbour)1")
    let reader = try lab.reader()
    #expect(lab.ready(reader, "eth0").gatewayHardware.map(\.address) == ["02:00:5e:00:53:01"])
    try lab.ip("route del default")
    #expect(lab.wait(reader) { $0.ipv4 == .noRoute }.gatewayHardware.isEmpty)
    try lab.ip("\(neighbour)2\n\(route)")
    let again = lab.wait(reader) { $0.ipv4 != .noRoute }
    #expect(again.gatewayHardware.map(\.address) == ["02:00:5e:00:53:02"])
    try lab.ip("\(neighbour)3")
    let changed = lab.wait(reader) { $0.gatewayHardware.first?.address.hasSuffix("3") ?? false }
    #expect(changed.gatewayHardware.map(\.address) == ["02:00:5e:00:53:03"])
  }

  @Test("P-01: switching a link off takes its routes away without a route message")
  func adminDown() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    let reader = try lab.reader()
    #expect(!lab.ready(reader, "eth0").ipv4.exits.isEmpty)
    try lab.ip("link set eth0 down")
    let after = lab.wait(reader) { $0.ipv4 == .noRoute }
    #expect(after.ipv4 == .noRoute)
    #expect(after.named("eth0")?.linkState == .switchedOff)
    #expect(after.named("eth0")?.ipv4 == nil)
  }

  @Test("P-02: a pulled cable is seen on the link, and its return needs no route message")
  func carrier() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.wire("wlan0", ["198.51.100.10/24"])
    try lab.ip(
      """
      route add default via 192.0.2.1 dev eth0 metric 100
      route add default via 198.51.100.1 dev wlan0 metric 600
      """)
    let reader = try lab.reader()
    let before = lab.ready(reader, "eth0", "wlan0")
    #expect(before.ipv4.exits == [lab.index("eth0")])
    #expect(before.named("wlan0")?.ipv4?.exits == [lab.index("wlan0")])
    #expect(before.named("wlan0")?.type == .wifi)
    try lab.setCarrier("eth0", false)
    let pulled = lab.wait(reader) { $0.named("eth0")?.linkState == .noCarrier }
    #expect(pulled.named("eth0")?.linkState == .noCarrier)
    #expect(pulled.ipv4.exits == [lab.index("eth0")])
    #expect(pulled.named("wlan0")?.ipv4?.exits == [lab.index("wlan0")])
    try lab.sysctl("ipv4/conf/all/ignore_routes_with_linkdown", 1)
    let ignored = lab.wait(reader) { $0.ipv4.exits == [lab.index("wlan0")] }
    #expect(ignored.ipv4.exits == [lab.index("wlan0")])
    try lab.setCarrier("eth0", true)
    let back = lab.wait(reader) { $0.ipv4.exits == [lab.index("eth0")] }
    #expect(back.ipv4.exits == [lab.index("eth0")])
  }

  @Test("Deleting the default is seen, and so is its return")
  func defaultDeleted() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    let reader = try lab.reader()
    #expect(!lab.ready(reader, "eth0").ipv4.exits.isEmpty)
    try lab.ip("route del default")
    let gone = lab.wait(reader) { $0.ipv4 == .noRoute }
    #expect(gone.ipv4 == .noRoute)
    #expect(gone.named("eth0")?.ipv4 == .noRoute)
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    #expect(lab.wait(reader) { !$0.ipv4.exits.isEmpty }.ipv4.gateways == ["192.0.2.1"])
  }

  @Test(
    "P-06: reject routes refuse, throw goes on",
    arguments: ["unreachable", "blackhole", "prohibit"])
  func reject(_ kind: String) throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24", "2001:db8::10/64"])
    try lab.ip(
      """
      route add default via 192.0.2.1 dev eth0
      -6 route add default via 2001:db8::1 dev eth0
      rule add pref 100 table 100
      -6 rule add pref 100 table 100
      route add throw default table 100
      -6 route add throw default table 100
      """)
    let reader = try lab.reader()
    let thrown = lab.ready(reader, "eth0")
    #expect(thrown.ipv4.exits == [lab.index("eth0")])
    #expect(thrown.ipv6.exits == [lab.index("eth0")])
    try lab.ip(
      """
      route replace \(kind) default table 100
      -6 route del throw default table 100
      -6 route add \(kind) default table 100
      """)
    let expected = Lookup.refused(RouteRefusal(rawValue: kind)!)
    let refused = lab.wait(reader) { $0.ipv4 == expected && $0.ipv6 == expected }
    #expect(refused.ipv4 == expected)
    #expect(refused.ipv6 == expected)
    #expect(refused.named("eth0")?.ipv4 == .noRoute)
    try lab.ip("rule del pref 100\n-6 rule del pref 100")
    let free = lab.wait(reader) { !$0.ipv4.exits.isEmpty && !$0.ipv6.exits.isEmpty }
    #expect(free.ipv4.exits == [lab.index("eth0")])
    #expect(free.ipv6.exits == [lab.index("eth0")])
  }

  @Test("A throw route with nothing after it is no route")
  func lonelyThrow() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24", "2001:db8::10/64"])
    try lab.ip("route add throw default\n-6 route add throw default")
    let reader = try lab.reader()
    let snapshot = lab.ready(reader, "eth0")
    #expect(snapshot.ipv4 == .noRoute)
    #expect(snapshot.ipv6 == .noRoute)
  }

  @Test("P-09: an IPv4 default through an IPv6 neighbour keeps its gateway and scope")
  func viaIPv6() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/32"])
    let eth0 = lab.index("eth0")
    try lab.ip("-4 route add default via inet6 fe80::1 dev eth0")
    let snapshot = lab.ready(try lab.reader(), "eth0")
    #expect(snapshot.ipv4.exits == [eth0], "\(snapshot.ipv4)")
    #expect(
      snapshot.ipv4.answer?.hops.first?.gateway
        == IPAddress(ipv6High: 0xFE80_0000_0000_0000, low: 1, scope: eth0))
  }

  @Test("P-14: a default that names only a device has no gateway")
  func deviceDefault() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default dev eth0 scope link")
    let snapshot = lab.ready(try lab.reader(), "eth0")
    #expect(snapshot.ipv4.exits == [lab.index("eth0")])
    #expect(snapshot.ipv4.gateways.isEmpty)
  }

  @Test("P-05: the lowest metric wins, and none counts as zero")
  func metrics() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.wire("eth1", ["198.51.100.10/24"])
    try lab.ip(
      """
      route add default via 192.0.2.1 dev eth0 metric 600
      route add default via 198.51.100.1 dev eth1 metric 50
      """)
    let reader = try lab.reader()
    let snapshot = lab.ready(reader, "eth0", "eth1")
    #expect(snapshot.ipv4.exits == [lab.index("eth1")])
    #expect(snapshot.ipv4.answer?.metric == 50)
    #expect(snapshot.named("eth0")?.ipv4?.answer?.metric == 600)
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    #expect(lab.wait(reader) { $0.ipv4.answer?.metric == 0 }.ipv4.exits == [lab.index("eth0")])
  }

  @Test("P-04: 0.0.0.0/8 is no default")
  func zeroNetwork() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add 0.0.0.0/8 via 192.0.2.1 dev eth0")
    #expect(lab.ready(try lab.reader(), "eth0").ipv4 == .noRoute)
  }

  @Test("A pair of half defaults answers with its prefix length")
  func halves() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add 0.0.0.0/1 dev eth0\nroute add 128.0.0.0/1 dev eth0")
    let snapshot = lab.ready(try lab.reader(), "eth0")
    #expect(snapshot.ipv4.answer?.prefixLength == 1)
  }

  @Test("N-08: a multipath default gives every hop")
  func multipath() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24", "2001:db8:1::10/64"])
    try lab.wire("eth1", ["198.51.100.10/24", "2001:db8:2::10/64"])
    try lab.ip(
      """
      route add default nexthop via 192.0.2.1 dev eth0 nexthop via 198.51.100.1 dev eth1
      -6 route add default nexthop via 2001:db8:1::1 dev eth0 nexthop via 2001:db8:2::1 dev eth1
      """)
    let both = [lab.index("eth0"), lab.index("eth1")]
    let snapshot = lab.ready(try lab.reader(), "eth0", "eth1")
    #expect(snapshot.ipv4.exits == both)
    #expect(snapshot.ipv4.gateways == ["192.0.2.1", "198.51.100.1"])
    // For IPv6 the kernel begins with the hop that it would take for this very flow.
    #expect(snapshot.ipv6.exits.sorted() == both)
    #expect(snapshot.ipv6.gateways.sorted() == ["2001:db8:1::1", "2001:db8:2::1"])
  }

  @Test("N-09, N-11: routes that show only a nexthop's id are resolved, groups included")
  func nexthopObjects() throws {
    let lab = try Lab()
    try lab.sysctl("ipv4/nexthop_compat_mode", 0)
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.wire("eth1", ["198.51.100.10/24"])
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0", "eth1")
    try lab.ip(
      """
      nexthop add id 7 via 192.0.2.1 dev eth0
      route add default nhid 7
      """)
    let first = lab.wait(reader) { !$0.ipv4.exits.isEmpty }
    #expect(first.ipv4.exits == [lab.index("eth0")])
    #expect(first.ipv4.gateways == ["192.0.2.1"])
    try lab.ip("nexthop replace id 7 via 198.51.100.1 dev eth1")
    let moved = lab.wait(reader) { $0.ipv4.exits == [lab.index("eth1")] }
    #expect(moved.ipv4.gateways == ["198.51.100.1"])
    try lab.ip("nexthop del id 7")
    #expect(lab.wait(reader) { $0.ipv4 == .noRoute }.ipv4 == .noRoute)
    try lab.ip(
      """
      nexthop add id 1 via 192.0.2.1 dev eth0
      nexthop add id 2 via 198.51.100.1 dev eth1
      nexthop add id 3 group 1/2
      route add default nhid 3
      """)
    let group = lab.wait(reader) { $0.ipv4.exits.count == 2 }
    #expect(group.ipv4.exits == [lab.index("eth0"), lab.index("eth1")])
    try lab.ip("route del default\nnexthop add id 9 blackhole\nroute add default nhid 9")
    #expect(lab.wait(reader) { $0.ipv4 == .refused(.blackhole) }.ipv4 == .refused(.blackhole))
  }

  @Test("P-03: rules like wg-quick's send the unbound lookup into the tunnel and no other")
  func tunnelRules() throws {
    let lab = try Lab()
    try lab.wire("wlan0", ["192.0.2.10/24"])
    try lab.ip(
      """
      route add default via 192.0.2.1 dev wlan0
      tuntap add dev tun0 mode tun
      address add 10.9.0.2/32 dev tun0
      link set tun0 up
      """)
    let tun = try TunDevice("tun0")
    defer { tun.detach() }
    try lab.ip(
      """
      route add default dev tun0 table 51820
      rule add pref 101 not fwmark 0xca6c table 51820
      rule add pref 100 table main suppress_prefixlength 0
      """)
    let snapshot = lab.ready(try lab.reader(), "wlan0", "tun0")
    #expect(snapshot.ipv4.exits == [lab.index("tun0")])
    #expect(snapshot.ipv4.answer?.table == 51820)
    #expect(snapshot.named("tun0")?.underlay == .unknown)
    #expect(snapshot.named("tun0")?.type == .other)
    #expect(snapshot.named("wlan0")?.ipv4?.exits == [lab.index("wlan0")])
    #expect(snapshot.named("wlan0")?.hasGatewayRoute == false)
  }

  @Test("A VPN that replaces the default leaves a route through the gateway as its ground")
  func replacedDefault() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip(
      """
      tuntap add dev tun0 mode tun
      address add 10.9.0.2/32 dev tun0
      link set tun0 up
      route add 203.0.113.5 via 192.0.2.1 dev eth0
      """)
    let tun = try TunDevice("tun0")
    defer { tun.detach() }
    try lab.ip("route add default dev tun0")
    let reader = try lab.reader()
    let snapshot = lab.ready(reader, "eth0", "tun0")
    #expect(snapshot.ipv4.exits == [lab.index("tun0")])
    #expect(snapshot.named("eth0")?.ipv4 == .noRoute)
    #expect(snapshot.named("eth0")?.hasGatewayRoute == true)
  }

  @Test("P-13: IPv6 alone, with a router known by its link-local address")
  func onlyIPv6() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["2001:db8::10/64"])
    let eth0 = lab.index("eth0")
    try lab.ip("-6 route add default via fe80::1 dev eth0")
    let snapshot = lab.ready(try lab.reader(), "eth0")
    #expect(snapshot.ipv4 == .noRoute)
    #expect(
      snapshot.ipv6.answer?.hops
        == [
          NextHop(
            interface: eth0,
            gateway: IPAddress(ipv6High: 0xFE80_0000_0000_0000, low: 1, scope: eth0))
        ])
    #expect(snapshot.ipv6.answer?.metric == 1024)
    #expect(snapshot.named("eth0")?.ipv6?.exits == [eth0])
  }

  @Test("P-10: an unreachable IPv6 default of last resort gives way to a router's")
  func lastResort() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["2001:db8::10/64"])
    try lab.ip("-6 route add unreachable default metric 4294967295")
    let reader = try lab.reader()
    #expect(lab.ready(reader, "eth0").ipv6 == .refused(.unreachable))
    try lab.ip("-6 route add default via fe80::1 dev eth0 metric 1024")
    #expect(lab.wait(reader) { !$0.ipv6.exits.isEmpty }.ipv6.exits == [lab.index("eth0")])
  }

  @Test("A default that expires says when")
  func expiry() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["2001:db8::10/64"])
    try lab.ip("-6 route add default via fe80::1 dev eth0 expires 100")
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    let left = try #require(reader.nextExpiry)
    #expect(left > .seconds(80) && left <= .seconds(100))
  }

  @Test("P-12: a tentative address waits, and counts once duplicate detection is through")
  func tentative() throws {
    let lab = try Lab()
    try lab.wire("eth0")
    let reader = try lab.reader()
    _ = lab.ready(reader, "eth0")
    try lab.ip("-6 address add 2001:db8::10/64 dev eth0")
    let pending = lab.wait(reader) {
      $0.named("eth0")?.addresses.contains { !$0.address.isLinkLocal } ?? false
    }
    #expect(pending.named("eth0")?.hasUsableAddress == false)
    let done = lab.wait(reader, seconds: 5) { $0.named("eth0")?.hasUsableAddress ?? false }
    #expect(done.named("eth0")?.hasUsableAddress == true)
  }

  @Test("A source-specific IPv6 default answers through the source the kernel would pick")
  func sourceSpecific() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["2001:db8::10/64"])
    try lab.ip("-6 route add default from 2001:db8::/64 via fe80::1 dev eth0")
    let snapshot = lab.ready(try lab.reader(), "eth0")
    #expect(snapshot.ipv6.exits == [lab.index("eth0")])
    #expect(snapshot.named("eth0")?.ipv6?.exits == [lab.index("eth0")])
  }
}
