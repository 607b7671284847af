/// A verdict with everything it rests on, as data and as lines for people.
package struct Explanation: Sendable, Equatable {
  package var path: Path
  package var filter: PathFilter
  /// What an unbound socket gets, before the filter.
  package var unboundIPv4: Lookup
  package var unboundIPv6: Lookup
  /// Whether the verdict of the family is the answer to an unbound socket; nil when the question
  /// did not arise.
  package var isIPv4Unbound: Bool?
  package var isIPv6Unbound: Bool?
  package var evidence: [Evidence]
  package var nameServers: [ServerEvidence]
  package var ignoredLinks: Int
  package var userID: UInt32
}

/// What is known about one interface, and what it was worth.
package struct Evidence: Sendable, Equatable {
  package enum Role: String, Sendable, Hashable {
    /// The path leaves here.
    case chosen
    /// It could carry the path and is listed after the chosen one.
    case next
    /// It could carry a path, but this verdict does not use it.
    case alternative
    case unfit
  }

  package var interface: PathInterface
  package var role: Role
  package var linkState: LinkState
  package var addresses: [InterfaceAddress]
  /// What keeps it from carrying the family; `none` when only a route may be missing.
  package var obstacleIPv4: Obstacle
  package var obstacleIPv6: Obstacle
  /// What the kernel says to a socket bound to it; nil when it was not asked.
  package var boundIPv4: Lookup?
  package var boundIPv6: Lookup?
  package var layers: InterfaceTypeSet
  /// The words for why the filter leaves it out; nil when it may be used.
  package var exclusion: String?
  /// The layer by which a required type was met, when it was not the interface itself.
  package var matchedLayer: String?
  package var isPort: Bool
  package var isRadioBlocked: Bool
  /// What it rides on, or that it needs nothing, was worked out and not told.
  package var isGroundGuessed: Bool = false
  package var acceptsUniqueLocal: Bool = false
}

/// Whether a line of resolv.conf counts.
package struct ServerEvidence: Sendable, Equatable {
  package var server: NameServer
  package var counts: Bool
}

extension PathEvaluator {
  /// The verdict of `path(of:filter:)` with its evidence.
  package static func explanation(of snapshot: Snapshot, filter: PathFilter) -> Explanation {
    let survey = Survey(snapshot)
    let match = FilterMatch(filter)
    var outcome = judge(survey, match)
    if let cause = snapshot.unavailable { outcome = Outcome(path: unknownPath(cause)) }
    return Explanation(
      path: outcome.path, filter: filter, unboundIPv4: snapshot.ipv4, unboundIPv6: snapshot.ipv6,
      isIPv4Unbound: outcome.ipv4?.isUnbound, isIPv6Unbound: outcome.ipv6?.isUnbound,
      evidence: snapshot.interfaces.indices.map { survey.evidence($0, match, outcome.path) },
      nameServers: snapshot.nameServers.map {
        ServerEvidence(server: $0, counts: survey.counts($0))
      },
      ignoredLinks: snapshot.ignoredLinks, userID: snapshot.userID)
  }
}

extension Survey {
  fileprivate func evidence(_ position: Int, _ match: FilterMatch, _ path: Path) -> Evidence {
    let interface = interfaces[position]
    let standing = standings[position]
    return Evidence(
      interface: pathInterface(position), role: role(position, path),
      linkState: interface.linkState, addresses: interface.addresses,
      obstacleIPv4: standing.obstacle(.ipv4), obstacleIPv6: standing.obstacle(.ipv6),
      boundIPv4: interface.ipv4, boundIPv6: interface.ipv6, layers: standing.layers,
      exclusion: exclusionText(position, match), matchedLayer: matchedLayer(position, match.filter),
      isPort: interface.isPort, isRadioBlocked: interface.isRadioBlocked,
      isGroundGuessed: interface.underlay == .unknown,
      acceptsUniqueLocal: interface.acceptsUniqueLocal)
  }

  private func role(_ position: Int, _ path: Path) -> Evidence.Role {
    let index = interfaces[position].index
    let carriers = [path.primary?.index, path.ipv4?.interface.index, path.ipv6?.interface.index]
    if carriers.contains(index) { return .chosen }
    if path.interfaces.contains(where: { $0.index == index }) { return .next }
    return standings[position].carries ? .alternative : .unfit
  }

  private func exclusionText(_ position: Int, _ match: FilterMatch) -> String? {
    let interface = interfaces[position]
    switch match.exclusion(of: interface, layers: standings[position].layers) {
    case nil: return nil
    case .ignored: return "it is on the ignore list"
    case .otherInterface: return "it does not match \(match.filter.interface ?? "")"
    case .lacksType(let type): return "no layer of it is \(type)"
    case .hasTypes(let types):
      let words = types.types.map { type in
        guard let layer = layerName(position, type) else { return "it is \(type)" }
        return "it uses \(layer), which is \(type)"
      }
      return words.joined(separator: " and ")
    }
  }

  private func matchedLayer(_ position: Int, _ filter: PathFilter) -> String? {
    filter.required.flatMap { layerName(position, $0) }
  }

  /// The first layer beneath that is of the type; nil when the interface is so itself.
  private func layerName(_ position: Int, _ type: InterfaceType) -> String? {
    if standings[position].type == type { return nil }
    var found: String?
    visitBeneath(position, depth: 0) {
      if found == nil, standings[$0].type == type { found = interfaces[$0].name }
    }
    return found
  }
}
