package import PathCore
internal import PathSimulation

/// Stories about tunnels, addresses, types, cost and name servers.
extension NetworkScenario {
  static let tunnels: [NetworkScenario] = [
    NetworkScenario("a VPN that replaces the default rides on its route to the server") { run in
      try run.wireless()
      try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
      let server = TestRoute.ipv4(via: "198.51.100.1", "wlan0").to("203.0.113.5/32")
      try run.network.addRoute(server)
      try run.network.deleteRoute(.ipv4("wlan0"))
      try run.network.addRoute(.ipv4("tun0"))
      try run.expect(
        "whole",
        .satisfied("tun0", gateways: [], type: .other, uses: [.wifi, .other], underlay: "wlan0"))
      try run.expect("wifi", .satisfied("tun0"), under: .wifi)
      try run.network.deleteRoute(server)
      try run.expect("no way to the server", .unsatisfied(.noUnderlay, why: ["tun0"]))
      try run.network.addRoute(server)
      try run.expect("a way again", .satisfied("tun0", underlay: "wlan0"))
      let other = TestRoute.ipv4(via: "198.51.100.1", "wlan0").to("203.0.113.6/32")
      try run.network.addRoute(other)
      try run.network.deleteRoute(server)
      try run.expect("another way", .satisfied("tun0", underlay: "wlan0"))
      try run.network.addRoute(server)
      try run.network.setDown("wlan0")
      try run.expect("radio down", .unsatisfied(.noUnderlay))
    },
    NetworkScenario("a container whose only uplink is a tun has a path") { run in
      try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
      try run.network.addRoute(.ipv4("tun0"))
      try run.expect("alone", .satisfied("tun0", underlay: ""))
      try run.network.addLink(TestLink("eth0"))
      try run.expect("beside a device that is off", .unsatisfied(.noUnderlay))
    },
    NetworkScenario("the configuration says what a tunnel rides on") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addLink(.wireguard("wg0"), addresses: "10.8.0.2/24")
      try run.network.addRoute(.ipv4("wg0"))
      try run.expect("unsaid", .unsatisfied(.noUnderlay))
      try run.network.setUnderlay("wg0", .link("eth0"))
      try run.expect("a neighbour", .satisfied("wg0", uses: [.wired, .other], underlay: "eth0"))
      run.require("it is not guessed", try run.path().primary?.isUnderlayGuessed == false)
      try run.network.setCarrier("eth0", false)
      try run.expect("its link out", .unsatisfied(.noUnderlay, why: ["eth0"]))
      try run.network.setUnderlay("wg0", .always)
      try run.expect("always", .satisfied("wg0", uses: [.other]))
    },
    NetworkScenario("an IP tunnel knows its link", needs: [.ipTunnel]) { run in
      try run.wired()
      try run.network.addLink(
        TestLink("ipip0", .other, kind: .ipip(over: "eth0")), addresses: "10.9.0.2/24")
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.network.addRoute(.ipv4("ipip0"))
      try run.expect("over eth0", .satisfied("ipip0", underlay: "eth0"))
      try run.network.setCarrier("eth0", false)
      try run.expect("eth0 out", .unsatisfied(.noUnderlay))
    },
    NetworkScenario("a leaky VPN shows: IPv4 in the tunnel, IPv6 beside it") { run in
      try run.wireless()
      try run.network.addAddress("wlan0", "2001:db8::20/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "wlan0"))
      try run.wgQuick()
      try run.expect(
        "leaky",
        .satisfied("wg0", "wlan0", gateways: ["fe80::1"], ipv4: "wg0", ipv6: "wlan0"))
      try run.expect(
        "ignoring wg0", .satisfied("wlan0", ipv4: "wlan0", ipv6: "wlan0"),
        under: PathFilter(ignored: ["wg0"]))
    },
    NetworkScenario("who forbids cellular forbids a tunnel over it") { run in
      try run.network.addLink(TestLink("wwan0", .cellular), addresses: "100.64.0.10/24")
      try run.network.addRoute(.ipv4(via: "100.64.0.1", "wwan0", metric: 700))
      try run.wgQuick()
      try run.expect("any", .satisfied("wg0", "wwan0", isExpensive: true, underlay: "wwan0"))
      try run.expect(
        "no cellular",
        .unsatisfied(
          .filteredOut, alternatives: ["wg0", "wwan0"], unsatisfiedReason: .cellularDenied),
        under: PathFilter(prohibited: InterfaceTypeSet(.cellular)))
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0", metric: 100))
      try run.expect(
        "over the cable now", .satisfied("wg0", "eth0", isExpensive: false, underlay: "eth0"),
        under: PathFilter(prohibited: InterfaceTypeSet(.cellular)))
    },
    NetworkScenario("a PPP line over a cable is other, and wired beneath", needs: [.ppp]) { run in
      try run.network.addLink(TestLink("eth1"))
      try run.network.setUp("eth1")
      try run.network.addLink(
        TestLink("ppp0", .other, kind: .ppp(over: "eth1")), addresses: "203.0.113.9/32")
      try run.network.addRoute(.ipv4("ppp0"))
      try run.expect(
        "dialled",
        .satisfied("ppp0", gateways: [], type: .other, uses: [.wired, .other], underlay: "eth1"))
      try run.expect("wired", .satisfied("ppp0"), under: .wired)
      try run.network.replaceRoute(.ipv4(via: "0.0.0.0", "ppp0"))
      try run.expect("a gateway of zeros", .satisfied("ppp0", gateways: []))
      try run.network.deleteLink("ppp0")
      try run.expect("hung up", .unsatisfied(.noAddress))
    },
  ]

  static let addresses: [NetworkScenario] = [
    NetworkScenario("an IPv6 address counts when duplicate detection has ended") { run in
      try run.network.addLink(TestLink("eth0"))
      try run.network.setUp("eth0")
      try run.network.addAddress("eth0", "2001:db8::10/64", isPending: true)
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.expect("tentative", .unsatisfied(.noAddress, why: ["eth0", "IPv6"]))
      try run.network.addAddress("eth0", "2001:db8::10/64", isPending: false)
      try run.expect("preferred", .satisfied("eth0", ipv4: "", ipv6: "eth0"))
    },
    NetworkScenario("a network with IPv6 only is a network") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.network.setResolverFile("nameserver 2001:db8::53\n")
      try run.expect(
        "online",
        .satisfied("eth0", gateways: ["fe80::1"], ipv4: "", ipv6: "eth0", dns: true))
    },
    NetworkScenario("a unique-local address alone is no way to the internet") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24", "fd00::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.expect("IPv6 only", .unsatisfied(.noAddress))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0"))
      try run.expect("with IPv4", .satisfied("eth0", ipv4: "eth0", ipv6: ""))
    },
    NetworkScenario("an unnumbered link borrows the address of lo") { run in
      try run.network.addLink(TestLink("eth0"))
      try run.network.setUp("eth0")
      try run.network.addRoute(.ipv4(via: "fe80::1", "eth0"))
      try run.expect("none to borrow", .unsatisfied(.noAddress))
      try run.network.addAddress("lo", "203.0.113.1/32")
      try run.expect("borrowed", .satisfied("eth0", gateways: ["fe80::1"], ipv4: "eth0"))
    },
    NetworkScenario("a refreshed router advertisement is no change") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      for _ in 0..<20 {
        try run.expectNoChange("a refresh") {
          try run.network.addAddress("eth0", "2001:db8::10/64", isPending: false)
          try run.network.replaceRoute(.ipv6(via: "fe80::1", "eth0"))
        }
      }
    },
    NetworkScenario("losing the address loses the path") { run in
      try run.wired()
      try run.network.deleteAddress("eth0", "192.0.2.10/24")
      try run.expect("gone", .unsatisfied(.noAddress, why: ["eth0"]))
    },
  ]

  static let classes: [NetworkScenario] = [
    NetworkScenario("a modem that looks like Ethernet is cellular and costs") { run in
      try run.network.addLink(TestLink("wwp0s20", .cellular), addresses: "100.64.0.10/24")
      try run.network.addRoute(.ipv4(via: "100.64.0.1", "wwp0s20"))
      try run.expect("any", .satisfied("wwp0s20", type: .cellular, isExpensive: true))
      try run.expect("wired", .unsatisfied(.filteredOut), under: .wired)
      try run.expect("cellular", .satisfied("wwp0s20"), under: .cellular)
    },
    NetworkScenario("a phone on a cable is wired, and expensive when somebody says so") { run in
      try run.network.addLink(
        TestLink("usb0", .wired, isExpensive: true), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "usb0"))
      try run.expect("any", .satisfied("usb0", type: .wired, isExpensive: true))
      try run.network.setCarrier("usb0", false)
      try run.expect("nothing to pay for", .unsatisfied(.deadDefaultRoute))
    },
    NetworkScenario(
      "a link whose driver says nothing is judged by its flags", needs: [.silentDriver]
    ) { run in
      try run.network.addLink(TestLink("wwan0", .cellular), addresses: "100.64.0.10/24")
      try run.network.addRoute(.ipv4(via: "100.64.0.1", "wwan0"))
      try run.network.setOperationalState("wwan0", .unknown)
      try run.expect("running", .satisfied("wwan0"))
      try run.network.setCarrier("wwan0", false)
      try run.expect("not running", .unsatisfied(.deadDefaultRoute))
    },
    NetworkScenario("a required type is looked for, not waited for elsewhere") { run in
      try run.wiredAndWireless()
      try run.expect("wifi", .satisfied("wlan0", gateways: ["198.51.100.1"]), under: .wifi)
      try run.expect(
        "no wired", .satisfied("wlan0"),
        under: PathFilter(prohibited: InterfaceTypeSet(.wired)))
      try run.expect(
        "cellular", .unsatisfied(.filteredOut, alternatives: ["eth0", "wlan0"]), under: .cellular)
      try run.expect(
        "neither", .unsatisfied(.filteredOut, unsatisfiedReason: .wifiDenied),
        under: PathFilter(required: .cellular, prohibited: [InterfaceTypeSet(.wifi)]).withoutWired)
    },
  ]

  static let names: [NetworkScenario] = [
    NetworkScenario("a link-local name server counts with its link") { run in
      try run.wiredAndWireless()
      try run.network.setResolverFile("nameserver fe80::1%wlan0\noptions edns0 trust-ad\n")
      try run.expect("both", .satisfied("eth0", "wlan0", dns: true))
      try run.network.deleteLink("wlan0")
      try run.expect("its link gone", .satisfied("eth0", dns: false))
      try run.network.setResolverFile("nameserver fe80::1\n")
      try run.expect("no zone", .satisfied("eth0", dns: false))
    },
    NetworkScenario("the name servers may come after the route") { run in
      try run.wired()
      try run.network.setResolverFile("")
      try run.expect("empty", .satisfied("eth0", dns: false))
      let before = try run.path()
      try run.network.setResolverFile("nameserver 192.0.2.53\n")
      try run.expect("filled", .satisfied("eth0", dns: true))
      run.require(
        "the cause is DNS", ChangeCauses(from: before, to: try run.path()) == .dns)
    },
    NetworkScenario("a bad line in resolv.conf spoils no other") { run in
      try run.wired()
      try run.network.setResolverFile(
        "nameserver ::0%lo0x\nnameserver 300.1.1.1\nnameserver\nNAMESERVER 192.0.2.50\n"
          + "nameserver 192.0.2.53 # office\nnameserver\t192.0.2.54\r\n"
          + String(repeating: "# filler\n", count: 500) + "\0\nsearch example.com")
      try run.expect("some", .satisfied("eth0", dns: true))
      let servers = try run.network.snapshot().nameServers.map(\.address.description)
      run.require(
        "both good ones are read: \(servers)",
        servers.contains("192.0.2.53") && servers.contains("192.0.2.54"))
    },
    NetworkScenario("the gateway's hardware tells networks apart", needs: [.neighbours]) { run in
      try run.wireless()
      run.require("not known yet", try run.path().network == nil)
      try run.expectNoChange("the gateway answers") {
        try run.network.setGatewayHardware("198.51.100.1", on: "wlan0", "02:00:00:00:00:01")
      }
      run.require("by hardware", try run.path().network?.id == "02:00:00:00:00:01")
      let before = try run.path()
      try run.network.setGatewayHardware("198.51.100.1", on: "wlan0", "02:00:00:00:00:02")
      run.require(
        "another network", ChangeCauses(from: before, to: try run.path()) == .network)
    },
    NetworkScenario(
      "a wireless network is the same once its gateway has answered", needs: [.radio, .neighbours]
    ) { run in
      try run.wireless()
      try run.network.setWirelessName("wlan0", "Home")
      run.require("by name", try run.path().network?.id == "Home")
      try run.expectNoChange("the gateway answers") {
        try run.network.setGatewayHardware("198.51.100.1", on: "wlan0", "02:00:00:00:00:01")
      }
      run.require("by hardware", try run.path().network?.id == "02:00:00:00:00:01")
      let before = try run.path()
      try run.network.setGatewayHardware("198.51.100.1", on: "wlan0", "02:00:00:00:00:02")
      run.require(
        "another network", ChangeCauses(from: before, to: try run.path()) == .network)
    },
  ]
}

extension PathFilter {
  package static let wifi = PathFilter(required: .wifi)
  package static let wired = PathFilter(required: .wired)
  package static let cellular = PathFilter(required: .cellular)

  fileprivate var withoutWired: PathFilter {
    var filter = self
    filter.required = nil
    filter.prohibited.formUnion(InterfaceTypeSet(.wired))
    return filter
  }
}

extension ScenarioRun {
  /// eth0 with 192.0.2.10/24 and a default through 192.0.2.1.
  func wired() throws {
    try network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
    try network.addRoute(.ipv4(via: "192.0.2.1", "eth0"))
  }

  /// wlan0 with 198.51.100.20/24 and a default through 198.51.100.1, metric 600.
  func wireless() throws {
    try network.addLink(TestLink("wlan0", .wifi), addresses: "198.51.100.20/24")
    try network.addRoute(.ipv4(via: "198.51.100.1", "wlan0", metric: 600))
  }

  /// The cable first (metric 100), the wireless link behind it.
  func wiredAndWireless() throws {
    try network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
    try network.addRoute(.ipv4(via: "192.0.2.1", "eth0", metric: 100))
    try wireless()
  }

  /// Two uplinks without a default.
  func twoWired() throws {
    try network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
    try network.addLink(TestLink("eth1"), addresses: "198.51.100.10/24")
  }

  /// wg0 with the rules and the table that wg-quick makes for a tunnel that takes all of IPv4.
  func wgQuick() throws {
    try network.addLink(.wireguard("wg0"), addresses: "10.8.0.2/32")
    try network.addRoute(.ipv4("wg0", table: 51_820))
    try network.addRule(
      TestRule(.ipv4, priority: 32_764, table: 254, suppressPrefixLength: 0))
    try network.addRule(
      TestRule(.ipv4, priority: 32_765, table: 51_820, mark: 0xCA6C, isInverted: true))
  }
}
