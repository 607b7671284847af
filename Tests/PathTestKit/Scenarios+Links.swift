internal import PathCore
internal import PathSimulation

/// Stories about which link is preferred, and about links that are more than one device.
extension NetworkScenario {
  static let preferences: [NetworkScenario] = [
    NetworkScenario("the lowest metric wins, and none means zero") { run in
      try run.network.addLink(TestLink("wlan0", .wifi), addresses: "198.51.100.20/24")
      try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "198.51.100.1", "wlan0", metric: 600))
      try run.network.addRoute(.ipv4("tun0", metric: 50))
      try run.expect("two", .satisfied("tun0", "wlan0", gateways: []))
      try run.network.addRoute(.ipv4("eth0"))
      try run.expect("three", .satisfied("eth0", "tun0", "wlan0"))
    },
    NetworkScenario("the order follows a metric that changes") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addLink(TestLink("wlan0", .wifi), addresses: "192.0.2.20/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0", metric: 100))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "wlan0", metric: 600))
      let before = try run.path()
      try run.expect("wired", .satisfied("eth0", "wlan0", gateways: ["192.0.2.1"]))
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0", metric: 700))
      try run.network.deleteRoute(.ipv4("eth0", metric: 100))
      try run.expect("wireless", .satisfied("wlan0", "eth0", gateways: ["192.0.2.1"]))
      run.require(
        "the change is one of interfaces",
        ChangeCauses(from: before, to: try run.path()).contains(.interface))
    },
    NetworkScenario("a link with only a link-local address does not win") { run in
      try run.network.addLink(TestLink("eth0"), addresses: "169.254.10.10/16")
      try run.network.addLink(TestLink("eth1"))
      try run.network.setUp("eth1")
      try run.expect("alone", .unsatisfied(.noAddress))
      try run.network.addAddress("eth1", "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth1"))
      try run.expect("uplink", .satisfied("eth1"))
    },
    NetworkScenario("an overlay that flaps does not disturb") { run in
      try run.wireless()
      try run.network.addLink(.tun("ov0"))
      for _ in 0..<20 {
        try run.expectNoChange("a flap") {
          try run.network.setUp("ov0")
          try run.network.addAddress("ov0", "100.64.0.5/32")
          try run.network.addRoute(.ipv4("ov0").to("100.64.0.0/10"))
          run.require("still wireless", try run.path().primary?.name == "wlan0")
          try run.network.setDown("ov0")
        }
      }
    },
    NetworkScenario("a burst of container bridges changes nothing") { run in
      try run.wireless()
      try run.expectNoChange("12 bridges, 24 ports") {
        for bridge in 0..<12 {
          try run.network.addLink(.bridge("br\(bridge)"), addresses: "172.\(16 + bridge).0.1/16")
          for port in 0..<2 {
            let name = "port\(bridge)x\(port)"
            try run.network.addLink(.virtual(name))
            try run.network.setMaster(name, "br\(bridge)")
            try run.network.setUp(name)
          }
        }
      }
      try run.expect("wireless only", .satisfied("wlan0"))
    },
    NetworkScenario("a thousand container links come and go unnoticed") { run in
      try run.wired()
      try run.network.addLink(.bridge("docker0"), addresses: "172.17.0.1/16")
      try run.expectNoChange("churn") {
        for number in 0..<1000 {
          try run.network.addLink(.virtual("veth\(number)"))
          try run.network.setUp("veth\(number)")
          try run.network.setMaster("veth\(number)", "docker0")
          if number >= 10 { try run.network.deleteLink("veth\(number - 10)") }
        }
      }
      try run.network.setCarrier("eth0", false)
      try run.expect("the cable", .unsatisfied(.deadDefaultRoute, why: ["eth0"]))
    },
  ]

  static let links: [NetworkScenario] = [
    NetworkScenario("a bridge counts while its physical port has a carrier") { run in
      try run.network.addLink(TestLink("eth0"))
      try run.network.addLink(.virtual("tap0"))
      try run.network.addLink(.bridge("br0"), addresses: "192.0.2.10/24")
      for port in ["eth0", "tap0"] {
        try run.network.setMaster(port, "br0")
        try run.network.setUp(port)
      }
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "br0"))
      try run.expect("whole", .satisfied("br0", type: .wired, uses: [.wired]))
      try run.expect("wired", .satisfied("br0"), under: .wired)
      try run.network.setCarrier("eth0", false)
      try run.expect("port out", .unsatisfied(.uplinkPortDown, alternatives: [], why: ["br0"]))
      try run.network.setCarrier("eth0", true)
      try run.expect("port in", .satisfied("br0"))
    },
    NetworkScenario("a bridge of virtual ports alone is other") { run in
      try run.network.addLink(.virtual("tap0"))
      try run.network.addLink(.bridge("br0"), addresses: "192.0.2.10/24")
      try run.network.setMaster("tap0", "br0")
      try run.network.setUp("tap0")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "br0"))
      try run.expect("other", .satisfied("br0", type: .other))
    },
    NetworkScenario("a port that leaves its bridge is still there") { run in
      try run.network.addLink(TestLink("eth1"), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth1"))
      try run.network.addLink(.bridge("br0"))
      try run.network.setUp("br0")
      try run.expectNoChange("joins and leaves") {
        try run.network.setMaster("eth1", "br0")
        try run.network.setMaster("eth1", nil)
      }
      try run.expect("alone", .satisfied("eth1"))
    },
    NetworkScenario("a vlan whose parent lost its carrier is down", needs: [.vlan]) { run in
      try run.network.addLink(TestLink("eth0"))
      try run.network.setUp("eth0")
      try run.network.addLink(
        TestLink("vlan2", .other, kind: .vlan(over: "eth0")), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "vlan2"))
      try run.expect("up", .satisfied("vlan2", type: .wired))
      try run.network.setCarrier("eth0", false)
      try run.expect("parent out", .unsatisfied(.deadDefaultRoute, why: ["vlan2"]))
      try run.network.setCarrier("eth0", true)
      try run.expect("parent in", .satisfied("vlan2"))
    },
    NetworkScenario("a bond takes the type of the port it uses", needs: [.bond]) { run in
      for (name, type) in [("eth0", InterfaceType.wired), ("wlan0", .wifi)] {
        try run.network.addLink(TestLink(name, type))
      }
      try run.network.addLink(TestLink("bond0", .other, kind: .bond))
      for name in ["eth0", "wlan0"] {
        try run.network.setMaster(name, "bond0")
        try run.network.setUp(name)
      }
      try run.network.setUp("bond0")
      try run.network.addAddress("bond0", "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "bond0"))
      try run.expect("wired", .satisfied("bond0", type: .wired, uses: [.wired]))
      try run.network.setCarrier("eth0", false)
      try run.expect("wireless", .satisfied("bond0", type: .wifi, uses: [.wifi]))
    },
    NetworkScenario(
      "a link that waits to be let in asks for a connection", needs: [.dormancy]
    ) { run in
      try run.wired()
      try run.network.setOperationalState("eth0", .dormant)
      try run.expect("with a route", .requiresConnection(.dormant, order: ["eth0"]))
      try run.network.deleteRoute(.ipv4("eth0"))
      try run.expect("without", .requiresConnection(.dormant, order: ["eth0"]))
      try run.network.setOperationalState("eth0", nil)
      try run.expect("let in", .unsatisfied(.noRoute))
    },
    NetworkScenario("a blocked radio is named, and denies wifi", needs: [.radio]) { run in
      try run.wireless()
      try run.network.setRadioBlocked("wlan0", true)
      try run.network.setDown("wlan0")
      try run.expect("blocked", .unsatisfied(.radioOff, unsatisfiedReason: .wifiDenied))
      try run.network.setRadioBlocked("wlan0", false)
      try run.expect("merely off", .unsatisfied(.noInterface, unsatisfiedReason: .notAvailable))
    },
    NetworkScenario("a link that is only named later is waited for") { run in
      let filter = PathFilter(interface: "eth9")
      try run.expect("absent", .unsatisfied(.noInterface, why: ["eth9"]), under: filter)
      try run.network.addLink(TestLink("eth9"))
      try run.expect("off", .unsatisfied(.noInterface, why: ["switched off"]), under: filter)
      try run.network.setUp("eth9")
      try run.network.addAddress("eth9", "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth9"))
      try run.expect("online", .satisfied("eth9"), under: filter)
    },
    NetworkScenario("a pattern binds again to a device that was re-created") { run in
      let filter = PathFilter(interface: "tun*")
      var indices: [Int32] = []
      for session in 0..<2 {
        try run.expect("before \(session)", .unsatisfied(.noInterface), under: filter)
        try run.network.addLink(.tun("tun0"), addresses: "10.8.0.2/24")
        try run.network.addRoute(.ipv4("tun0"))
        try run.expect("in \(session)", .satisfied("tun0"), under: filter)
        indices += try run.path(filter).interfaces.map(\.index)
        try run.network.deleteLink("tun0")
      }
      run.require("the second is another device", Set(indices).count == 2)
    },
    NetworkScenario("a link answers to its alternative names") { run in
      try run.wired()
      let long = "a-name-that-only-netlink-reports-and-fits"
      for name in ["enp6s0", long] { try run.network.addAlternativeName(name, to: "eth0") }
      let filter = PathFilter(interface: long)
      try run.expect("altname", .satisfied("eth0"), under: filter)
      try run.network.deleteAlternativeName(long, of: "eth0")
      try run.expect("taken away", .unsatisfied(.filteredOut, why: ["eth0"]), under: filter)
    },
    NetworkScenario("a name given to another device does not take its path along") { run in
      try run.network.addLink(TestLink("eth0"))
      try run.network.rename("eth0", to: "keth0")
      try run.network.addLink(TestLink("eth0"), addresses: "192.0.2.10/24")
      try run.network.addRoute(.ipv4(via: "192.0.2.1", "eth0"))
      try run.expect("the second", .satisfied("eth0"))
      try run.expect(
        "the first", .unsatisfied(.filteredOut), under: PathFilter(interface: "keth0"))
    },
  ]
}
