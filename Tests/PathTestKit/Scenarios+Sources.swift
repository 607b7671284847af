internal import PathCore
internal import PathSimulation

/// Stories about addresses that a link does not hold itself, or that count on a condition.
extension NetworkScenario {
  static let sources: [NetworkScenario] = [
    NetworkScenario("a route that names its source counts on a link without an address") { run in
      try run.network.addAddress("lo", "203.0.113.5/32")
      try run.network.addLink(.virtual("veth0"))
      try run.network.setUp("veth0")
      try run.network.addRoute(.ipv4(via: "169.254.1.1", "veth0").src("203.0.113.5"))
      try run.expect("hosted", .satisfied("veth0", gateways: ["169.254.1.1"], ipv4: "veth0"))
      try run.expect("wired", .satisfied("veth0"), under: .wired)
      try run.network.deleteRoute(.ipv4("veth0"))
      try run.expect("gone", .unsatisfied(.noInterface))
    },
    NetworkScenario("the source that a route names may lie on a bridge") { run in
      try run.network.addLink(.bridge("br0"), addresses: "203.0.113.5/24")
      try run.network.addLink(TestLink("eth0"))
      try run.network.setUp("eth0")
      try run.network.addRoute(.ipv4(via: "169.254.1.1", "eth0").src("203.0.113.5"))
      try run.expect("borrowed", .satisfied("eth0", ipv4: "eth0"))
      try run.expect("bound", .satisfied("eth0"), under: PathFilter(isBound: true))
    },
    NetworkScenario("an Ethernet without an address borrows none unasked") { run in
      try run.network.addLink(.bridge("docker0"), addresses: "172.17.0.1/16")
      try run.network.addLink(TestLink("eth0"))
      try run.network.setUp("eth0")
      try run.network.addRoute(.ipv4("eth0"))
      try run.expect("no source named", .unsatisfied(.noAddress, why: ["eth0"]))
    },
    NetworkScenario("a tunnel without an address takes the source of its route") { run in
      try run.network.addLink(.bridge("br0"), addresses: "203.0.113.5/24")
      try run.network.addLink(.tun("tun0"))
      try run.network.setUp("tun0")
      try run.network.setUnderlay("tun0", .always)
      try run.network.addRoute(.ipv4("tun0").src("203.0.113.5"))
      try run.expect("named", .satisfied("tun0", ipv4: "tun0"))
    },
    NetworkScenario("a link-local IPv4 address counts where a router takes it") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "169.254.175.250/24")
      try run.network.addRoute(.ipv4(via: "169.254.175.249", "eth0"))
      try run.expect("routed", .satisfied("eth0", gateways: ["169.254.175.249"]))
      try run.expect("wired", .satisfied("eth0"), under: .wired)
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.network.addRoute(.ipv4("eth0"))
      try run.expect("nobody answered", .unsatisfied(.noAddress, why: ["eth0"]))
    },
    NetworkScenario("a translator gives IPv4 without being a VPN") { run in
      try run.network.addLink(TestLink("wlan0", .wifi), addresses: "2001:db8::20/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "wlan0"))
      try run.network.setGatewayHardware("fe80::1", on: "wlan0", "02:00:5e:00:53:01")
      try run.expect("before", .satisfied("wlan0", ipv4: "", ipv6: "wlan0"), under: .wifi)
      let before = try run.path()
      try run.network.addLink(.tun("clat"), addresses: "192.0.0.1/32")
      try run.network.addRoute(.ipv4("clat", metric: 2048))
      try run.expect(
        "translated",
        .satisfied("wlan0", "clat", ipv4: "clat", ipv6: "wlan0", type: .wifi, uses: [.wifi]))
      try run.expect("wifi", .satisfied("wlan0", "clat", ipv4: "clat"), under: .wifi)
      let after = try run.path()
      run.require("it is no tunnel", after.ipv4?.interface.isTunnel == false)
      run.require("the network is the same", before.network == after.network)
      try run.network.deleteRoute(.ipv6("wlan0"))
      try run.expect("nothing beneath", .unsatisfied(.noUnderlay))
    },
    NetworkScenario("a unique-local address counts when the configuration says so") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0"))
      try run.network.addLink(.tun("tun0"), addresses: "fd7a:115c:a1e0::2/128")
      try run.network.addRoute(.ipv6("tun0"))
      try run.expect("unsaid", .satisfied("eth0", ipv4: "eth0", ipv6: ""))
      let lines = PathEvaluator.explanation(of: try run.network.snapshot(), filter: .none).lines
      run.require(
        "the setting is named", lines.contains { $0.contains("unique_local = true") })
      try run.network.setAcceptsUniqueLocal("tun0", true)
      try run.expect("said", .satisfied("eth0", "tun0", ipv4: "eth0", ipv6: "tun0"))
    },
    NetworkScenario("a site-local address is no way to the internet") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "fec0::10/64")
      try run.network.addRoute(.ipv6(via: "fe80::1", "eth0"))
      try run.expect("alone", .unsatisfied(.noAddress))
    },
    NetworkScenario("a line that is dialled on demand asks for a connection") { run in
      try run.network.addLink(.tun("ppp0"), addresses: "203.0.113.9/32")
      try run.network.addRoute(.ipv4("ppp0"))
      try run.expect("dialled", .satisfied("ppp0"))
      try run.network.setCarrier("ppp0", false)
      try run.expect("hung up", .requiresConnection(.dormant, order: ["ppp0"]))
      try run.network.deleteRoute(.ipv4("ppp0"))
      try run.expect("nothing leads there", .unsatisfied(.noCarrier))
    },
    NetworkScenario("the configuration says what is dialled on demand") { run in
      try run.network.addLink(.tun("dial0"), addresses: "203.0.113.9/32")
      try run.network.addRoute(.ipv4("dial0"))
      try run.network.setCarrier("dial0", false)
      try run.expect("unsaid", .unsatisfied(.deadDefaultRoute))
      try run.network.setOnDemand("dial0", true)
      try run.expect("said", .requiresConnection(.dormant, order: ["dial0"]))
    },
  ]

  static let uplinks: [NetworkScenario] = [
    NetworkScenario("a tap with a gateway is an uplink where no device is up") { run in
      try run.network.addLink(.tap("tap0"), addresses: "10.0.2.100/24")
      try run.network.addRoute(.ipv4(via: "10.0.2.2", "tap0"))
      try run.expect("alone", .satisfied("tap0", underlay: ""))
      try run.network.addLink(.bridge("docker0"), addresses: "172.17.0.1/16")
      try run.expect("beside a bridge", .satisfied("tap0"))
      try run.network.addLink(.virtual("veth0"), addresses: "192.0.2.77/24")
      try run.expect("beside a container's link", .satisfied("tap0"))
      let lines = PathEvaluator.explanation(of: try run.network.snapshot(), filter: .none).lines
      run.require("the setting is named", lines.contains { $0.contains("underlay = {") })
      try run.network.addLink(TestLink("eth0"), addresses: "198.51.100.10/24")
      try run.expect(
        "beside a device", .unsatisfied(.noUnderlay, why: ["tap0", "probably", "`underlay`"]))
    },
    NetworkScenario("a tun beside bridges without a physical port is an uplink") { run in
      try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
      try run.network.addLink(.bridge("docker0"), addresses: "172.17.0.1/16")
      try run.network.addRoute(.ipv4("tun0"))
      try run.expect("only bridges", .satisfied("tun0"))
      try run.network.addLink(.virtual("veth0"), addresses: "192.0.2.77/24")
      try run.expect("a container's link", .unsatisfied(.noUnderlay))
    },
    NetworkScenario("a tun with nothing to ride on stays down, gateway or not") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
      try run.network.addRoute(.ipv4(via: "10.8.0.1", "tun0"))
      let guess = ["tun0", "probably", "`underlay`"]
      try run.expect("an address and no default", .unsatisfied(.noUnderlay, why: guess))
      try run.network.setCarrier("eth0", false)
      try run.expect("no carrier", .unsatisfied(.noUnderlay, why: guess))
      try run.network.setCarrier("eth0", true)
      try run.network.deleteRoute(.ipv4("tun0"))
      try run.network.addRoute(.ipv4("tun0"))
      try run.expect("no gateway", .unsatisfied(.noUnderlay, why: guess))
    },
  ]

  static let servers: [NetworkScenario] = [
    NetworkScenario("a server of a family that leads nowhere is no DNS") { run in
      try run.wired()
      try run.network.setResolverFile("nameserver 2001:db8::53\n")
      try run.expect("IPv6 only", .satisfied("eth0", dns: false))
      try run.network.setResolverFile("nameserver 2001:db8::53\nnameserver 198.51.100.53\n")
      try run.expect("one of two", .satisfied("eth0", dns: true))
    },
    NetworkScenario("a server behind an unreachable route is no DNS") { run in
      try run.wired()
      try run.network.setResolverFile("nameserver 203.0.113.53\n")
      try run.expect("by the default", .satisfied("eth0", dns: true))
      let wall = TestRoute(.ipv4, "203.0.113.0/24", kind: .unreachable)
      try run.network.addRoute(wall)
      try run.expect("walled off", .satisfied("eth0", dns: false))
      try run.network.deleteRoute(wall)
      try run.expect("open again", .satisfied("eth0", dns: true))
    },
    NetworkScenario("a server of this machine needs lo, or the address") { run in
      try run.wired()
      try run.network.setResolverFile("nameserver 127.0.0.53\n")
      try run.expect("a stub", .satisfied("eth0", dns: true))
      try run.network.setDown("lo")
      try run.expect("lo is down", .satisfied("eth0", dns: false))
      try run.network.setResolverFile("nameserver 192.0.2.10\n")
      try run.expect("one's own address", .satisfied("eth0", dns: true))
    },
  ]

  static let crowds: [NetworkScenario] = [
    NetworkScenario("of many gateways the sentence names a few") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "2001:db8::10/64")
      for number in 1...9 {
        try run.network.appendRoute(.ipv6(via: "fe80::\(number)", "eth0"))
      }
      try run.expect("nine", .satisfied("eth0", ipv6: "eth0", why: ["and 6 more"]))
    },
    NetworkScenario("a hundred and thirty bridges do not hide the way out") { run in
      for number in 0..<130 {
        try run.network.addLink(.bridge("br\(number)"), addresses: "10.\(number).0.1/24")
      }
      try run.wiredAndWireless()
      try run.expect("any", .satisfied("eth0", "wlan0"))
      try run.expect("wifi", .satisfied("wlan0"), under: .wifi)
    },
  ]
}
