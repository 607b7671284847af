/// A snapshot with every interface's standing worked out: the ground that all verdicts rest on.
/// A class, since a copy would touch every reference the snapshot holds, many times per verdict; it
/// lives no longer than one verdict.
final class Survey {
  let snapshot: Snapshot
  let interfaces: [Interface]
  /// Parallel to `interfaces`.
  var standings: [Standing]

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    interfaces = snapshot.interfaces
    standings = []
    standings.reserveCapacity(interfaces.count)
    var lending = Lending()
    var hasTunnel = false
    for position in interfaces.indices {
      var standing = Standing()
      standing.type = interfaces[position].type
      standing.isTunnel = interfaces[position].underlay != .notNeeded
      standing.isTranslator = standing.isTunnel && isTranslator(position)
      hasTunnel = hasTunnel || standing.isTunnel
      standing.obstacle = linkObstacle(position)
      noteAddresses(position, &standing, &lending)
      standings.append(standing)
    }
    if lending.isWanted {
      borrowAddresses(lending)
      takeNamedSources()
    }
    noteDialling()
    for position in standings.indices where !standings[position].isTunnel {
      judgeBoundLookups(position)
    }
    if hasTunnel { judgeTunnels() }
    for position in standings.indices where standings[position].type == .other {
      standings[position].type = effectiveType(position, depth: 0)
    }
    for position in standings.indices {
      standings[position].layers = layers(position, depth: 0)
    }
  }

  /// Where the interface with this index stands; nil when the snapshot does not hold it.
  func position(_ index: Int32) -> Int? {
    var low = 0
    var high = interfaces.count
    while low < high {
      let middle = (low + high) / 2
      if interfaces[middle].index < index { low = middle + 1 } else { high = middle }
    }
    guard low < interfaces.count, interfaces[low].index == index else {
      return nil
    }
    return low
  }

  /// Links stacked deeper than this are not followed; it also ends a circle in broken input.
  static let maximumDepth = 4

  // MARK: Links

  private func linkObstacle(_ position: Int) -> Obstacle {
    let state = interfaces[position].linkState
    let isBlocked = interfaces[position].isRadioBlocked
    if interfaces[position].flags.contains(.loopback) { return .loopback }
    switch state {
    case .switchedOff: return isBlocked ? .radioOff : .switchedOff
    case .noCarrier where isBlocked: return .radioOff
    case .dormant: return .dormant
    case .usable, .noCarrier:
      // A bridge is asked first: that its port is down says more than that it is down itself.
      if let ports = interfaces[position].bridgePorts, !ports.isEmpty,
        !ports.contains(where: hasCarrier)
      {
        return .uplinkPortDown
      }
      return state == .usable ? .none : .noCarrier
    }
  }

  private func hasCarrier(_ index: Int32) -> Bool {
    guard let position = position(index) else { return false }
    return interfaces[position].linkState == .usable
  }

  // MARK: Addresses

  /// Who could lend an address to a device that has none.
  private struct Lending {
    var anyIPv4 = false
    var anyIPv6 = false
    var loopbackIPv4 = false
    var loopbackIPv6 = false
    /// A link lacks an address that it might borrow.
    var isWanted = false
  }

  private func noteAddresses(
    _ position: Int, _ standing: inout Standing, _ lending: inout Lending
  ) {
    let takesLocal = interfaces[position].acceptsUniqueLocal
    for entry in interfaces[position].addresses {
      if entry.address.family == .ipv4 { standing.isNumbered = true }
      guard entry.isUsable else { continue }
      let isLocal = entry.address.isLocalIPv6
      if isLocal, !takesLocal { continue }
      switch entry.address.family {
      case .ipv4:
        standing.hasIPv4 = true
        lending.anyIPv4 = true
      case .ipv6:
        standing.hasIPv6 = true
        if !isLocal { lending.anyIPv6 = true }
      }
    }
    if standing.obstacle == .loopback {
      lending.loopbackIPv4 = lending.loopbackIPv4 || standing.hasIPv4
      lending.loopbackIPv6 = lending.loopbackIPv6 || standing.hasIPv6 && !takesLocal
    } else if !standing.hasIPv4 || !standing.hasIPv6 {
      lending.isWanted = true
    }
  }

  /// The kernel lends an unnumbered device another's address as source. That is believed of
  /// point-to-point links and of an address on `lo`, as routed hosting does it; an Ethernet without
  /// an address would only borrow a container bridge's. An IPv6 tunnel borrows nothing: its far
  /// end drops what it did not assign.
  private func borrowAddresses(_ lending: Lending) {
    guard lending.anyIPv4 || lending.anyIPv6 else { return }
    for position in standings.indices {
      let isPointToPoint = interfaces[position].flags.contains(.pointToPoint)
      if !standings[position].hasIPv4, !standings[position].isNumbered {
        standings[position].hasIPv4 = lending.loopbackIPv4 || isPointToPoint && lending.anyIPv4
      }
      if !standings[position].hasIPv6, !standings[position].isTunnel {
        standings[position].hasIPv6 = lending.loopbackIPv6 || isPointToPoint && lending.anyIPv6
      }
    }
  }

  // MARK: Bound lookups

  /// Whether a socket bound to the interface would get through, family by family. Ports are left
  /// out: their bridge, bond or VRF is who would carry the path.
  func judgeBoundLookups(_ position: Int) {
    guard standings[position].obstacle == .none, interfaces[position].master == 0 else {
      return
    }
    let index = interfaces[position].index
    if standings[position].hasIPv4,
      case .route(let answer)? = interfaces[position].ipv4,
      answer.hops.contains(where: { $0.interface == index && !$0.isDead })
    {
      standings[position].carriesIPv4 = true
      standings[position].metricIPv4 = answer.metric
    }
    if standings[position].hasIPv6,
      case .route(let answer)? = interfaces[position].ipv6,
      answer.hops.contains(where: { $0.interface == index && !$0.isDead })
    {
      standings[position].carriesIPv6 = true
      standings[position].metricIPv6 = answer.metric
    }
  }

  /// The better of two positions by preference; the lower index when they are equal.
  func isPreferred(_ left: Int, over right: Int) -> Bool {
    standings[left].isPreferred(over: standings[right]) ?? (left < right)
  }
}
