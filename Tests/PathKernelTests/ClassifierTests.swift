import PathCore
import Testing

@testable import PathKernel

/// A sysfs tree with a few devices.
private struct FakeSysfs {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  func device(
    _ name: String, index: Int32, type: String = "", phy: String = "", driver: String = ""
  ) throws {
    let folder = "class/net/\(name)"
    try scratch.write("\(folder)/ifindex", "\(index)\n")
    try scratch.write(
      "\(folder)/uevent", (type.isEmpty ? "" : "DEVTYPE=\(type)\n") + "INTERFACE=\(name)\n")
    if !phy.isEmpty { try scratch.link("\(folder)/phy80211", to: "../../ieee80211/\(phy)") }
    if !driver.isEmpty {
      try scratch.link("\(folder)/device/driver", to: "../../../bus/usb/drivers/\(driver)")
    }
  }

  func classifier(_ rules: [InterfaceRule] = []) -> LinkClassifier {
    var settings = KernelSettings()
    settings.sysfsRoot = scratch.path
    settings.interfaces = rules
    return LinkClassifier(settings)
  }
}

private func link(
  _ name: String, _ index: Int32 = 2, kind: String = "", hardware: UInt16 = Hardware.ethernet,
  madeUp: Bool = false
) -> LinkRecord {
  var link = LinkRecord(index: index)
  link.name = name
  link.kind = kind
  link.hardwareType = hardware
  link.flags = [.up, .running, .lowerUp]
  link.operationalState = .up
  link.hasLocalHardwareAddress = madeUp
  return link
}

@Suite struct ClassifierTests {
  @Test("Devices of their own are told apart by what sysfs says")
  func devices() throws {
    let sysfs = try FakeSysfs()
    try sysfs.device("enp1s0", index: 2)
    try sysfs.device("wlan0", index: 3, type: "wlan", phy: "phy0")
    try sysfs.device("wlan1", index: 4, phy: "phy1")
    try sysfs.device("wwp0s20", index: 5, type: "wwan")
    try sysfs.device("bnep0", index: 6, type: "bluetooth")
    let classifier = sysfs.classifier()
    #expect(classifier.nature(of: link("enp1s0", 2)).type == .wired)
    #expect(classifier.nature(of: link("wlan0", 3)).type == .wifi)
    #expect(classifier.nature(of: link("wlan0", 3)).phy == "phy0")
    #expect(classifier.nature(of: link("wlan1", 4)).type == .wifi)
    let modem = classifier.nature(of: link("wwp0s20", 5))
    #expect(modem.type == .cellular)
    #expect(modem.cost == LinkCost(isExpensive: true, source: .type))
    let phone = classifier.nature(of: link("bnep0", 6))
    #expect(phone.type == .other)
    #expect(phone.cost.isExpensive)
  }

  @Test("sysfs that shows another link of that name is not believed")
  func foreignSysfs() throws {
    let sysfs = try FakeSysfs()
    try sysfs.device("eth0", index: 9, type: "wlan", phy: "phy0")
    #expect(sysfs.classifier().nature(of: link("eth0", 2)).type == .wired)
  }

  @Test("A name is not a path", arguments: ["..", ".", "", "../net/eth0"])
  func pathNames(_ name: String) throws {
    let sysfs = try FakeSysfs()
    try sysfs.device("eth0", index: 2, type: "wlan")
    #expect(Sysfs(root: sysfs.scratch.path).device(name, index: 2) == nil)
  }

  @Test("C-02: a phone on a cable is wired, and expensive when its driver or address says so")
  func phones() throws {
    let sysfs = try FakeSysfs()
    try sysfs.device("usb0", index: 2, driver: "rndis_host")
    try sysfs.device("usb1", index: 3, driver: "ipheth")
    try sysfs.device("usb2", index: 4, driver: "cdc_ncm")
    let classifier = sysfs.classifier()
    for record in [link("usb0", 2), link("usb1", 3), link("usb2", 4, madeUp: true)] {
      let nature = classifier.nature(of: record)
      #expect(nature.type == .wired)
      #expect(nature.cost == LinkCost(isExpensive: true, source: .driver))
    }
    #expect(!classifier.nature(of: link("usb2", 4)).cost.isExpensive)
    let rule = InterfaceRule("usb*", isExpensive: false)
    let told = sysfs.classifier([rule]).nature(of: link("usb0", 2))
    #expect(told.cost == LinkCost(isExpensive: false, source: .config))
  }

  @Test(
    "A modem whose driver leaves its device type out is cellular and costs",
    arguments: ["qmi_wwan", "cdc_mbim", "huawei_cdc_ncm", "sierra_net"])
  func modemDrivers(_ driver: String) throws {
    let sysfs = try FakeSysfs()
    try sysfs.device("usb0", index: 2, driver: driver)
    let nature = sysfs.classifier().nature(of: link("usb0", 2))
    #expect(nature.type == .cellular)
    #expect(nature.cost == LinkCost(isExpensive: true, source: .type))
  }

  @Test("Rules say where a unique-local address is enough, and what is dialled on demand")
  func conditions() throws {
    let rules = [
      InterfaceRule("wg*", acceptsUniqueLocal: true), InterfaceRule("wwan0", isOnDemand: true),
    ]
    let classifier = try FakeSysfs().classifier(rules)
    #expect(classifier.nature(of: link("wg0", kind: "wireguard")).acceptsUniqueLocal)
    #expect(classifier.nature(of: link("wwan0")).isOnDemand)
    #expect(classifier.nature(of: link("ppp0", kind: "ppp", hardware: 512)).isOnDemand)
    let plain = classifier.nature(of: link("eth0"))
    #expect(!plain.acceptsUniqueLocal && !plain.isOnDemand)
  }

  @Test("Of too many links those are asked that could be a way out")
  func crowd() {
    var links = (1...200).map { number in
      var link = Interface(
        index: Int32(number), name: "br\(number)", type: .other,
        flags: [.up, .running, .lowerUp])
      link.addresses = [InterfaceAddress(IPAddress("10.0.0.1")!, prefixLength: 24)]
      return link
    }
    links[180].isPhysical = true
    let places = RouteLookups.worthAsking(links, named: [191])
    #expect(places.count == RouteLookups.interfaceLimit)
    #expect(places.contains(180) && places.contains(190))
    #expect(places == places.sorted())
  }

  @Test("Modem names count with a modem's hardware type only")
  func modemNames() throws {
    let classifier = try FakeSysfs().classifier()
    for name in ["rmnet_data0", "rev_rmnet0", "ccmni0"] {
      #expect(classifier.nature(of: link(name, hardware: 519)).type == .cellular)
      #expect(classifier.nature(of: link(name, hardware: 530)).type == .cellular)
      #expect(classifier.nature(of: link(name, hardware: 801)).type == .other)
    }
  }

  @Test(
    "C-03: kinds decide before anything else, and the unknown is never costly",
    arguments: [
      ("tun", LinkNature.Stacking.tunnel), ("wireguard", .tunnel), ("gre", .tunnel),
      ("xfrm", .tunnel),
      ("dummy", .none), ("ifb", .none), ("brand-new", .none), ("bridge", .bridge),
    ])
  func kinds(_ kind: String, _ stacking: LinkNature.Stacking) throws {
    let nature = try FakeSysfs().classifier().nature(of: link("x0", kind: kind, hardware: 65534))
    #expect(nature.type == .other)
    #expect(nature.stacking == stacking)
    #expect(!nature.cost.isExpensive)
    #expect(!nature.isPhysical)
  }

  @Test("PPP and raw IP without more are other, and need nothing beneath them")
  func pointToPoint() throws {
    let classifier = try FakeSysfs().classifier()
    for record in [
      link("ppp0", kind: "ppp", hardware: 512), link("ppp1", hardware: 512),
      link("raw0", hardware: 519),
    ] {
      #expect(classifier.nature(of: record).type == .other)
      #expect(classifier.nature(of: record).stacking == .none)
    }
  }

  @Test("Rules: the first that names a property decides it, by name or alternative name")
  func rules() throws {
    let rules = [
      InterfaceRule("eth?", isConstrained: true),
      InterfaceRule("eth0", type: .wifi, isConstrained: false),
      InterfaceRule("modem", type: .cellular), InterfaceRule("*", type: .wired, isExpensive: true),
    ]
    let classifier = try FakeSysfs().classifier(rules)
    let eth0 = classifier.nature(of: link("eth0", kind: "veth"))
    #expect(eth0.type == .wifi)
    #expect(eth0.isPhysical)
    #expect(eth0.cost == LinkCost(isExpensive: true, source: .config, isConstrained: true))
    var named = link("veth7", kind: "veth")
    named.alternativeNames = ["modem"]
    #expect(classifier.nature(of: named).type == .cellular)
    var loop = link("lo", hardware: 772)
    loop.flags.insert(.loopback)
    #expect(classifier.nature(of: loop).type == .loopback)
  }

  @Test("A switched-off radio blocks its own device, a platform's switch all of its type")
  func radios() throws {
    let sysfs = try FakeSysfs()
    #expect(!RadioSwitches(Sysfs(root: sysfs.scratch.path)).isBlocked(.wifi, phy: "phy0"))
    func rfkill(_ name: String, type: String, soft: Int, hard: Int, device: String) throws {
      let folder = "class/rfkill/\(name)"
      try sysfs.scratch.write("\(folder)/type", "\(type)\n")
      try sysfs.scratch.write("\(folder)/soft", "\(soft)\n")
      try sysfs.scratch.write("\(folder)/hard", "\(hard)\n")
      try sysfs.scratch.link("\(folder)/device", to: "../../\(device)")
    }
    try rfkill("rfkill0", type: "wlan", soft: 1, hard: 0, device: "phy0")
    try rfkill("rfkill1", type: "bluetooth", soft: 1, hard: 1, device: "hci0")
    try rfkill("rfkill2", type: "wwan", soft: 0, hard: 0, device: "acpi")
    let one = RadioSwitches(Sysfs(root: sysfs.scratch.path))
    #expect(one.isBlocked(.wifi, phy: "phy0"))
    #expect(!one.isBlocked(.wifi, phy: "phy1"))
    #expect(!one.isBlocked(.cellular, phy: ""))
    #expect(!one.isBlocked(.wired, phy: "phy0"))
    try rfkill("rfkill3", type: "wlan", soft: 0, hard: 1, device: "platform")
    #expect(RadioSwitches(Sysfs(root: sysfs.scratch.path)).isBlocked(.wifi, phy: "phy1"))
  }
}

@Suite struct SelectionTests {
  private func selection(
    _ links: [LinkRecord], _ addresses: [(Int32, String)] = [],
    _ change: (inout KernelSettings) -> Void = { _ in }
  ) throws -> InterfaceSelection {
    var settings = KernelSettings()
    settings.sysfsRoot = "/nonexistent"
    change(&settings)
    let classifier = LinkClassifier(settings)
    var table = LinkTable()
    for link in links { _ = table.apply(link) }
    for (index, text) in addresses {
      let address = IPAddress(text)!
      _ = table.apply(
        AddressRecord(interface: index, address: address, peer: address, prefixLength: 24))
    }
    _ = table.prepare(classifier)
    return InterfaceSelection(
      table, radios: RadioSwitches(), countsBridgeUplink: settings.countsBridgeUplink)
  }

  private func record(
    _ name: String, _ index: Int32, kind: String = "",
    _ change: (inout LinkRecord) -> Void = { _ in }
  ) -> LinkRecord {
    var record = link(name, index, kind: kind)
    change(&record)
    return record
  }

  @Test("Container ports are counted, and shown only when they carry an address")
  func ports() throws {
    let chosen = try selection(
      [
        record("eth0", 2), record("docker0", 3, kind: "bridge"),
        record("veth1", 4, kind: "veth") { $0.master = 3 }, record("veth2", 5, kind: "veth"),
        record("veth3", 6, kind: "veth"),
      ],
      [(2, "192.0.2.10"), (3, "172.17.0.1"), (4, "192.0.2.11"), (6, "192.0.2.12"), (5, "fe80::1")])
    #expect(chosen.interfaces.map(\.name) == ["eth0", "docker0", "veth3"])
    #expect(chosen.ignored == 2)
    #expect(chosen.interfaces[1].type == .other)
    #expect(chosen.interfaces[1].bridgePorts == nil)
    #expect(chosen.interfaces[2].type == .wired)
  }

  @Test("A bridge has the type of its physical port with a carrier, even through a vlan on a bond")
  func bridge() throws {
    let links = [
      record("eth0", 2) { $0.master = 4 }, record("eth1", 3) { $0.master = 4 },
      record("bond0", 4, kind: "bond") { $0.activeMember = 3 },
      record("bond0.5", 5, kind: "vlan") { ($0.lower, $0.master) = (4, 6) },
      record("br0", 6, kind: "bridge"),
      record("tap0", 7, kind: "tun") { ($0.isTap, $0.master) = (true, 6) },
    ]
    let chosen = try selection(links, [(6, "192.0.2.10")])
    #expect(chosen.interfaces.map(\.index) == [2, 3, 4, 5, 6])
    let bridge = chosen.interfaces.last
    #expect(bridge?.type == .wired)
    #expect(bridge?.bridgePorts == [5])
    #expect(chosen.interfaces[2].lower == 3)
    let off = try selection(links, [(6, "192.0.2.10")]) { $0.countsBridgeUplink = false }
    #expect(off.interfaces.first { $0.index == 6 }?.bridgePorts == nil)
  }

  @Test("A tunnel's underlay is what the kernel or the operator names")
  func underlays() throws {
    let links = [
      record("eth0", 2), record("gre1", 3, kind: "gre") { $0.lower = 2 },
      record("wg0", 4, kind: "wireguard"), record("wg1", 5, kind: "wireguard"),
      record("wg2", 6, kind: "wireguard"), record("wg3", 7, kind: "wireguard"),
    ]
    let addresses = (3...7).map { (Int32($0), "10.0.0.\($0)") }
    let chosen = try selection(links, addresses) {
      $0.underlays = [
        UnderlayRule("wg1", .always), UnderlayRule("wg2", .interface("eth0")),
        UnderlayRule("wg3", .interface("gone")),
      ]
    }
    #expect(
      chosen.interfaces.map(\.underlay)
        == [.notNeeded, .link(2), .unknown, .always, .link(2), .link(0)])
  }

  @Test("A stacked link over cellular costs what cellular costs, unless the operator says more")
  func inheritedCost() throws {
    let links = [record("wwan0", 2), record("vlan5", 3, kind: "vlan") { $0.lower = 2 }]
    let rules = [InterfaceRule("wwan0", type: .cellular)]
    let chosen = try selection(links, [(3, "192.0.2.1")]) { $0.interfaces = rules }
    #expect(chosen.interfaces[1].type == .cellular)
    #expect(chosen.interfaces[1].cost == LinkCost(isExpensive: true, source: .type))
    let told = try selection(links, [(3, "192.0.2.1")]) {
      $0.interfaces = rules + [InterfaceRule("vlan5", isExpensive: false)]
    }
    #expect(told.interfaces[1].type == .cellular)
    #expect(told.interfaces[1].cost == LinkCost(isExpensive: false, source: .config))
  }

  @Test("Links stacked in a ring end as other")
  func ring() throws {
    let links = [
      record("a", 2, kind: "vlan") { $0.lower = 3 }, record("b", 3, kind: "vlan") { $0.lower = 2 },
    ]
    let chosen = try selection(links, [(2, "192.0.2.1")])
    #expect(chosen.interfaces.map(\.type) == [.other, .other])
  }

  @Test("F-05: a wireless link in link mode DORMANT with an UP operstate is usable")
  func dormantMode() { #expect(record("wlp3s0", 2).linkState == .usable) }
}
