internal import PathCore
internal import PathSimulation

/// Stories about defaults that come, go and stand in the way.
extension NetworkScenario {
  static let routing: [NetworkScenario] = [
    NetworkScenario("a machine with nothing but lo has no path") { run in
      for filter in [PathFilter.none, .wifi, .cellular, .wired] {
        try run.expect("\(filter)", .unsatisfied(.noInterface), under: filter)
      }
      try run.expect(
        "lo", .satisfied("lo", type: .loopback), under: PathFilter(required: .loopback))
    },
    NetworkScenario("switching a link off takes its IPv4 default away without a message") { run in
      try run.wired()
      try run.expect("up", .satisfied("eth0", gateways: ["192.0.2.1"], ipv4: "eth0", ipv6: ""))
      try run.network.setDown("eth0")
      try run.expect("off", .unsatisfied(.noInterface, alternatives: [], why: ["eth0"]))
      try run.network.setUp("eth0")
      try run.expect("on again", .unsatisfied(.noRoute))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0"))
      try run.expect("route again", .satisfied("eth0"))
    },
    NetworkScenario("the peer's carrier is pulled and given back") { run in
      try run.wired()
      try run.network.setCarrier("eth0", false)
      try run.expect("out", .unsatisfied(.deadDefaultRoute, why: ["eth0", "no carrier"]))
      try run.network.setCarrier("eth0", true)
      try run.expect("in", .satisfied("eth0", gateways: ["192.0.2.1"]))
    },
    NetworkScenario("the default is deleted while the link stays") { run in
      try run.wired()
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.expect("deleted", .unsatisfied(.noRoute, alternatives: [], why: ["eth0"]))
    },
    NetworkScenario("a pulled cable is the verdict as long as the dead default stands") { run in
      try run.wiredAndWireless()
      try run.network.setCarrier("eth0", false)
      try run.expect(
        "out", .unsatisfied(.deadDefaultRoute, alternatives: ["wlan0"], why: ["eth0", "wlan0"]))
      try run.expect("out, wired", .unsatisfied(.deadDefaultRoute), under: .wired)
      try run.expect("out, wifi", .satisfied("wlan0"), under: .wifi)
      try run.network.setCarrier("eth0", true)
      try run.expect("in", .satisfied("eth0", "wlan0"))
      try run.expect("in, wired", .satisfied("eth0"), under: .wired)
      try run.expect("in, wifi", .satisfied("wlan0"), under: .wifi)
    },
    NetworkScenario("with ignore_routes_with_linkdown the wireless link takes over") { run in
      try run.network.setIgnoresRoutesWithLinkdown(true)
      try run.wiredAndWireless()
      try run.expect("in, wifi", .satisfied("wlan0"), under: .wifi)
      try run.network.setCarrier("eth0", false)
      try run.expect("out", .satisfied("wlan0", gateways: ["198.51.100.1"]))
      try run.expect(
        "out, wired", .unsatisfied(.filteredOut, why: ["wlan0", "eth0"]), under: .wired)
      try run.expect("out, wifi", .satisfied("wlan0"), under: .wifi)
      try run.network.setCarrier("eth0", true)
      try run.expect("in", .satisfied("eth0", "wlan0"))
    },
    NetworkScenario("only a prefix that covers the internet is a default") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0").to("0.0.0.0/8"))
      try run.expect("0.0.0.0/8", .unsatisfied(.noRoute))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0").to("0.0.0.0/0"))
      try run.expect("0.0.0.0/0", .satisfied("eth0"))
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0").to("0.0.0.0/1"))
      try run.expect("half", .unsatisfied(.noRoute))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0").to("128.0.0.0/1"))
      try run.expect("both halves", .satisfied("eth0"))
    },
    NetworkScenario("addresses and carriers without a default are no path") { run in
      try run.network.addLink(TestLink("wlan0", .wifi))
      try run.network.addLink(.virtual("vmnet0"), addresses: "192.0.2.1/24")
      try run.expect("any", .unsatisfied(.noInterface, why: ["wlan0 is switched off"]))
      try run.expect(
        "other", .unsatisfied(.noInterface), under: PathFilter(required: .other))
    },
    NetworkScenario("an IPv4 default may go through an IPv6 neighbour") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/32")
      try run.network.addRoute(.ipv4(via: "fe80::1", "eth0"))
      try run.expect("via inet6", .satisfied("eth0", gateways: ["fe80::1"], ipv4: "eth0", ipv6: ""))
      let gateway = try run.path().gateways.first
      run.require(
        "the gateway has the interface as its scope",
        try gateway?.scope == run.path().primary?.index)
    },
    NetworkScenario("a blackhole default turns everybody away") { run in
      try run.wired()
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0", metric: 100))
      for kind in [TestRoute.Kind.blackhole, .unreachable, .prohibit] {
        let route = TestRoute(.ipv4, kind: kind)
        try run.network.addRoute(route)
        try run.expect("\(kind)", .unsatisfied(.routeRefused, why: [kind.rawValue]))
        try run.expect("\(kind), wired", .unsatisfied(.routeRefused), under: .wired)
        try run.network.deleteRoute(route)
        try run.expect("\(kind) gone", .satisfied("eth0"))
      }
    },
    NetworkScenario("a refused family does not hide one that works") { run in
      try run.wired()
      try run.network.addAddress("eth0", "2001:db8::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.network.addRoute(TestRoute(.ipv4, metric: 0, kind: .throw).to("0.0.0.0/1"))
      try run.network.replaceRoute(TestRoute(.ipv4, kind: .blackhole))
      try run.expect(
        "IPv4 refused", .satisfied("eth0", gateways: ["fe80::1"], ipv4: "", ipv6: "eth0"))
    },
    NetworkScenario("reject routes on lo are no connectivity") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8::10/64")
      try run.network.addRoute(TestRoute(.ipv6, "::/96", kind: .unreachable))
      try run.network.addRoute(TestRoute(.ipv6, metric: 4_294_967_294, kind: .unreachable))
      try run.expect("rejects only", .unsatisfied(.routeRefused))
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.expect("a router", .satisfied("eth0", gateways: ["fe80::1"], ipv4: "", ipv6: "eth0"))
    },
    NetworkScenario("two hops are one path, and each may fail") { run in
      try run.twoWired()
      try run.network.addRoute(
        TestRoute(
          .ipv4, hops: [TestRoute.Hop("192.0.2.1", "eth0"), TestRoute.Hop("198.51.100.1", "eth1")]))
      let both = ["192.0.2.1", "198.51.100.1"]
      try run.expect("both", .satisfied("eth0", "eth1", gateways: both))
      try run.network.setCarrier("eth0", false)
      try run.expect("first out", .satisfied("eth1", gateways: ["198.51.100.1"]))
      try run.network.setCarrier("eth1", false)
      try run.expect("both out", .unsatisfied(.deadDefaultRoute))
      try run.network.setCarrier("eth0", true)
      try run.expect("first back", .satisfied("eth0", gateways: ["192.0.2.1"]))
    },
    NetworkScenario("of two defaults with equal metric the first serves, then the second") { run in
      try run.twoWired()
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0"))
      try run.network.appendRoute(.ipv4(via: "198.51.100.1", "eth1"))
      try run.expect("both", .satisfied("eth0", "eth1", gateways: ["192.0.2.1"]))
      try run.network.deleteRoute(.ipv4(via: "192.0.2.1", "eth0"))
      try run.expect("second", .satisfied("eth1", gateways: ["198.51.100.1"]))
    },
    NetworkScenario("the end of the second-best default ends the path of who needs its link") {
      run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8::10/64")
      try run.network.addLink(TestLink("wlan0", .wifi), addresses: "2001:db8:1::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0", metric: 100))
      let second = TestRoute.ipv6(via: "fe80::2", "wlan0", metric: 600)
      for round in ["once", "again"] {
        try run.network.addRoute(second)
        try run.expect("\(round): both", .satisfied("eth0", "wlan0"))
        try run.expect("\(round): wifi", .satisfied("wlan0"), under: .wifi)
        try run.network.deleteRoute(second)
        try run.expect("\(round): one", .satisfied("eth0"))
        try run.expect("\(round): no wifi", .unsatisfied(.filteredOut), under: .wifi)
      }
    },
    NetworkScenario("a replaced default leaves nothing of the old one") { run in
      try run.wired()
      try run.network.replaceRoute(.ipv4(via: "192.0.2.2", "eth0"))
      try run.expect("replaced", .satisfied("eth0", gateways: ["192.0.2.2"]))
      // What is appended at equal metric carries nothing until the first has gone.
      try run.network.appendRoute(.ipv4(via: "192.0.2.3", "eth0"))
      try run.expect("appended", .satisfied("eth0", gateways: ["192.0.2.2"]))
      try run.network.deleteRoute(.ipv4(via: "192.0.2.2", "eth0"))
      try run.expect("promoted", .satisfied("eth0", gateways: ["192.0.2.3"]))
    },
  ]

  static let policyRouting: [NetworkScenario] = [
    NetworkScenario("throw goes on to the next rule, unreachable ends the search") { run in
      try run.wired()
      let route = TestRoute(.ipv4, table: 100, kind: .throw)
      let rule = TestRule(.ipv4, priority: 100, table: 100)
      try run.network.addRule(rule)
      try run.network.addRoute(route)
      try run.expect("throw", .satisfied("eth0"))
      try run.network.deleteRoute(route)
      for kind in [TestRoute.Kind.unreachable, .prohibit, .blackhole] {
        let reject = TestRoute(.ipv4, table: 100, kind: kind)
        try run.network.addRoute(reject)
        try run.expect("\(kind)", .unsatisfied(.routeRefused))
        try run.network.deleteRoute(reject)
      }
      try run.network.addRoute(TestRoute(.ipv4, table: 100, kind: .unreachable))
      try run.network.deleteRule(rule)
      try run.expect("rule gone", .satisfied("eth0"))
    },
    NetworkScenario("wg-quick's rules put a tunnel in front of the wireless link") { run in
      try run.wireless()
      try run.wgQuick()
      try run.expect(
        "any",
        .satisfied(
          "wg0", "wlan0", gateways: [], ipv4: "wg0", type: .other, uses: [.wifi, .other],
          isExpensive: false, underlay: "wlan0"))
      try run.expect("wifi", .satisfied("wg0", "wlan0"), under: .wifi)
      try run.expect(
        "ignoring wg0", .satisfied("wlan0", gateways: ["198.51.100.1"]),
        under: PathFilter(ignored: ["wg*"]))
      try run.expect(
        "no wifi", .unsatisfied(.filteredOut, unsatisfiedReason: .wifiDenied),
        under: PathFilter(prohibited: InterfaceTypeSet(.wifi)))
    },
    NetworkScenario("a tunnel in front of a dead link is no path") { run in
      try run.wireless()
      try run.wgQuick()
      try run.network.setCarrier("wlan0", false)
      try run.expect("out", .unsatisfied(.noUnderlay, alternatives: [], why: ["wg0"]))
      try run.network.setCarrier("wlan0", true)
      try run.expect("in", .satisfied("wg0", "wlan0"))
    },
    NetworkScenario("nexthop objects move a default without a route message") { run in
      try run.twoWired()
      try run.network.setNexthop(7, gateway: "192.0.2.1", interface: "eth0")
      try run.network.addRoute(TestRoute(.ipv4, nexthop: 7))
      try run.expect("first", .satisfied("eth0", gateways: ["192.0.2.1"]))
      try run.network.setNexthop(7, gateway: "198.51.100.1", interface: "eth1")
      try run.expect("moved", .satisfied("eth1", gateways: ["198.51.100.1"]))
      try run.network.deleteNexthop(7)
      try run.expect("deleted", .unsatisfied(.noRoute))
    },
    NetworkScenario("a source-specific IPv6 default serves those with that source") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8:1::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0").from("2001:db8:2::/48"))
      try run.expect("another's source", .unsatisfied(.noRoute))
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0", metric: 512).from("2001:db8:1::/48"))
      try run.expect("own source", .satisfied("eth0", gateways: ["fe80::1"], ipv6: "eth0"))
    },
    NetworkScenario("an IPv6 refusal is passed by who asks for an interface") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8:1::10/64")
      try run.network.addLink(TestLink("wlan0", .wifi), addresses: "2001:db8:2::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0", metric: 1024))
      try run.network.addRoute(.ipv6(via: "fe80::2", "wlan0", metric: 2048))
      try run.network.addRoute(TestRoute(.ipv6, metric: 1, kind: .unreachable))
      try run.expect("any", .unsatisfied(.routeRefused, alternatives: ["eth0", "wlan0"]))
      try run.expect(
        "anything but loopback", .unsatisfied(.routeRefused),
        under: PathFilter(prohibited: InterfaceTypeSet(.loopback)))
      try run.expect("wifi", .satisfied("wlan0"), under: .wifi)
      try run.expect("bound", .satisfied("eth0", "wlan0"), under: PathFilter(isBound: true))
    },
    NetworkScenario("rejects for some prefixes leave the default alone") { run in
      try run.wired()
      try run.network.addAddress("eth0", "2001:db8::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.expectNoChange("rejects, a route of a VPN, a throw without a rule") {
        for prefix in ["10.0.0.0/8", "100.64.0.0/10", "203.0.113.0/24"] {
          try run.network.addRoute(TestRoute(.ipv4, prefix, kind: .unreachable))
        }
        try run.network.addRoute(TestRoute(.ipv6, "2002::/16", kind: .unreachable))
        try run.network.addRoute(TestRoute(.ipv6, metric: 4_294_967_294, kind: .unreachable))
        try run.network.addRoute(TestRoute(.ipv4, table: 77, kind: .throw))
        try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
        try run.network.addRoute(.ipv4("tun0").to("10.128.0.0/9"))
      }
      try run.expect(
        "both families", .satisfied("eth0", gateways: ["192.0.2.1", "fe80::1"], ipv6: "eth0"))
    },
    NetworkScenario("routes in a table that no rule uses change nothing") { run in
      try run.wired()
      try run.expectNoChange("a storm") {
        for number in 0..<200 {
          let route = TestRoute.ipv4(via: "192.0.2.1", "eth0", table: 200)
            .to("198.18.0.\(number)/32")
          try run.network.addRoute(route)
          if number.isMultiple(of: 2) { try run.network.deleteRoute(route) }
        }
      }
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.expect("the one that matters", .unsatisfied(.noRoute))
    },
  ]
}
