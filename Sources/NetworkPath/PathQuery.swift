#if os(Linux)
internal import PathCore

/// What a monitor asks of the network.
enum PathQuery: Hashable, Sendable {
  /// The path that a connection would get.
  case route(PathFilter)
  /// Links for frames of one's own.
  case ethernetChannel

  /// Nil when no route is asked for.
  var filter: PathFilter? {
    if case .route(let filter) = self { filter } else { nil }
  }

  func path(of snapshot: Snapshot) -> PathCore.Path {
    switch self {
    case .route(let filter): PathEvaluator.path(of: snapshot, filter: filter)
    case .ethernetChannel: Self.channel(snapshot)
    }
  }

  /// A cable with a carrier carries frames, unless a bridge or a bond owns it.
  private static func channel(_ snapshot: Snapshot) -> PathCore.Path {
    if let cause = snapshot.unavailable {
      return PathCore.Path(
        status: .requiresConnection, reason: .unknown,
        why: "The kernel could not be asked (\(cause)), so a try is worth it.")
    }
    let cables = snapshot.interfaces.filter { $0.type == .wired && $0.master == 0 }
    let usable = cables.filter { $0.linkState == .usable }
    guard let first = usable.first else {
      let isOn = cables.contains { $0.flags.contains(.up) }
      return PathCore.Path(
        status: .unsatisfied, reason: isOn ? .noCarrier : .noInterface,
        why: isOn ? "No cable has a carrier." : "No link for cables is switched on.")
    }
    var path = PathCore.Path(
      status: .satisfied, reason: .none, why: "\(first.name) (wired) carries frames.")
    path.interfaces = usable.map {
      PathInterface(index: $0.index, name: $0.name, type: $0.type, kind: $0.kind)
    }
    path.uses = InterfaceTypeSet(.wired)
    return path
  }
}
#endif
