/// What lies beneath an interface: the types of its layers, and what a tunnel rides on.
extension Survey {
  /// A tunnel counts while it has something to ride on:
  /// - its link was told: that link works and has an address;
  /// - (a) some other link that is no tunnel would carry a bound socket's traffic;
  /// - (b) such a link has a route through a gateway, as a VPN client keeps one to its server;
  /// - (c) there is nothing else: no link that is no tunnel is up but for bridges without a
  ///   physical port, and no device of its own exists. A container with only a tun is like that; a
  ///   laptop whose radio is off is not;
  /// - (d) it is a tap whose default has a gateway in its own subnet, as those have that stand in
  ///   for a cable, and no device of its own is up.
  func judgeTunnels() {
    let base = guessedBase()
    let isAlone = !interfaces.indices.contains { rivalsTunnel($0) }
    let isDeviceUp = interfaces.indices.contains { position in
      interfaces[position].isPhysical && !standings[position].isTunnel
        && interfaces[position].flags.contains(.up)
    }
    for position in standings.indices where standings[position].isTunnel {
      switch interfaces[position].underlay {
      case .notNeeded, .always: break
      case .link(let index):
        standings[position].underlay = self.position(index)
        if standings[position].obstacle == .none, !canBeRidden(index, base, isAlone, depth: 0) {
          standings[position].obstacle = .noUnderlay
        }
      case .unknown:
        let base = standings[position].isTranslator ? translatorBase() : base
        standings[position].underlay = base
        standings[position].isUnderlayGuessed = base != nil
        let isUplink =
          !standings[position].isTranslator
          && (isAlone || !isDeviceUp && isTapUplink(position))
        if standings[position].obstacle == .none, base == nil, !isUplink {
          standings[position].obstacle = .noUnderlay
        }
      }
      judgeBoundLookups(position)
    }
  }

  /// Whether a link that is no tunnel might be what a tunnel without ground was meant to ride on.
  /// A bridge without a physical port leads nowhere, and neither do the virtual ports of one.
  private func rivalsTunnel(_ position: Int) -> Bool {
    if standings[position].isTunnel || standings[position].obstacle == .loopback { return false }
    if interfaces[position].isPhysical { return true }
    guard interfaces[position].flags.contains(.up), interfaces[position].master == 0 else {
      return false
    }
    return interfaces[position].kind != "bridge" || interfaces[position].bridgePorts != nil
  }

  /// A tap with a router among its neighbours: the user-mode network of a container.
  private func isTapUplink(_ position: Int) -> Bool {
    guard interfaces[position].isTap else { return false }
    let index = interfaces[position].index
    let lookups = [
      snapshot.ipv4, snapshot.ipv6, interfaces[position].ipv4, interfaces[position].ipv6,
    ]
    return lookups.contains { lookup in
      guard case .route(let answer)? = lookup else { return false }
      return answer.hops.contains { hop in
        guard hop.interface == index, let gateway = hop.gateway else { return false }
        return interfaces[position].addresses.contains {
          gateway.isWithin($0.address, length: Int($0.prefixLength))
        }
      }
    }
  }

  /// What a translator's IPv6 packets leave by.
  private func translatorBase() -> Int? {
    if case .served(let position) = judgeUnbound(.ipv6), !standings[position].isTranslator {
      return position
    }
    var best: Int?
    for position in standings.indices
    where standings[position].carriesIPv6 && !standings[position].isTunnel {
      if let best, standings[best].metricIPv6 <= standings[position].metricIPv6 { continue }
      best = position
    }
    return best
  }

  /// The link that an untold tunnel most likely rides on: by rule (a), else by rule (b).
  private func guessedBase() -> Int? {
    var carrying: Int?
    var routed: Int?
    for position in standings.indices where !standings[position].isTunnel {
      if standings[position].carries {
        if let best = carrying, !isPreferred(position, over: best) { continue }
        carrying = position
      } else if routed == nil, standings[position].obstacle == .none,
        interfaces[position].hasGatewayRoute,
        standings[position].hasIPv4 || standings[position].hasIPv6
      {
        routed = position
      }
    }
    return carrying ?? routed
  }

  /// Whether the told link could take a tunnel's packets. A route is not asked for: the far end
  /// may be a neighbour.
  private func canBeRidden(_ index: Int32, _ base: Int?, _ isAlone: Bool, depth: Int) -> Bool {
    guard depth < Self.maximumDepth, let position = position(index),
      standings[position].obstacle == .none,
      standings[position].hasIPv4 || standings[position].hasIPv6
    else { return false }
    switch interfaces[position].underlay {
    case .notNeeded, .always: return true
    case .unknown: return base != nil || isAlone
    case .link(let next): return canBeRidden(next, base, isAlone, depth: depth + 1)
    }
  }

  /// Kinds that are only another face of the device beneath. A PPP line is not: it is `other`
  /// over something wired.
  private static func takesTypeFromBeneath(_ kind: String) -> Bool {
    switch kind {
    case "vlan", "bond", "team", "bridge", "macvlan", "ipvlan": true
    default: false
    }
  }

  func effectiveType(_ position: Int, depth: Int) -> InterfaceType {
    let own = interfaces[position].type
    guard own == .other, depth < Self.maximumDepth,
      !interfaces[position].isPhysical,
      Self.takesTypeFromBeneath(interfaces[position].kind)
    else { return own }
    if let ports = interfaces[position].bridgePorts {
      let positions = ports.compactMap { self.position($0) }
      let live = positions.first { interfaces[$0].linkState == .usable }
      guard let port = live ?? positions.first else { return own }
      return effectiveType(port, depth: depth + 1)
    }
    let lower = interfaces[position].lower
    guard lower != 0, let beneath = self.position(lower) else { return own }
    return effectiveType(beneath, depth: depth + 1)
  }

  /// The types of the interface, of the link it sits or rides on, and of a bridge's physical ports
  /// (those with a carrier, when one has it).
  func layers(_ position: Int, depth: Int) -> InterfaceTypeSet {
    // A translator is but another face of the link beneath.
    var types: InterfaceTypeSet = []
    if !standings[position].isTranslator || standings[position].underlay == nil {
      types = InterfaceTypeSet(standings[position].type)
    }
    visitBeneath(position, depth: depth) { types.insert(InterfaceTypeSet(standings[$0].type)) }
    return types
  }

  /// Most links have nothing beneath, and that must cost nothing.
  private func hasBeneath(_ position: Int) -> Bool {
    interfaces[position].lower != 0 || standings[position].underlay != nil
      || interfaces[position].bridgePorts != nil
  }

  /// Calls `body` with the position of every layer beneath, nearest first.
  func visitBeneath(_ position: Int, depth: Int, _ body: (Int) -> Void) {
    guard depth < Self.maximumDepth, hasBeneath(position) else { return }
    let lower = interfaces[position].lower
    if lower != 0, let beneath = self.position(lower) {
      body(beneath)
      visitBeneath(beneath, depth: depth + 1, body)
    }
    if let underlay = standings[position].underlay {
      body(underlay)
      visitBeneath(underlay, depth: depth + 1, body)
    }
    guard let ports = interfaces[position].bridgePorts, !ports.isEmpty else { return }
    let anyLive = ports.contains { port in
      self.position(port).map { interfaces[$0].linkState == .usable } ?? false
    }
    for port in ports {
      guard let beneath = self.position(port) else { continue }
      if anyLive, interfaces[beneath].linkState != .usable { continue }
      body(beneath)
      visitBeneath(beneath, depth: depth + 1, body)
    }
  }
}
