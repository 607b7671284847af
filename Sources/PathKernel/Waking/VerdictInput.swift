/// What a verdict rests on, and what tells that it changed: the reconcile is a safety net beneath
/// this table, and finds nothing.
package enum VerdictInput: String, CaseIterable, Sendable {
  case links, linkState, linkStack, addresses, routes, farRoutes, routeExpiry, radioSwitches
  case nameServers, gatewayHardware, answers, settings, notReadYet

  package enum Wake: Hashable, Sendable {
    /// Messages of the event socket.
    case events
    /// The hint socket, while a tunnel's verdict rests on it.
    case hintSocket
    /// /dev/rfkill, and each change of a wireless link.
    case radioDevice
    /// inotify(7) for the file and its directories, and the table of mounts.
    case resolver
    /// A timer until then.
    case alarm
    /// The same for the whole run.
    case never
  }

  package var wake: Wake {
    switch self {
    case .links, .linkState, .linkStack, .addresses, .routes, .gatewayHardware: .events
    case .farRoutes: .hintSocket
    case .routeExpiry, .answers: .alarm
    case .radioSwitches: .radioDevice
    case .nameServers: .resolver
    case .settings, .notReadYet: .never
    }
  }

  /// The fields of a snapshot that it decides, as `Type.field`.
  package var fields: [String] {
    switch self {
    case .links:
      [
        "Snapshot.interfaces", "Snapshot.ignoredLinks", "Interface.index", "Interface.name",
        "Interface.alternativeNames", "Interface.type", "Interface.kind", "Interface.isPhysical",
        "Interface.cost", "Interface.isTap",
      ]
    case .linkState: ["Interface.flags", "Interface.operationalState"]
    case .linkStack:
      ["Interface.master", "Interface.lower", "Interface.underlay", "Interface.bridgePorts"]
    case .addresses:
      [
        "Interface.addresses", "InterfaceAddress.address", "InterfaceAddress.prefixLength",
        "InterfaceAddress.isPending",
      ]
    case .routes:
      [
        "Snapshot.ipv4", "Snapshot.ipv6", "Interface.ipv4", "Interface.ipv6", "RouteAnswer.hops",
        "RouteAnswer.table", "RouteAnswer.metric", "RouteAnswer.prefixLength",
        "RouteAnswer.source", "NextHop.interface", "NextHop.gateway", "NextHop.isDead",
        "NameServer.lookup",
      ]
    case .farRoutes: ["Interface.hasGatewayRoute"]
    // The routes' own fields: it is when that is another matter.
    case .routeExpiry: []
    case .radioSwitches: ["Interface.isRadioBlocked"]
    case .nameServers: ["Snapshot.nameServers", "NameServer.address", "NameServer.zone"]
    case .gatewayHardware:
      [
        "Snapshot.gatewayHardware", "GatewayHardware.interface", "GatewayHardware.gateway",
        "GatewayHardware.address",
      ]
    case .answers: ["Snapshot.unavailable"]
    case .settings:
      ["Interface.acceptsUniqueLocal", "Interface.isOnDemand", "Snapshot.userID"]
    case .notReadYet: ["Interface.ssid"]
    }
  }
}
