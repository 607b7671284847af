internal import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Asks for the ways out: unbound, and bound to each interface that could carry a path.
final class RouteLookups {
  /// Interfaces beyond these are not asked for; nobody has that many ways out.
  static let interfaceLimit = 128
  static let sourceLimit = 32
  /// A tunnel may need the last of a hundred thousand that lead elsewhere.
  private static let routeLimit = 200_000
  private static let groupDepthLimit = 4
  /// Links with a route too long for an answer that are looked into; each costs a dump.
  private static let longLimit = 8

  let requests: KernelRequests
  let ipv4Address: IPAddress
  let ipv6Address: IPAddress

  /// What an unbound socket gets. As of the last look.
  private(set) var ipv4 = Lookup.noRoute
  private(set) var ipv6 = Lookup.noRoute
  /// The numbers of the questions whose answers did not fit into a message (EMSGSIZE).
  private var tooLong: [Int] = []
  /// Until the first of the routes that were found ends by itself.
  private(set) var nextExpiry: Duration?
  /// A tunnel counts, or would, by routes that lead elsewhere than to the lookup address.
  private(set) var restsOnFarRoutes = false

  init(_ requests: KernelRequests, _ settings: KernelSettings) {
    self.requests = requests
    ipv4Address = settings.ipv4LookupAddress
    ipv6Address = settings.ipv6LookupAddress
  }

  /// The places of the interfaces that are worth a question. Where there are too many, devices of
  /// their own come first, then what the unbound answers named.
  static func worthAsking(_ interfaces: [Interface], named: [Int32] = []) -> [Int] {
    var places: [Int] = []
    for place in interfaces.indices where isWorthAsking(interfaces, place, named) {
      places.append(place)
    }
    guard places.count > interfaceLimit else { return places }
    let isDevice = { (place: Int) in
      interfaces[place].isPhysical || interfaces[place].type != .other
    }
    let isNamed = { (place: Int) in named.contains(interfaces[place].index) }
    let ranked =
      places.filter(isDevice) + places.filter { !isDevice($0) && isNamed($0) }
      + places.filter { !isDevice($0) && !isNamed($0) }
    return ranked.prefix(interfaceLimit).sorted()
  }

  /// Fit to carry a path if a route says so. Looks at its fields where they are: an interface is
  /// much to copy.
  private static func isWorthAsking(
    _ interfaces: [Interface], _ place: Int, _ named: [Int32]
  ) -> Bool {
    if case .loopback = interfaces[place].type { return false }
    let state = LinkState(
      flags: interfaces[place].flags, operationalState: interfaces[place].operationalState)
    guard interfaces[place].master == 0, case .usable = state else { return false }
    for address in interfaces[place].addresses
    where address.isUsable || address.isLinkLocalIPv4 {
      return true
    }
    // Without an address of its own a route may still name a source.
    return interfaces[place].isPhysical || named.contains(interfaces[place].index)
  }

  /// The links that the unbound answers lead to, sorted, and not too many.
  var named: [Int32] {
    var found: [Int32] = []
    for case .route(let answer) in [ipv4, ipv6] {
      for hop in answer.hops where found.count < Self.sourceLimit {
        if !found.contains(hop.interface) { found.append(hop.interface) }
      }
    }
    return found.sorted()
  }

  /// Asks anew, and fills in the lookups of those interfaces. In the same breath it asks for the
  /// gateways that will most likely be in use.
  func look(
    _ interfaces: inout [Interface], _ asked: [Int], _ hardware: inout GatewayHardwareCache
  ) {
    nextExpiry = nil
    tooLong.removeAll(keepingCapacity: true)
    let guesses = hardware.guesses
    let routes = 2 + 2 * asked.count
    requests.counters.lookups += UInt64(routes)
    requests.ask(
      count: routes + guesses.count,
      write: { number, buffer, sequence in
        if number >= routes {
          return requests.write(guesses[number - routes], sequence, into: &buffer)
        }
        let query = RouteQuery(
          destination: number & 1 == 0 ? ipv4Address : ipv6Address,
          interface: number < 2 ? 0 : interfaces[asked[number / 2 - 1]].index)
        return requests.write(query, sequence, into: &buffer)
      },
      take: { number, bytes, message throws(Malformed) in
        if number >= routes {
          let neighbour = try NeighbourParser.parse(bytes, message.payload)
          hardware.guess(guesses[number - routes], neighbour?.hardware)
        } else {
          let route = try RouteParser.parse(bytes, message.payload)
          noteExpiry(route)
          let place = number < 2 ? nil : asked[number / 2 - 1]
          put(answer(route), number & 1 == 0, place, &interfaces)
        }
      },
      fail: { number, reason in
        if number >= routes {
          // Nobody there is an answer, too.
          if case .refused = reason { hardware.guess(guesses[number - routes], nil) }
        } else {
          let place = number < 2 ? nil : asked[number / 2 - 1]
          if case .refused(EMSGSIZE, _) = reason { tooLong.append(number) }
          let isBoundIPv4 = number & 1 == 0 && place != nil
          put(refusal(reason, isBoundIPv4: isBoundIPv4), number & 1 == 0, place, &interfaces)
        }
      })
    for number in tooLong.prefix(Self.longLimit) {
      let place = number < 2 ? nil : asked[number / 2 - 1]
      let family: AddressFamily = number & 1 == 0 ? .ipv4 : .ipv6
      let lookup = place.map { dumped(family, interfaces[$0].index) } ?? chosenHop(family)
      put(lookup, family == .ipv4, place, &interfaces)
    }
    if !ipv6.isRoute { askBySource(&interfaces, asked) }
    findGatewayRoutes(&interfaces, asked)
  }

  private func put(
    _ lookup: Lookup, _ isIPv4: Bool, _ place: Int?, _ interfaces: inout [Interface]
  ) {
    switch (place, isIPv4) {
    case (nil, true): ipv4 = lookup
    case (nil, false): ipv6 = lookup
    case (let place?, true): interfaces[place].ipv4 = lookup
    case (let place?, false): interfaces[place].ipv6 = lookup
    }
  }

  private func noteExpiry(_ route: RouteRecord?) {
    guard let expiry = route?.expiry else { return }
    let left = Duration.milliseconds(Int(expiry) * 10)
    nextExpiry = min(nextExpiry ?? left, left)
  }

  /// A source-specific default (RFC 8028) answers only when a source is given. An ordinary socket
  /// gets it all the same: the kernel picks a source and looks again.
  private func askBySource(_ interfaces: inout [Interface], _ asked: [Int]) {
    var queries: [RouteQuery] = []
    var places: [Int] = []
    for place in asked where !interfaces[place].ipv6.isRoute {
      for address in interfaces[place].addresses
      where address.address.family == .ipv6 && address.isUsable && places.count < Self.sourceLimit {
        var query = RouteQuery(destination: ipv6Address, source: address.address)
        queries.append(query)
        query.interface = interfaces[place].index
        queries.append(query)
        places.append(place)
      }
    }
    if queries.isEmpty { return }
    var answers: [RouteAnswer?] = queries.map { _ in nil }
    requests.counters.lookups += UInt64(queries.count)
    requests.ask(
      count: queries.count,
      write: { number, buffer, sequence in
        requests.write(queries[number], sequence, into: &buffer)
      },
      take: { number, bytes, message throws(Malformed) in
        let route = try RouteParser.parse(bytes, message.payload)
        noteExpiry(route)
        answers[number] = answer(route).answer
      },
      fail: { _, _ in })
    for (number, place) in places.enumerated() {
      if let unbound = answers[2 * number], unbound.metric < ipv6.answer?.metric ?? .max {
        ipv6 = .route(unbound)
      }
      if !interfaces[place].ipv6.isRoute, let bound = answers[2 * number + 1] {
        interfaces[place].ipv6 = .route(bound)
      }
    }
  }

  // MARK: What an answer means

  /// fib_props of the kernel: which error each kind of route stands for.
  func refusal(_ reason: NoAnswer, isBoundIPv4: Bool) -> Lookup {
    switch reason {
    case .failed(let text): .failed(text)
    case .refused(let code, let text): refusal(code, text, isBoundIPv4: isBoundIPv4)
    }
  }

  private func refusal(_ code: Int32, _ text: String?, isBoundIPv4: Bool) -> Lookup {
    switch code {
    // ENODEV: the interface went while we asked. EAGAIN: a throw route, and no rule after it.
    // EOPNOTSUPP, EAFNOSUPPORT: a kernel without this family.
    case ENETUNREACH, ESRCH, ENODEV, EAGAIN, EOPNOTSUPP, EAFNOSUPPORT: .noRoute
    // For a bound IPv4 lookup that finds nothing, or a reject route, the kernel makes an on-link
    // answer up, and RTM_F_FIB_MATCH turns that into EHOSTUNREACH: it cannot be told apart.
    case EHOSTUNREACH where isBoundIPv4: .noRoute
    case EHOSTUNREACH: .refused(.unreachable)
    case EACCES: .refused(.prohibit)
    // A request the kernel dislikes is EINVAL too, and comes with words.
    case EINVAL where text == nil: .refused(.blackhole)
    default: .failed(text ?? KernelError.text(code))
    }
  }

  func answer(_ route: RouteRecord?) -> Lookup {
    guard let route else { return .failed("an answer of another kind") }
    if route.isExpired { return .noRoute }
    switch Int(route.type) {
    case Int(RTN_BLACKHOLE): return .refused(.blackhole)
    case Int(RTN_UNREACHABLE): return .refused(.unreachable)
    case Int(RTN_PROHIBIT): return .refused(.prohibit)
    case Int(RTN_THROW): return .noRoute
    case Int(RTN_UNICAST): break
    default: return .failed("the lookup address is not one of another host")
    }
    var hops = route.hops
    if hops.isEmpty, route.nexthopID != 0 {
      guard let found = resolve(route.nexthopID) else { return .refused(.blackhole) }
      hops = found
    }
    guard !hops.isEmpty else { return .failed("a route that names no interface") }
    return .route(
      RouteAnswer(
        hops: hops, table: route.table, metric: route.metric, prefixLength: route.prefixLength,
        source: route.source))
  }

  /// The hops of a nexthop object; with net.ipv4.nexthop_compat_mode 0 routes show only its id.
  /// Nil when the object swallows what is sent to it.
  private func resolve(_ id: UInt32) -> [NextHop]? {
    var hops: [NextHop] = []
    var wanted = [id]
    for _ in 0..<Self.groupDepthLimit where !wanted.isEmpty {
      var members: [UInt32] = []
      var isBlackhole = false
      requests.nexthops(wanted) { nexthop in
        if nexthop.isBlackhole { isBlackhole = true }
        if let hop = nexthop.hop { hops.append(hop) }
        members += nexthop.members
      }
      if isBlackhole { return nil }
      wanted = members
    }
    return hops
  }

  // MARK: Ground for tunnels

  /// A VPN client that replaces the default keeps a route to its server through the real gateway.
  /// Looked for only when a tunnel answers and no other link does: that alone needs it.
  private func findGatewayRoutes(_ interfaces: inout [Interface], _ asked: [Int]) {
    var hasOpenTunnel = false
    var hasCarrier = false
    for place in asked {
      interfaces[place].hasGatewayRoute = false
      guard interfaces[place].hasLiveAnswer else { continue }
      switch interfaces[place].underlay {
      case .unknown: hasOpenTunnel = true
      // One without an address has an answer, too, and may carry nothing all the same.
      case .notNeeded: if interfaces[place].hasUsableAddress { hasCarrier = true }
      case .always, .link: break
      }
    }
    restsOnFarRoutes = hasOpenTunnel && !hasCarrier
    guard restsOnFarRoutes else { return }
    for place in asked where interfaces[place].underlay == .notNeeded {
      let index = interfaces[place].index
      interfaces[place].hasGatewayRoute =
        hasGatewayRoute(.ipv4, index) || hasGatewayRoute(.ipv6, index)
    }
  }

  private func hasGatewayRoute(_ family: AddressFamily, _ interface: Int32) -> Bool {
    var found = false
    _ = DumpRepeater.run(tries: 2) {
      requests.dumpRoutes(family, interface: interface, limit: Self.routeLimit) { bytes, message in
        guard !found, let route = try? RouteParser.parse(bytes, message.payload),
          Int(route.type) == Int(RTN_UNICAST), route.hasGateway, !route.isExpired,
          route.destination.map(\.isGlobal) ?? true
        else { return }
        found = true
        noteExpiry(route)
      }
    }
    return found
  }
}

extension Interface {
  /// A bound lookup that ended at a route with a live hop.
  fileprivate var hasLiveAnswer: Bool { ipv4.hasLiveHop || ipv6.hasLiveHop }
}

extension Lookup {
  var isRoute: Bool {
    if case .route = self { true } else { false }
  }
}

extension Lookup? {
  fileprivate var isRoute: Bool {
    if case .route? = self { true } else { false }
  }

  fileprivate var hasLiveHop: Bool {
    guard case .route(let answer)? = self else { return false }
    for hop in answer.hops where !hop.isDead { return true }
    return false
  }
}

extension IPAddress {
  /// Of the public Internet, as far as a prefix tells.
  var isGlobal: Bool {
    if family == .ipv6 { return high >> 61 == 1 }
    let local: [(UInt32, Int)] = [
      (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
      (0xAC10_0000, 12), (0xC0A8_0000, 16), (0xE000_0000, 3),
    ]
    return !local.contains { isWithin(IPAddress(ipv4: $0.0), length: $0.1) }
  }
}
