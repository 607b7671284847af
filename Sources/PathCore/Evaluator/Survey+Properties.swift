/// Name servers, cost and the network's identity.
extension Survey {
  /// A server counts unless it is link-local without a zone that names or numbers a working link,
  /// on a loopback that is down, or where the kernel has no way to. What it could not say is no
  /// reason to do without.
  /// An empty resolv.conf means no: glibc's silent 127.0.0.1 rarely answers.
  var supportsDNS: Bool { snapshot.nameServers.contains { counts($0) } }

  func counts(_ server: NameServer) -> Bool {
    if server.address.isLoopback {
      let loopbacks = standings.indices.filter { standings[$0].obstacle == .loopback }
      return loopbacks.isEmpty
        || loopbacks.contains { interfaces[$0].flags.contains(.up) }
    }
    if !server.address.isLinkLocal { return isReachable(server.lookup) }
    if server.zone.isEmpty { return false }
    let number = Int32(server.zone)
    return standings.indices.contains { position in
      interfaces[position].linkState == .usable
        && (interfaces[position].name == server.zone
          || interfaces[position].index == number)
    }
  }

  private func isReachable(_ lookup: Lookup?) -> Bool {
    switch lookup {
    case nil, .failed: return true
    case .noRoute, .refused: return false
    // The state of its link is left to the path: a monitor may well use another one.
    case .route: return true
    }
  }

  /// Adds what using the interface means: the types of its layers, and whether one of them costs.
  func addCost(of position: Int, to path: inout Path) {
    path.uses.formUnion(standings[position].layers)
    addCost(interfaces[position].cost, to: &path)
    visitBeneath(position, depth: 0) { addCost(interfaces[$0].cost, to: &path) }
  }

  private func addCost(_ cost: LinkCost, to path: inout Path) {
    if cost.isExpensive, !path.isExpensive {
      path.isExpensive = true
      path.expensiveSource = cost.source
    }
    if cost.isConstrained { path.isConstrained = true }
  }

  /// The gateway's hardware address tells networks apart best; then the wireless name; a tunnel is
  /// its own name and prefix.
  func network(_ position: Int, _ path: Path) -> NetworkIdentity? {
    let ssid = interfaces[position].ssid
    let index = interfaces[position].index
    let family = [path.ipv4, path.ipv6].first { $0?.interface.index == index } ?? nil
    if !snapshot.gatewayHardware.isEmpty, let gateway = family?.gateways.first,
      let hardware = hardwareAddress(of: gateway, on: interfaces[position].index)
    {
      return NetworkIdentity(id: hardware, name: ssid, ssid: ssid)
    }
    if let ssid { return NetworkIdentity(id: ssid, name: ssid, ssid: ssid) }
    guard standings[position].isTunnel else { return nil }
    let name = interfaces[position].name
    guard let own = interfaces[position].addresses.first(where: \.isUsable) else {
      return NetworkIdentity(id: name, name: name)
    }
    return NetworkIdentity(id: "\(name) \(own.address)/\(own.prefixLength)", name: name)
  }

  /// The scope is left out of the comparison: not every kernel message repeats it.
  private func hardwareAddress(of gateway: IPAddress, on interface: Int32) -> String? {
    snapshot.gatewayHardware.first {
      $0.interface == interface && $0.gateway.family == gateway.family
        && $0.gateway.high == gateway.high && $0.gateway.low == gateway.low
    }?.address
  }
}
