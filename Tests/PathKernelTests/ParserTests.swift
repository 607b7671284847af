import CLinux
import PathCore
import Testing

@testable import PathKernel

@Suite struct ParserTests {
  private func link(_ payload: [UInt8]) -> LinkRecord? {
    if case .link(let record) = Bytes.message(16, payload).reading { record } else { nil }
  }

  @Test("The recorded links of a kernel are read with their kinds, names and masters")
  func recordedLinks() throws {
    var links: [String: LinkRecord] = [:]
    for case .link(let link) in try Bytes.recorded("links").flatMap(Reading.all) {
      links[link.name] = link
    }
    #expect(links.keys.sorted() == ["br0", "eth0", "eth1", "lo", "tap0", "tun0", "vx0"])
    #expect(links["eth0"]?.kind == "veth")
    #expect(
      links["eth0"]?.alternativeNames.sorted()
        == ["a-name-of-forty-characters-0123456789012", "enp6s0"])
    #expect(links["eth0"]?.lower == 0, "the peer is in another namespace")
    #expect(links["eth0"]?.hasLocalHardwareAddress == true)
    #expect(links["eth1"]?.hasLocalHardwareAddress == false)
    #expect(links["vx0"]?.master == links["br0"]?.index)
    #expect(links["vx0"]?.lower == links["eth0"]?.index)
    #expect(links["tun0"]?.isTap == false)
    #expect(links["tap0"]?.isTap == true)
    #expect(links["lo"]?.flags.contains(.loopback) == true)
    #expect(links["eth0"]?.linkState == .usable)
  }

  @Test("The recorded addresses are read with the near end of a point-to-point link")
  func recordedAddresses() throws {
    var texts: Set<String> = []
    var pending: Set<String> = []
    for case .address(let address) in try Bytes.recorded("addresses").flatMap(Reading.all) {
      texts.insert("\(address.address)/\(address.prefixLength)")
      if address.isPending { pending.insert("\(address.address)") }
    }
    #expect(texts.isSuperset(of: ["192.0.2.10/24", "198.51.100.10/32", "2001:db8::10/64"]))
    #expect(pending.contains("2001:db8:2::10"))
    #expect(!pending.contains("2001:db8::10"))
  }

  @Test("The recorded routes and answers are read with every form of next hop")
  func recordedRoutes() throws {
    let routes = try (Bytes.recorded("routes") + Bytes.recorded("answers")).flatMap(Reading.all)
    var byPrefix: [String: RouteRecord] = [:]
    for case .route(let route) in routes {
      byPrefix["\(route.destination?.description ?? "default-\(route.family)")"] = route
    }
    let multipath = byPrefix["default-ipv4"]
    #expect(multipath?.hops.count == 2)
    #expect(multipath?.hops.first?.gateway?.description == "192.0.2.1")
    #expect(multipath?.hops.last?.gateway?.description == "fe80::1")
    #expect(multipath?.hops.last?.gateway?.scope == multipath?.hops.last?.interface)
    #expect(byPrefix["198.18.0.0"]?.hops.first?.gateway?.description == "fe80::1")
    #expect(byPrefix["203.0.113.0"]?.nexthopID == 9)
    #expect(byPrefix["203.0.113.128"]?.type == 7)
    #expect(byPrefix["203.0.113.128"]?.hops.isEmpty == true)
    #expect(
      routes.contains { if case .route(let route) = $0 { route.expiry != nil } else { false } })
  }

  @Test("The recorded nexthops and neighbours are read")
  func recordedOthers() throws {
    var nexthops: [UInt32: NexthopRecord] = [:]
    for case .nexthop(let nexthop) in try Bytes.recorded("nexthops").flatMap(Reading.all) {
      nexthops[nexthop.id] = nexthop
    }
    #expect(nexthops[7]?.hop?.gateway?.description == "192.0.2.1")
    #expect(nexthops[9]?.members == [7, 8])
    #expect(nexthops[10]?.isBlackhole == true)
    #expect(nexthops[11]?.hop?.gateway?.description == "2001:db8::1")
    var hardware: [String: String] = [:]
    for case .neighbour(let neighbour) in try Bytes.recorded("neighbours").flatMap(Reading.all) {
      hardware["\(neighbour.address)"] = neighbour.hardware
    }
    #expect(hardware["192.0.2.1"] == "02:00:5e:00:53:aa")
    #expect(hardware["fe80::1"] == "02:00:5e:00:53:bb")
  }

  @Test(
    "Cut at every offset, a message is refused or skipped, and never read past its end",
    arguments: Bytes.recordings)
  func cuts(_ name: String) throws {
    for datagram in try Bytes.recorded(name) {
      for length in 0..<datagram.count {
        // Once as it is, which cuts the last message, and once with the first one's length made to
        // fit, which cuts its attributes.
        _ = Reading.all(Array(datagram[..<length]))
        guard length >= 16 else { continue }
        var fitted = Array(datagram[..<length])
        withUnsafeBytes(of: UInt32(length)) { fitted.replaceSubrange(0..<4, with: $0) }
        _ = Reading.all(fitted)
      }
    }
  }

  @Test(
    "With bits flipped anywhere, a message can only be refused or differ",
    arguments: Bytes.recordings)
  func flips(_ name: String) throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(state: seed)
    for datagram in try Bytes.recorded(name) {
      for _ in 0..<2000 {
        var damaged = datagram
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<damaged.count, using: &random)
          damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        #expect(!Reading.all(damaged).isEmpty, "seed \(seed)")
      }
    }
  }

  @Test("Every attribute length from zero on is survived", arguments: Bytes.recordings)
  func attributeLengths(_ name: String) throws {
    for datagram in try Bytes.recorded(name) where datagram.count > 48 {
      for place in stride(from: 16, to: min(datagram.count - 2, 700), by: 4) {
        for length in [0, 1, 3, 4, 5, 7, 0xFFFF] as [UInt16] {
          var damaged = datagram
          withUnsafeBytes(of: length) { damaged.replaceSubrange(place..<place + 2, with: $0) }
          _ = Reading.all(damaged)
        }
      }
    }
  }

  @Test("N-03: a link message of 70,000 bytes is read between its neighbours")
  func hugeMessage() {
    var datagram: [UInt8] = []
    for index in 1...3 as ClosedRange<Int32> {
      datagram += Bytes.message(
        16,
        Bytes.link(index) {
          $0.attribute(Int(IFLA_IFNAME), "eth\(index)")
          if index == 2 {
            // More than one attribute's sixteen bits of length can hold.
            for _ in 0..<2 { $0.attribute(22, [UInt8](repeating: 7, count: 35_000)) }
          }
        })
    }
    let names = Reading.all(datagram).map { if case .link(let link) = $0 { link.name } else { "" } }
    #expect(names == ["eth1", "eth2", "eth3"])
  }

  @Test("N-04: an attribute's number means nothing outside its nest, and unknown ones are skipped")
  func localNumbers() {
    var data = Bytes()
    data.attribute(Int(IFLA_OPERSTATE), [UInt8](repeating: 3, count: 40))
    data.attribute(Int(IFLA_MASTER), [1, 2, 3])
    var info = Bytes()
    info.attribute(Int(IFLA_INFO_KIND), "bridge")
    info.attribute(Int(IFLA_INFO_DATA) | 0x8000, data.array)
    let record = link(
      Bytes.link(5) {
        $0.attribute(Int(IFLA_IFNAME), "br0")
        $0.attribute(Int(IFLA_LINKINFO) | 0x8000, info.array)
        $0.attribute(Int(IFLA_OPERSTATE), [6])
        $0.attribute(9999, [1, 2, 3])
        $0.attribute(Int(IFLA_MASTER), 9)
      })
    #expect(record?.kind == "bridge")
    #expect(record?.operationalState == .up)
    #expect(record?.master == 9)
  }

  @Test("N-05: a delete needs its header alone")
  func deletes() {
    let broken = Bytes.link(7714) { $0.array += [0xFF, 0xFF, 1, 0, 9, 9] }
    #expect(Bytes.message(17, broken).reading == .deletedLink(7714))
    #expect(Bytes.message(16, broken).reading == .refused)
  }

  @Test("N-06: a link message of another family is no device's")
  func bridgeFamily() {
    #expect(Bytes.message(17, Bytes.link(7, family: 7)).reading == .skipped)
    #expect(Bytes.message(16, Bytes.link(7, family: 7)).reading == .skipped)
  }

  @Test("A wireless event that rides on NEWLINK is no state of the link")
  func wirelessEvent() {
    let event = Bytes.link(3) {
      $0.attribute(Int(IFLA_IFNAME), "wlan0")
      $0.attribute(Int(IFLA_WIRELESS), [1, 2, 3, 4])
    }
    #expect(Bytes.message(16, event).reading == .skipped)
  }

  @Test("N-13: statistics of any size change nothing", arguments: [3, 96, 192, 196, 200, 288, 304])
  func statistics(_ size: Int) {
    let record = link(
      Bytes.link(2) {
        $0.attribute(Int(IFLA_STATS64), [UInt8](repeating: 1, count: size))
        $0.attribute(Int(IFLA_IFNAME), "eth0")
      })
    #expect(record?.name == "eth0")
  }

  @Test("A known attribute that is too short refuses the message")
  func shortValue() {
    let payload = Bytes.link(2) {
      $0.attribute(Int(IFLA_IFNAME), "eth0")
      $0.attribute(Int(IFLA_MASTER), [1, 2])
    }
    #expect(Bytes.message(16, payload).reading == .refused)
  }

  @Test("A name that is no UTF-8 is repaired and keeps its control characters")
  func oddName() {
    let record = link(Bytes.link(2) { $0.attribute(Int(IFLA_IFNAME), [0x65, 0xFF, 0x1B, 0]) })
    #expect(record?.name == "e\u{FFFD}\u{1B}")
  }

  @Test("The wide flags of an address win over the old byte", arguments: [0x40, 0x04, 0x08, 0x80])
  func addressFlags(_ flags: UInt32) {
    let payload = Bytes.address(2, family: 10, prefix: 64, flags: 0xFF) {
      $0.attribute(Int(IFA_ADDRESS), Bytes.network(IPAddress("2001:db8::10")!))
      $0.attribute(Int(IFA_FLAGS), flags)
    }
    guard case .address(let address) = Bytes.message(20, payload).reading else {
      Issue.record("refused")
      return
    }
    #expect(address.isPending == (flags != 0x80))
  }

  @Test("A zero gateway is none, and an address of the wrong size is refused")
  func gateways() {
    let none = Bytes.route {
      $0.attribute(Int(RTA_OIF.rawValue), 3)
      $0.attribute(Int(RTA_GATEWAY.rawValue), [0, 0, 0, 0])
    }
    guard case .route(let route) = Bytes.message(24, none).reading else {
      Issue.record("refused")
      return
    }
    #expect(route.hops == [NextHop(interface: 3)])
    let wrong = Bytes.route { $0.attribute(Int(RTA_GATEWAY.rawValue), [1, 2, 3]) }
    #expect(Bytes.message(24, wrong).reading == .refused)
  }

  @Test("A hop that is dead or without carrier says so", arguments: [1, 16] as [UInt32])
  func deadHop(_ flags: UInt32) {
    let payload = Bytes.route(flags: flags) { $0.attribute(Int(RTA_OIF.rawValue), 3) }
    guard case .route(let route) = Bytes.message(24, payload).reading else {
      Issue.record("refused")
      return
    }
    #expect(route.hops == [NextHop(interface: 3, isDead: true)])
  }
}
