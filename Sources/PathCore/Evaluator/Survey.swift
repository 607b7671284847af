/// A snapshot with every interface's standing worked out: the ground that all verdicts rest on.
struct Survey: Sendable {
  let snapshot: Snapshot
  /// Parallel to `snapshot.interfaces`.
  var standings: [Standing]

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    standings = []
    standings.reserveCapacity(snapshot.interfaces.count)
    let lending = Lending(snapshot)
    for position in snapshot.interfaces.indices {
      var standing = Standing()
      standing.isTunnel = snapshot.interfaces[position].underlay != .notNeeded
      standing.obstacle = linkObstacle(position)
      standing.hasIPv4 = hasAddress(position, .ipv4, lending)
      standing.hasIPv6 = hasAddress(position, .ipv6, lending)
      standings.append(standing)
    }
    for position in standings.indices where !standings[position].isTunnel {
      judgeBoundLookups(position)
    }
    if standings.contains(where: \.isTunnel) { judgeTunnels() }
    for position in standings.indices {
      standings[position].type = effectiveType(position, depth: 0)
    }
    for position in standings.indices {
      standings[position].layers = layers(position, depth: 0)
    }
  }

  /// Where the interface with this index stands; nil when the snapshot does not hold it.
  func position(_ index: Int32) -> Int? {
    var low = 0
    var high = snapshot.interfaces.count
    while low < high {
      let middle = (low + high) / 2
      if snapshot.interfaces[middle].index < index { low = middle + 1 } else { high = middle }
    }
    guard low < snapshot.interfaces.count, snapshot.interfaces[low].index == index else {
      return nil
    }
    return low
  }

  /// Links stacked deeper than this are not followed; it also ends a circle in broken input.
  static let maximumDepth = 4

  // MARK: Links

  private func linkObstacle(_ position: Int) -> Obstacle {
    let state = snapshot.interfaces[position].linkState
    let isBlocked = snapshot.interfaces[position].isRadioBlocked
    if snapshot.interfaces[position].flags.contains(.loopback) { return .loopback }
    switch state {
    case .switchedOff: return isBlocked ? .radioOff : .switchedOff
    case .noCarrier where isBlocked: return .radioOff
    case .dormant: return .dormant
    case .usable, .noCarrier:
      // A bridge is asked first: that its port is down says more than that it is down itself.
      if let ports = snapshot.interfaces[position].bridgePorts, !ports.isEmpty,
        !ports.contains(where: hasCarrier)
      {
        return .uplinkPortDown
      }
      return state == .usable ? .none : .noCarrier
    }
  }

  private func hasCarrier(_ index: Int32) -> Bool {
    guard let position = position(index) else { return false }
    return snapshot.interfaces[position].linkState == .usable
  }

  // MARK: Addresses

  /// Who could lend an address to a device that has none.
  private struct Lending {
    var anyIPv4 = false
    var anyIPv6 = false
    var loopbackIPv4 = false
    var loopbackIPv6 = false

    init(_ snapshot: Snapshot) {
      for position in snapshot.interfaces.indices {
        let isLoopback = snapshot.interfaces[position].flags.contains(.loopback)
        for address in snapshot.interfaces[position].addresses
        where address.isUsable && !address.address.isUniqueLocal {
          if address.address.family == .ipv4 {
            anyIPv4 = true
            loopbackIPv4 = loopbackIPv4 || isLoopback
          } else {
            anyIPv6 = true
            loopbackIPv6 = loopbackIPv6 || isLoopback
          }
        }
      }
    }
  }

  /// Whether traffic of the family would have a source. The kernel lends an unnumbered device
  /// another's address. That is believed of point-to-point links and of an address on `lo`, as
  /// routed hosting does it; an Ethernet without an address would only borrow a container
  /// bridge's. An IPv6 tunnel borrows nothing: its far end drops what it did not assign.
  private func hasAddress(
    _ position: Int, _ family: AddressFamily, _ lending: Lending
  ) -> Bool {
    let takesLocal = snapshot.interfaces[position].acceptsUniqueLocal
    var isNumbered = false
    for address in snapshot.interfaces[position].addresses
    where address.address.family == family {
      if address.isUsable, takesLocal || !address.address.isUniqueLocal { return true }
      isNumbered = isNumbered || family == .ipv4
    }
    if isNumbered { return false }
    let isPointToPoint = snapshot.interfaces[position].flags.contains(.pointToPoint)
    switch family {
    case .ipv4:
      return lending.loopbackIPv4 || isPointToPoint && lending.anyIPv4
    case .ipv6:
      guard snapshot.interfaces[position].underlay == .notNeeded else { return false }
      return lending.loopbackIPv6 || isPointToPoint && lending.anyIPv6
    }
  }

  // MARK: Bound lookups

  /// Whether a socket bound to the interface would get through, family by family. Ports are left
  /// out: their bridge, bond or VRF is who would carry the path.
  mutating func judgeBoundLookups(_ position: Int) {
    guard standings[position].obstacle == .none, snapshot.interfaces[position].master == 0 else {
      return
    }
    let index = snapshot.interfaces[position].index
    if standings[position].hasIPv4,
      case .route(let answer)? = snapshot.interfaces[position].ipv4,
      answer.hops.contains(where: { $0.interface == index && !$0.isDead })
    {
      standings[position].carriesIPv4 = true
      standings[position].metricIPv4 = answer.metric
    }
    if standings[position].hasIPv6,
      case .route(let answer)? = snapshot.interfaces[position].ipv6,
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
