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
    var changes = monitor.changes.makeAsyncIterator()
    let before = await changes.next()
    network.interfaces = [hotel]
    let after = await changes.next()
    #expect(after?.causes == [.network])
    #expect(before?.path.network?.id != after?.path.network?.id)
    // Apple's API shows no difference, so a handler is not called.
    await network.delivered()
    #expect(ears.heard.count == 1 && before?.path == after?.path)
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
}

extension ScriptedNetwork {
  func monitor(_ filter: NWPathFilter = NWPathFilter()) -> NWPathMonitor {
    NWPathMonitor(filter: filter, network: self)
  }
}
