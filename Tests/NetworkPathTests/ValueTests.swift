import FoundationEssentials
import NetworkPath
import Testing

/// The values: paths, interfaces, addresses, endpoints, filters.
struct ValueTests {
  @Test func `interfaces are the same by name and index alone`() {
    let one = NWInterface(type: .wifi, name: "wlan0", index: 3)
    #expect(one == NWInterface(type: .other, name: "wlan0", index: 3, kind: "x"))
    #expect(one != NWInterface(type: .wifi, name: "wlan0", index: 4))
    #expect(one != NWInterface(type: .wifi, name: "wlan1", index: 3))
    #expect(Set([one, NWInterface(type: .other, name: "wlan0", index: 3)]).count == 1)
    #expect("\(one.debugDescription)" == "wlan0")
  }

  @Test func `a path made for a test has what it was given`() {
    let wifi = NWInterface(type: .wifi, name: "wlan0", index: 3)
    let path = NWPath(
      status: .satisfied, availableInterfaces: [wifi], isExpensive: true, supportsIPv6: true,
      gateways: ["192.0.2.1", "fe80::1", "nonsense"])
    #expect(path.status == .satisfied && path.isExpensive && path.supportsIPv4)
    #expect(path.supportsIPv6 && path.supportsDNS && path.usesInterfaceType(.wifi))
    #expect(!path.usesInterfaceType(.cellular))
    #expect(path.gateways.map(\.debugDescription) == ["192.0.2.1:0", "fe80::1%wlan0.0"])
    #expect(path.localEndpoint == nil && path.remoteEndpoint == nil)
    let none = NWPath(status: .unsatisfied, unsatisfiedReason: .wifiDenied, isExpensive: true)
    #expect(none.unsatisfiedReason == .wifiDenied && !none.isExpensive && !none.supportsIPv4)
    #expect(none != path && none == NWPath(status: .unsatisfied, unsatisfiedReason: .wifiDenied))
  }

  @Test func `what a path says of itself is for logs`() {
    let path = ScriptedNetwork([.cellular("wwan0")]).monitor().currentPath
    #expect(path.debugDescription.hasPrefix("satisfied ("))
    for part in ["interface: wwan0", "ipv4", "dns", "expensive", "uses cellular"] {
      #expect(path.debugDescription.contains(part))
    }
  }

  @Test func `a path knows its reasons and its evidence`() {
    let network = ScriptedNetwork([.wifi("wlan0"), .cellular("wwan0")])
    let path = network.monitor(NWPathFilter(required: .wiredEthernet)).currentPath
    #expect(path.status == .unsatisfied && path.reason == .filteredOut)
    #expect(path.alternatives.map(\.name) == ["wlan0", "wwan0"])
    #expect(path.explanation.contains { $0.contains("left out by the filter") })
    #expect(!path.why.isEmpty)
  }

  @Test func `two networks with the same addresses are told apart by their gateways`() async {
    var home = ScriptedNetwork.Interface.wifi("wlan0")
    home.gatewayHardware = "02:00:00:00:00:01"
    var hotel = home
    hotel.gatewayHardware = "02:00:00:00:00:02"
    let network = ScriptedNetwork([home])
    let ears = Ears()
    let monitor = network.monitor()
    ears.listen(to: monitor)
    network.interfaces = [hotel]
    await network.delivered()
    #expect(ears.heard.count == 2)
    #expect(ears.heard.map { $0.network?.id }.first != ears.heard.map { $0.network?.id }.last)
  }

  @Test(arguments: [
    (NWPathFilter(), "eth0"), (NWPathFilter(required: .cellular), "wwan0"),
    (NWPathFilter(prohibited: [.wiredEthernet]), "wlan0"),
    (NWPathFilter(prohibited: [.wiredEthernet, .wifi]), "wwan0"),
    (NWPathFilter(interface: "w*"), "wlan0"), (NWPathFilter(ignored: ["eth0"]), "wlan0"),
    (NWPathFilter(required: .cellular, prohibited: [.wifi], interface: "wwan?"), "wwan0"),
  ])
  func `a filter leaves what it accepts`(_ filter: NWPathFilter, _ first: String) {
    let path = ScriptedNetwork.everything().monitor(filter).currentPath
    #expect(path.availableInterfaces.first?.name == first)
  }

  @Test func `the initialisers of Apple's API are filters`() {
    // On the kernel's network, whatever that is here.
    #expect(NWPathMonitor(requiredInterfaceType: .loopback).currentPath.status == .satisfied)
    let none = NWPathMonitor(prohibitedInterfaceTypes: NWInterface.InterfaceType.allCases)
    #expect(none.currentPath.status != .satisfied)
    #expect(NWPathMonitor().currentPath.captureTime <= .now)
  }

  // MARK: Addresses

  @Test func `IPv4 addresses are read and written`() throws {
    let address = try #require(IPv4Address("192.0.2.1"))
    #expect(address.rawValue == Data([192, 0, 2, 1]))
    #expect(IPv4Address(Data([192, 0, 2, 1])) == address)
    #expect(IPv4Address(Data([1, 2, 3])) == nil)
    #expect(IPv4Address(Data(repeating: 1, count: 5)) == nil)
    #expect(address.debugDescription == "192.0.2.1")
    for wrong in ["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.0.0.1", "::1", "x", "1.2.3.4 "] {
      #expect(IPv4Address(wrong) == nil, "\(wrong)")
    }
    #expect(IPv4Address.loopback.isLoopback && !address.isLoopback)
    #expect(IPv4Address("169.254.1.1")?.isLinkLocal == true)
    #expect(IPv4Address("224.0.0.251")?.isMulticast == true && !address.isMulticast)
    #expect(IPv4Address.broadcast.rawValue == Data([255, 255, 255, 255]))
  }

  @Test func `IPv6 addresses are read and written`() throws {
    let address = try #require(IPv6Address("2001:db8::A"))
    #expect(address.debugDescription == "2001:db8::a")
    #expect(IPv6Address(address.rawValue) == address && address.rawValue.count == 16)
    #expect(address.rawValue.last == 10 && address.rawValue.first == 0x20)
    #expect(IPv6Address(Data([1])) == nil && IPv6Address("1.2.3.4") == nil)
    let local = try #require(IPv6Address("fe80::1%eth0"))
    #expect(local.isLinkLocal && local.interface?.name == "eth0")
    #expect(local.debugDescription == "fe80::1%eth0")
    #expect(IPv6Address("fe80::1%") == nil)
    #expect(IPv6Address("ff02::1")?.isMulticast == true && IPv6Address.loopback.isLoopback)
    #expect(IPv6Address("fd00::1")?.isUniqueLocal == true)
    #expect(IPv6Address("::ffff:192.0.2.1")?.isIPv4Mapped == true)
  }

  @Test func `hosts, ports and endpoints are written as they are read`() {
    #expect(NWEndpoint.Host("192.0.2.1") == .ipv4(IPv4Address("192.0.2.1")!))
    #expect(NWEndpoint.Host("::1") == .ipv6(.loopback))
    let name: NWEndpoint.Host = "www.example.com"
    #expect(name == .name("www.example.com", nil) && name.interface == nil)
    let port: NWEndpoint.Port = 8080
    #expect(port.rawValue == 8080 && NWEndpoint.Port("443") == .https)
    #expect(NWEndpoint.Port("70000") == nil && NWEndpoint.Port("x") == nil)
    #expect(NWEndpoint.hostPort(host: name, port: .http).debugDescription == "www.example.com:80")
    #expect(NWEndpoint.hostPort(host: "::1", port: .ssh).debugDescription == "::1.22")
    #expect(NWEndpoint.unix(path: "/run/x").debugDescription == "/run/x")
    #expect(NWEndpoint.hostPort(host: "fe80::1%eth0", port: .any).interface?.name == "eth0")
  }
}

extension ScriptedNetwork {
  func monitor(_ filter: NWPathFilter = NWPathFilter()) -> NWPathMonitor {
    NWPathMonitor(filter: filter, network: self)
  }
}
