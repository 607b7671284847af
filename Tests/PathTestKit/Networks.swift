package import PathCore

/// Ready-made snapshots, for tests that are about time and policies rather than about routes.
extension Snapshot {
  /// A wired or wireless link with an address and a default route through 192.0.2.1.
  package static func online(
    _ name: String = "wlan0", type: InterfaceType = .wifi, index: Int32 = 2
  ) -> Snapshot {
    let route = Lookup.route(
      RouteAnswer(hops: [NextHop(interface: index, gateway: IPAddress(ipv4: 0xC000_0201))]))
    var link = Interface(
      index: index, name: name, type: type, flags: [.up, .running, .lowerUp])
    link.operationalState = .up
    link.isPhysical = true
    link.addresses = [InterfaceAddress(IPAddress(ipv4: 0xC000_020A), prefixLength: 24)]
    link.ipv4 = route
    link.ipv6 = .noRoute
    return Snapshot(
      interfaces: [.loopback, link], ipv4: route,
      nameServers: [NameServer(IPAddress(ipv4: 0xC000_0235))])
  }

  /// A cable, Wi-Fi and a modem – eth0, wlan0 and wwan0 – of which these work, the first as the way
  /// out. A modem costs money; the others do when `isExpensive` says so.
  package static func uplinks(
    _ working: [InterfaceType], isExpensive: Bool = false
  ) -> Snapshot {
    let all: [(String, InterfaceType)] = [("eth0", .wired), ("wlan0", .wifi), ("wwan0", .cellular)]
    var snapshot = Snapshot(interfaces: [.loopback])
    for (position, (name, type)) in all.enumerated() {
      let index = Int32(position + 2)
      let one = Snapshot.online(name, type: type, index: index)
      let isUp = working.contains(type)
      var link = (isUp ? one : .offline(name, type: type, index: index)).interfaces[1]
      if isExpensive || type == .cellular {
        link.cost = LinkCost(isExpensive: true, source: type == .cellular ? .type : .config)
      }
      snapshot.interfaces.append(link)
      if working.first == type { snapshot.ipv4 = one.ipv4 }
    }
    snapshot.nameServers = [NameServer(IPAddress(ipv4: 0xC000_0235))]
    return snapshot
  }

  /// The same link without a carrier, its routes gone.
  package static func offline(
    _ name: String = "wlan0", type: InterfaceType = .wifi, index: Int32 = 2
  ) -> Snapshot {
    var link = Interface(index: index, name: name, type: type, flags: [.up])
    link.operationalState = .down
    link.isPhysical = true
    return Snapshot(interfaces: [.loopback, link])
  }

  /// The same link while it waits to be let in, as WPA leaves it for a moment.
  package static func dormant(
    _ name: String = "wlan0", type: InterfaceType = .wifi, index: Int32 = 2
  ) -> Snapshot {
    var link = Interface(
      index: index, name: name, type: type, flags: [.up, .running, .lowerUp])
    link.operationalState = .dormant
    link.isPhysical = true
    return Snapshot(interfaces: [.loopback, link])
  }
}

extension Interface {
  package static var loopback: Interface {
    var link = Interface(
      index: 1, name: "lo", type: .loopback, flags: [.up, .running, .lowerUp, .loopback])
    link.addresses = [InterfaceAddress(IPAddress(ipv4: 0x7F00_0001), prefixLength: 8)]
    return link
  }
}
