internal import PathCore

/// Routes, rules and nexthop objects, and the lookup over them.
extension ScriptedKernel {
  // MARK: Changing

  package func addRoute(_ spec: TestRoute) throws {
    let route = try resolve(spec)
    guard !routes.contains(where: { $0.hasSameKey(as: route) }) else {
      throw TestNetworkError("there is a route to \(spec.destination) with that metric")
    }
    routes.append(route)
  }

  /// IPv4 keeps them apart and uses the first; IPv6 makes one route of several hops.
  package func appendRoute(_ spec: TestRoute) throws {
    let route = try resolve(spec)
    if route.family == .ipv6,
      let position = routes.firstIndex(where: { $0.hasSameKey(as: route) && $0.kind == .unicast })
    {
      routes[position].hops += route.hops
    } else {
      routes.append(route)
    }
  }

  package func replaceRoute(_ spec: TestRoute) throws {
    let route = try resolve(spec)
    if let position = routes.firstIndex(where: { $0.hasSameKey(as: route) }) {
      routes[position] = route
    } else {
      routes.append(route)
    }
  }

  package func deleteRoute(_ spec: TestRoute) throws {
    let (destination, length) = try Self.destination(spec)
    let wanted = try spec.hops.map { hop in
      (try link(hop.interface).index, try hop.gateway.map { try Self.address($0) })
    }
    let found = routes.firstIndex { route in
      route.family == spec.family && route.destination == destination && route.length == length
        && route.table == spec.table && route.kind == spec.kind
        && (spec.metric.map { $0 == route.metric } ?? true)
        && wanted.allSatisfy { interface, gateway in
          route.hops.contains { hop in
            hop.interface == interface
              && (gateway.map { $0.high == hop.gateway?.high && $0.low == hop.gateway?.low }
                ?? true)
          }
        }
    }
    guard let found else { throw TestNetworkError("no such route to \(spec.destination)") }
    routes.remove(at: found)
  }

  package func setNexthop(_ id: UInt32, gateway: String, interface: String) throws {
    let index = try link(interface).index
    nexthops[id] = Hop(interface: index, gateway: try Self.address(gateway, scope: index))
  }

  package func deleteNexthop(_ id: UInt32) throws {
    guard nexthops.removeValue(forKey: id) != nil else {
      throw TestNetworkError("no nexthop \(id)")
    }
    routes.removeAll { $0.nexthop == id }
  }

  package func addRule(_ rule: TestRule) { rules.append(rule) }

  package func deleteRule(_ rule: TestRule) throws {
    guard let position = rules.firstIndex(of: rule) else {
      throw TestNetworkError("no such rule")
    }
    rules.remove(at: position)
  }

  // MARK: Reading text

  private func resolve(_ spec: TestRoute) throws -> Route {
    let (destination, length) = try Self.destination(spec)
    var route = Route(
      family: spec.family, destination: destination, length: length,
      metric: spec.metric ?? (spec.family == .ipv4 ? 0 : 1024), table: spec.table,
      kind: spec.kind, hops: [], nexthop: spec.nexthop)
    if let source = spec.source { (route.source, route.sourceLength) = try Self.prefix(source) }
    route.preferredSource = try spec.preferredSource.map { try Self.address($0) }
    for hop in spec.hops {
      let link = try link(hop.interface)
      guard link.isUp else { throw TestNetworkError("\(link.name) is down") }
      let gateway = try hop.gateway.map { try Self.address($0, scope: link.index) }
      // A gateway of all zeros says that there is none.
      let known = gateway.flatMap { $0.isUnspecified ? nil : $0 }
      guard isOnLink(known, link.index, family: spec.family) else {
        throw TestNetworkError("nothing leads to the gateway \(hop.gateway ?? "") on \(link.name)")
      }
      route.hops.append(Hop(interface: link.index, gateway: known))
    }
    return route
  }

  /// Whether a gateway is a neighbour: in the prefix of an address, named by a device route, or
  /// link-local.
  func isOnLink(_ gateway: IPAddress?, _ index: Int32, family: AddressFamily) -> Bool {
    guard let gateway, let link = links.first(where: { $0.index == index }) else {
      return gateway == nil
    }
    if gateway.isLinkLocal { return true }
    return link.addresses.contains {
      $0.address.isUsable(as: gateway.family)
        && gateway.isWithin($0.address, length: Int($0.prefixLength))
    }
      || routes.contains { route in
        route.hops.contains { $0.interface == index && $0.gateway == nil } && route.length > 0
          && gateway.isWithin(route.destination, length: route.length)
      }
  }

  static func destination(_ spec: TestRoute) throws -> (IPAddress, Int) {
    if spec.destination == "default" {
      return (spec.family == .ipv4 ? IPAddress(ipv4: 0) : IPAddress(ipv6High: 0, low: 0), 0)
    }
    return try prefix(spec.destination)
  }

  static func prefix(_ text: String) throws -> (IPAddress, Int) {
    let parts = text.split(separator: "/")
    guard let first = parts.first, let address = IPAddress(first) else {
      throw TestNetworkError("\(text) is no address")
    }
    guard parts.count > 1 else { return (address, address.family.bitCount) }
    guard let length = Int(parts[1]), (0...address.family.bitCount).contains(length) else {
      throw TestNetworkError("\(text) has no such prefix")
    }
    return (address, length)
  }

  static func address(_ text: String, scope: Int32 = 0) throws -> IPAddress {
    guard var address = IPAddress(text) else { throw TestNetworkError("\(text) is no address") }
    if address.isLinkLocal, address.family == .ipv6 { address.scope = scope }
    return address
  }

  // MARK: Looking up

  /// Global addresses that no packet is sent to, the same that the reader asks for.
  static let probes: [AddressFamily: IPAddress] = [
    .ipv4: IPAddress(ipv4: 0xC629_0004),
    .ipv6: IPAddress(ipv6High: 0x2001_0503_BA3E_0000, low: 0x0000_0000_0002_0030),
  ]

  /// What the kernel answers: rules in order, in each table the longest prefix, then the metric.
  func lookup(
    _ family: AddressFamily, to destination: IPAddress? = nil, bound: Int32? = nil,
    source: IPAddress? = nil
  ) -> Lookup {
    let ordered = rules.enumerated().filter { $0.element.family == family }
      .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
    for (_, rule) in ordered where matches(rule, source) {
      switch search(rule.table, family, destination, bound, source) {
      case .noRoute: continue
      case .route(let answer):
        if let limit = rule.suppressPrefixLength, Int(answer.prefixLength) <= limit { continue }
        return .route(answer)
      case .refused(let refusal): return .refused(refusal)
      case .failed(let text): return .failed(text)
      }
    }
    return .noRoute
  }

  private func matches(_ rule: TestRule, _ source: IPAddress?) -> Bool {
    if let text = rule.source, let (prefix, length) = try? Self.prefix(text) {
      guard let source, source.isWithin(prefix, length: length) else { return false }
    }
    return rule.mark.map { ($0 == 0) != rule.isInverted } ?? true
  }

  private func search(
    _ table: UInt32, _ family: AddressFamily, _ destination: IPAddress?, _ bound: Int32?,
    _ source: IPAddress?
  ) -> Lookup {
    guard let probe = destination ?? Self.probes[family] else { return .noRoute }
    let candidates = routes.enumerated().filter { _, route in
      route.table == table && route.family == family
        && probe.isWithin(route.destination, length: route.length)
        && route.source.map { source?.isWithin($0, length: route.sourceLength) ?? false } ?? true
    }.sorted { left, right in
      if left.element.length != right.element.length {
        return left.element.length > right.element.length
      }
      if left.element.sourceLength != right.element.sourceLength {
        return left.element.sourceLength > right.element.sourceLength
      }
      return (left.element.metric, left.offset) < (right.element.metric, right.offset)
    }
    let connected =
      destination == nil || table != 254 ? nil : connected(to: probe)
    for (_, route) in candidates {
      if let connected, Int(connected.prefixLength) >= route.length { return .route(connected) }
      switch route.kind {
      case .throw: return .noRoute
      case .unreachable, .blackhole, .prohibit:
        // A bound IPv6 lookup passes them by: their device is lo, not the one asked for.
        if family == .ipv6, bound != nil { continue }
        return .refused(RouteRefusal(rawValue: route.kind.rawValue) ?? .unreachable)
      case .unicast:
        guard let answer = answer(route, bound) else { continue }
        return .route(answer)
      }
    }
    return connected.map { .route($0) } ?? .noRoute
  }

  /// The way to a name server: this machine itself, a neighbour, or whatever a route says.
  func lookup(server: IPAddress) -> Lookup? {
    if server.isLoopback || server.isLinkLocal || server.isUnspecified { return nil }
    let isOwn = links.contains { link in
      link.isUp && link.addresses.contains { $0.address == server }
    }
    if isOwn { return .route(RouteAnswer(hops: [], table: 255)) }
    let plain = lookup(server.family, to: server)
    guard plain == .noRoute, server.family == .ipv6 else { return plain }
    for link in links where hasCarrier(link) {
      for entry in link.addresses where entry.isUsable && entry.address.family == .ipv6 {
        let answer = lookup(.ipv6, to: server, source: entry.address)
        if answer.answer != nil { return answer }
      }
    }
    return plain
  }

  /// The route that comes with an address: to the neighbours in its prefix.
  private func connected(to destination: IPAddress) -> RouteAnswer? {
    var best: RouteAnswer?
    for link in links where link.isUp {
      for entry in link.addresses
      where destination.isWithin(entry.address, length: Int(entry.prefixLength)) {
        if let best, best.prefixLength >= entry.prefixLength { continue }
        best = RouteAnswer(
          hops: [NextHop(interface: link.index)], prefixLength: entry.prefixLength)
      }
    }
    return best
  }

  func hops(of route: Route) -> [Hop] {
    route.nexthop.map { nexthops[$0].map { [$0] } ?? [] } ?? route.hops
  }

  /// Nil when no hop of the route may be used. That a hop's link has no carrier shows only in
  /// the answer to a bound lookup.
  private func answer(_ route: Route, _ bound: Int32?) -> RouteAnswer? {
    var isUsable = false
    var shown: [NextHop] = []
    for hop in hops(of: route) {
      guard let link = links.first(where: { $0.index == hop.interface }) else { continue }
      let isLinkdown = !hasCarrier(link)
      let isSkipped = hop.isDead || !link.isUp || ignoresRoutesWithLinkdown && isLinkdown
      if !isSkipped, bound.map({ $0 == hop.interface }) ?? true { isUsable = true }
      shown.append(
        NextHop(
          interface: hop.interface, gateway: hop.gateway,
          isDead: hop.isDead || bound != nil && isLinkdown))
    }
    guard isUsable else { return nil }
    return RouteAnswer(
      hops: shown, table: route.table, metric: route.metric, prefixLength: UInt8(route.length),
      source: route.preferredSource)
  }
}

extension IPAddress {
  fileprivate func isUsable(as family: AddressFamily) -> Bool { self.family == family }
}
