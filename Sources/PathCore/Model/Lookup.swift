/// One way out that a route offers.
package struct NextHop: Hashable, Sendable {
  package var interface: Int32
  /// Nil for a device route; never 0.0.0.0.
  package var gateway: IPAddress?
  /// RTNH_F_DEAD or RTNH_F_LINKDOWN.
  package var isDead: Bool

  package init(interface: Int32, gateway: IPAddress? = nil, isDead: Bool = false) {
    self.interface = interface
    self.gateway = gateway
    self.isDead = isDead
  }
}

/// The route that the kernel's lookup ended at (RTM_GETROUTE with RTM_F_FIB_MATCH).
package struct RouteAnswer: Hashable, Sendable {
  package var hops: [NextHop]
  package var table: UInt32
  package var metric: UInt32
  package var prefixLength: UInt8
  /// The source address that the route names (RTA_PREFSRC); nil when the kernel is to choose.
  package var source: IPAddress?

  package init(
    hops: [NextHop], table: UInt32 = 254, metric: UInt32 = 0, prefixLength: UInt8 = 0,
    source: IPAddress? = nil
  ) {
    self.hops = hops
    self.table = table
    self.metric = metric
    self.prefixLength = prefixLength
    self.source = source
  }
}

/// How the kernel turned a lookup down.
package enum RouteRefusal: String, CaseIterable, Hashable, Sendable {
  case unreachable, blackhole, prohibit
}

/// What the kernel said about the way to the lookup address.
package enum Lookup: Hashable, Sendable {
  case route(RouteAnswer)
  /// An unreachable, blackhole or prohibit route stands in the way.
  case refused(RouteRefusal)
  /// No rule or table has a route.
  case noRoute
  /// The kernel could not be asked; the text says why.
  case failed(String)

  package var answer: RouteAnswer? {
    if case .route(let answer) = self { answer } else { nil }
  }
}
