internal import CLinux
import Glibc
internal import PathCore

/// Asks for the ways out: unbound, and bound to each interface that could carry a path.
struct RouteLookups {
  /// Interfaces beyond these are not asked for; nobody has that many ways out.
  static let interfaceLimit = 128
  private static let sourceLimit = 32
  private static let routeLimit = 4096
  private static let groupDepthLimit = 4

  private let requests: KernelRequests
  private let settings: KernelSettings
  /// Until the first of the answers ends by itself.
  private(set) var nextExpiry: Duration?

  init(_ requests: KernelRequests, _ settings: KernelSettings) {
    self.requests = requests
    self.settings = settings
  }

  /// Fills in the lookups of the snapshot and of its interfaces.
  mutating func fill(_ snapshot: inout Snapshot) {
    let asked = snapshot.interfaces.indices.filter { position in
      let interface = snapshot.interfaces[position]
      return interface.type != .loopback && !interface.isPort && interface.linkState == .usable
        && interface.hasUsableAddress
    }.prefix(Self.interfaceLimit)
    var queries = AddressFamily.allCases.map { RouteQuery(destination: settings.lookupAddress($0)) }
    for position in asked {
      let interface = snapshot.interfaces[position].index
      for family in AddressFamily.allCases {
        queries.append(
          RouteQuery(destination: settings.lookupAddress(family), interface: interface))
      }
    }
    let answers = ask(queries)
    snapshot.ipv4 = answers[0]
    snapshot.ipv6 = answers[1]
    for (number, position) in asked.enumerated() {
      snapshot.interfaces[position].ipv4 = answers[2 + 2 * number]
      snapshot.interfaces[position].ipv6 = answers[3 + 2 * number]
    }
    if snapshot.ipv6.answer == nil { askBySource(&snapshot, Array(asked)) }
    findGatewayRoutes(&snapshot, Array(asked))
  }

  private mutating func ask(_ queries: [RouteQuery]) -> [Lookup] {
    let replies = requests.routes(queries)
    var lookups: [Lookup] = []
    lookups.reserveCapacity(queries.count)
    for (query, reply) in zip(queries, replies) {
      lookups.append(lookup(query, reply))
      if query.interface == 0, case .value(let route) = reply, let expiry = route.expiry {
        let left = Duration.milliseconds(Int(expiry) * 10)
        nextExpiry = min(nextExpiry ?? left, left)
      }
    }
    return lookups
  }

  /// A source-specific default (RFC 8028) answers only when a source is given. An ordinary socket
  /// gets it all the same: the kernel picks a source and looks again.
  private mutating func askBySource(_ snapshot: inout Snapshot, _ asked: [Int]) {
    var queries: [RouteQuery] = []
    var positions: [Int] = []
    for position in asked where snapshot.interfaces[position].ipv6?.answer == nil {
      let interface = snapshot.interfaces[position]
      for address in interface.addresses
      where address.address.family == .ipv6 && address.isUsable
        && positions.count < Self.sourceLimit
      {
        var query = RouteQuery(destination: settings.ipv6LookupAddress, source: address.address)
        queries.append(query)
        query.interface = interface.index
        queries.append(query)
        positions.append(position)
      }
    }
    guard !queries.isEmpty else { return }
    let answers = ask(queries)
    for (number, position) in positions.enumerated() {
      if let unbound = answers[2 * number].answer,
        unbound.metric < snapshot.ipv6.answer?.metric ?? .max
      {
        snapshot.ipv6 = .route(unbound)
      }
      if snapshot.interfaces[position].ipv6?.answer == nil,
        let bound = answers[2 * number + 1].answer
      {
        snapshot.interfaces[position].ipv6 = .route(bound)
      }
    }
  }

  // MARK: What an answer means

  private func lookup(_ query: RouteQuery, _ reply: Reply<RouteRecord>) -> Lookup {
    switch reply {
    case .failed(let reason): .failed(reason)
    case .refused(let code, let text): refusal(query, code, text)
    case .value(let route): answer(route)
    }
  }

  /// fib_props of the kernel: which error each kind of route stands for.
  private func refusal(_ query: RouteQuery, _ code: Int32, _ text: String?) -> Lookup {
    switch code {
    // ENODEV: the interface went while we asked. EAGAIN: a throw route, and no rule after it.
    // EOPNOTSUPP, EAFNOSUPPORT: a kernel without this family.
    case ENETUNREACH, ESRCH, ENODEV, EAGAIN, EOPNOTSUPP, EAFNOSUPPORT: .noRoute
    // For a bound IPv4 lookup that finds nothing, or a reject route, the kernel makes an on-link
    // answer up, and RTM_F_FIB_MATCH turns that into EHOSTUNREACH: it cannot be told apart.
    case EHOSTUNREACH where query.interface != 0 && query.destination.family == .ipv4: .noRoute
    case EHOSTUNREACH: .refused(.unreachable)
    case EACCES: .refused(.prohibit)
    // A request the kernel dislikes is EINVAL too, and comes with words.
    case EINVAL where text == nil: .refused(.blackhole)
    default: .failed(text ?? KernelError.text(code))
    }
  }

  private func answer(_ route: RouteRecord) -> Lookup {
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
        hops: hops, table: route.table, metric: route.metric, prefixLength: route.prefixLength))
  }

  /// The hops of a nexthop object; with net.ipv4.nexthop_compat_mode 0 routes show only its id.
  /// Nil when the object swallows what is sent to it.
  private func resolve(_ id: UInt32) -> [NextHop]? {
    var hops: [NextHop] = []
    var wanted = [id]
    for _ in 0..<Self.groupDepthLimit where !wanted.isEmpty {
      var members: [UInt32] = []
      for case .value(let nexthop) in requests.nexthops(wanted) {
        if nexthop.isBlackhole { return nil }
        if let hop = nexthop.hop { hops.append(hop) }
        members += nexthop.members
      }
      wanted = members
    }
    return hops
  }

  // MARK: Ground for tunnels

  /// A VPN client that replaces the default keeps a route to its server through the real gateway.
  /// Looked for only when a tunnel answers and no other link does: that alone needs it.
  private func findGatewayRoutes(_ snapshot: inout Snapshot, _ asked: [Int]) {
    let carriers = asked.filter { snapshot.interfaces[$0].underlay == .notNeeded }
    let hasOpenTunnel = asked.contains {
      snapshot.interfaces[$0].underlay == .unknown && snapshot.interfaces[$0].hasLiveAnswer
    }
    guard hasOpenTunnel, !carriers.contains(where: { snapshot.interfaces[$0].hasLiveAnswer })
    else { return }
    for position in carriers {
      let index = snapshot.interfaces[position].index
      snapshot.interfaces[position].hasGatewayRoute = AddressFamily.allCases.contains {
        hasGatewayRoute($0, index)
      }
    }
  }

  private func hasGatewayRoute(_ family: AddressFamily, _ interface: Int32) -> Bool {
    var found = false
    _ = requests.dumpRoutes(family, interface: interface, limit: Self.routeLimit) {
      bytes, message in
      guard !found, let route = try? RouteParser.parse(bytes, message.payload),
        Int(route.type) == Int(RTN_UNICAST), route.hasGateway
      else { return }
      found = route.destination.map(\.isGlobal) ?? true
    }
    return found
  }
}

extension Interface {
  /// A bound lookup that ended at a route with a live hop.
  fileprivate var hasLiveAnswer: Bool {
    [ipv4, ipv6].contains { $0?.answer?.hops.contains { !$0.isDead } ?? false }
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
