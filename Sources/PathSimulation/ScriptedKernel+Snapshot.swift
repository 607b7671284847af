package import PathCore

/// The scripted kernel as the reader would show it.
extension ScriptedKernel {
  func position(_ name: String) throws -> Int {
    guard let position = links.firstIndex(where: { $0.name == name }) else {
      throw TestNetworkError("there is no link \(name)")
    }
    return position
  }

  func link(_ name: String) throws -> Link { links[try position(name)] }

  /// The carrier as the link sees it: a cable, a port that has one, or the link beneath.
  func hasCarrier(_ link: Link) -> Bool {
    guard link.isUp, link.hasCable else { return false }
    switch link.spec.kind {
    case .device, .virtual, .wireguard, .tun, .tap, .ipip: return true
    case .bridge, .bond:
      return links.contains { $0.master == link.index && hasCarrier($0) }
    case .vlan, .ppp:
      return links.first { $0.index == link.lower }.map(hasCarrier) ?? false
    }
  }

  package func snapshot() -> Snapshot {
    var shown = links.map(interface)
    let ipv6 = lookup(.ipv6)
    var snapshot = Snapshot(
      ipv4: lookup(.ipv4), ipv6: isRoute(ipv6) ? ipv6 : lookupBySource(links) ?? ipv6,
      nameServers: nameServers.map {
        NameServer($0.address, zone: $0.zone, lookup: lookup(server: $0.address))
      }, gatewayHardware: gatewayHardware)
    let named = Set(
      [snapshot.ipv4, snapshot.ipv6].flatMap { $0.answer?.hops.map(\.interface) ?? [] })
    for position in shown.indices {
      let index = shown[position].index
      guard shown[position].master == 0, shown[position].linkState == .usable, index != 1,
        shown[position].mayLeave || shown[position].isPhysical || named.contains(index)
      else { continue }
      shown[position].ipv4 = lookup(.ipv4, bound: index)
      let bound = lookup(.ipv6, bound: index)
      let own = links.filter { $0.index == index }
      shown[position].ipv6 = isRoute(bound) ? bound : lookupBySource(own, bound: index) ?? bound
    }
    let needed = neededLinks(snapshot, shown)
    snapshot.interfaces = shown.filter { interface in
      interface.isPhysical || interface.flags.contains(.loopback)
        || interface.master == 0 && interface.mayLeave || needed.contains(interface.index)
    }.sorted { $0.index < $1.index }
    snapshot.ignoredLinks = shown.count - snapshot.interfaces.count
    return snapshot
  }

  private func isRoute(_ lookup: Lookup) -> Bool { lookup.answer != nil }

  /// A source-specific default answers only to a source: each usable address is tried.
  private func lookupBySource(_ links: [Link], bound: Int32? = nil) -> Lookup? {
    for link in links {
      for entry in link.addresses
      where entry.isUsable && entry.address.family == .ipv6 && hasCarrier(link) {
        let answer = lookup(.ipv6, bound: bound, source: entry.address)
        if isRoute(answer) { return answer }
      }
    }
    return nil
  }

  private func neededLinks(_ snapshot: Snapshot, _ shown: [Interface]) -> Set<Int32> {
    var needed: Set<Int32> = []
    for lookup in [snapshot.ipv4, snapshot.ipv6] {
      for hop in lookup.answer?.hops ?? [] { needed.insert(hop.interface) }
    }
    for interface in shown {
      needed.formUnion(interface.bridgePorts ?? [])
      if interface.lower != 0 { needed.insert(interface.lower) }
    }
    return needed
  }

  private func interface(_ link: Link) -> Interface {
    let isCarrying = hasCarrier(link)
    var flags: LinkFlags = []
    if link.isUp { flags.insert(.up) }
    if isCarrying { flags.formUnion([.running, .lowerUp]) }
    if link.index == 1 { flags.insert(.loopback) }
    var shown = Interface(
      index: link.index, name: link.name, type: link.spec.type, flags: flags)
    shown.alternativeNames = link.alternativeNames
    shown.operationalState = link.stateOverride ?? naturalState(link, isCarrying)
    shown.master = link.master
    shown.isPhysical = link.spec.kind == .device
    shown.acceptsUniqueLocal = link.acceptsUniqueLocal
    shown.isRadioBlocked = link.isRadioBlocked
    shown.ssid = link.ssid
    shown.addresses = link.addresses.sorted { $0.address < $1.address }
    shown.hasGatewayRoute = hasGatewayRoute(link)
    if let isExpensive = link.isExpensive {
      shown.cost = LinkCost(isExpensive: isExpensive, source: .config)
    } else if link.spec.isExpensive {
      shown.cost = LinkCost(isExpensive: true, source: .config)
    } else if link.spec.type == .cellular {
      shown.cost = LinkCost(isExpensive: true, source: .type)
    }
    shown.cost.isConstrained = link.isConstrained
    addStructure(of: link, to: &shown)
    return shown
  }

  private func addStructure(of link: Link, to shown: inout Interface) {
    switch link.spec.kind {
    case .device: break
    case .virtual: shown.kind = link.index == 1 ? "" : "veth"
    case .bridge:
      shown.kind = "bridge"
      let ports = links.filter { $0.master == link.index && $0.spec.kind == .device }
      shown.bridgePorts = ports.isEmpty ? nil : ports.map(\.index)
    case .bond:
      shown.kind = "bond"
      let ports = links.filter { $0.master == link.index }
      shown.lower = (ports.first(where: hasCarrier) ?? ports.first)?.index ?? 0
    case .vlan:
      shown.kind = "vlan"
      shown.lower = link.lower
    case .ppp:
      shown.kind = "ppp"
      shown.lower = link.lower
      shown.flags.insert(.pointToPoint)
      shown.isOnDemand = true
    case .wireguard:
      shown.kind = "wireguard"
      shown.flags.insert(.pointToPoint)
      shown.underlay = underlay(link)
    case .tun:
      shown.kind = "tun"
      shown.flags.insert(.pointToPoint)
      shown.underlay = underlay(link)
      shown.isOnDemand = link.isOnDemand || link.name.hasPrefix("ppp")
    case .tap:
      shown.kind = "tun"
      shown.isTap = true
      shown.underlay = underlay(link)
    case .ipip:
      shown.kind = "ipip"
      shown.flags.insert(.pointToPoint)
      shown.underlay = link.underlay == .unsaid ? .link(link.lower) : underlay(link)
    }
  }

  private func underlay(_ link: Link) -> Underlay {
    switch link.underlay {
    case .unsaid: .unknown
    case .always: .always
    case .link(let name): (try? self.link(name)).map { .link($0.index) } ?? .unknown
    }
  }

  private func naturalState(_ link: Link, _ isCarrying: Bool) -> OperationalState {
    switch link.spec.kind {
    case .wireguard, .tun, .tap, .ppp, .ipip: return .unknown
    case .vlan: return !link.isUp ? .down : isCarrying ? .up : .lowerLayerDown
    case .device, .virtual, .bridge, .bond:
      return link.index == 1 ? .unknown : isCarrying ? .up : .down
    }
  }

  /// A way to somewhere global through a gateway, in whatever table.
  private func hasGatewayRoute(_ link: Link) -> Bool {
    routes.contains { route in
      route.kind == .unicast && !route.destination.isPrivate
        && hops(of: route).contains {
          $0.interface == link.index && $0.gateway != nil && !$0.isDead
        }
    }
  }
}

extension Interface {
  /// An address that could be the source of what leaves the link.
  fileprivate var mayLeave: Bool {
    addresses.contains { $0.isUsable || $0.isLinkLocalIPv4 }
  }
}

extension IPAddress {
  /// Not to be met on the internet: private, unique-local, link-local or loopback.
  fileprivate var isPrivate: Bool {
    if isLinkLocal || isLoopback || isUniqueLocal { return true }
    return family == .ipv4 && (low >> 24 == 10 || low >> 20 == 0xAC1 || low >> 16 == 0xC0A8)
  }
}
