/// Why there is no path, and where that shows.
struct Finding: Hashable, Sendable {
  var reason: PathReason
  /// The interface it is about; nil when it is about none.
  var position: Int?
  var obstacle = Obstacle.none
  /// The family whose route it is; nil when the links were looked at.
  var family: AddressFamily?
  var refusal: RouteRefusal?
}

extension Survey {
  /// Picks the reason that says most. What an unbound socket ran into comes before "the filter left
  /// out what works", and that before the state of the allowed links.
  func finding(_ ipv4: Judgement, _ ipv6: Judgement) -> Finding {
    let ipv4Says = ipv4.verdict.rank >= ipv6.verdict.rank
    let telling = ipv4Says ? ipv4 : ipv6
    let family = ipv4Says ? AddressFamily.ipv4 : .ipv6
    let finding = finding(telling, family)
    if let finding, finding.reason == .dormant || finding.reason == .unknown { return finding }
    // The less telling family may be the unbound one, whose word comes first.
    let other = ipv4Says ? ipv6 : ipv4
    if telling.isUnbound, let finding { return finding }
    if other.isUnbound, let finding = self.finding(other, ipv4Says ? .ipv6 : .ipv4) {
      return finding
    }
    let links = finding ?? linkFinding()
    if links.reason == .dormant { return links }
    let isExcludedCarrier = standings.indices.contains {
      !standings[$0].isAllowed && standings[$0].carries
    }
    if isExcludedCarrier {
      var filtered = links
      filtered.reason = .filteredOut
      return filtered
    }
    return links
  }

  private func finding(_ judgement: Judgement, _ family: AddressFamily) -> Finding? {
    guard let reason = judgement.verdict.reason else { return nil }
    switch judgement.verdict {
    case .served, .noRoute: return nil
    case .refused(let refusal):
      return Finding(reason: reason, family: family, refusal: refusal)
    case .unknown: return Finding(reason: reason, family: family)
    case .obstructed(let position, let obstacle):
      if !judgement.isUnbound, reason == .deadDefaultRoute {
        // Nobody chose this route: the state of the link says it all.
        return Finding(reason: linkReason(obstacle), position: position, obstacle: obstacle)
      }
      return Finding(reason: reason, position: position, obstacle: obstacle, family: family)
    }
  }

  /// Without a route, the links tell how far it got. Links that stand on hardware are asked first:
  /// a container bridge with an address must not hide that the cable is out.
  func linkFinding() -> Finding {
    let candidates = standings.indices.filter { position in
      standings[position].isAllowed && standings[position].obstacle != .loopback
        && interfaces[position].master == 0
    }
    let hardware = candidates.filter { standsOnHardware($0) }
    let plain = candidates.filter { !standings[$0].isTunnel }
    let asked = !hardware.isEmpty ? hardware : !plain.isEmpty ? plain : candidates
    var best = Finding(reason: .noInterface)
    var bestRank = -1
    for position in asked {
      var obstacle = standings[position].obstacle
      if obstacle == .none, !standings[position].hasIPv4, !standings[position].hasIPv6 {
        obstacle = .noAddress
      }
      let rank = Self.linkRank(obstacle)
      if rank > bestRank {
        bestRank = rank
        best = Finding(reason: linkReason(obstacle), position: position, obstacle: obstacle)
      }
    }
    return best
  }

  private func standsOnHardware(_ position: Int) -> Bool {
    if standings[position].isTunnel { return false }
    if interfaces[position].isPhysical { return true }
    var found = false
    visitBeneath(position, depth: 0) { found = found || interfaces[$0].isPhysical }
    return found
  }

  private func linkReason(_ obstacle: Obstacle) -> PathReason {
    switch obstacle {
    case .none: .noRoute
    case .loopback, .switchedOff: .noInterface
    case .radioOff: .radioOff
    case .noCarrier: .noCarrier
    case .dormant: .dormant
    case .uplinkPortDown: .uplinkPortDown
    case .noUnderlay: .noUnderlay
    case .noAddress: .noAddress
    }
  }

  private static func linkRank(_ obstacle: Obstacle) -> Int {
    switch obstacle {
    case .loopback: -1
    case .switchedOff: 0
    case .radioOff: 1
    case .noCarrier: 2
    case .noAddress: 3
    case .noUnderlay: 4
    case .uplinkPortDown: 5
    case .dormant: 6
    case .none: 7
    }
  }

  /// Apple's reason: denied when the filter forbids the radio that would serve, or rfkill does.
  func unsatisfiedReason(
    _ finding: Finding, _ match: FilterMatch, _ others: [Int]
  ) -> UnsatisfiedReason {
    if finding.reason == .filteredOut {
      for position in others where !standings[position].isAllowed {
        let forbidden = standings[position].layers.intersection(match.filter.prohibited)
        if forbidden.contains(.wifi) { return .wifiDenied }
        if forbidden.contains(.cellular) { return .cellularDenied }
      }
    }
    guard finding.obstacle == .radioOff, let position = finding.position else {
      return .notAvailable
    }
    switch standings[position].type {
    case .wifi: return .wifiDenied
    case .cellular: return .cellularDenied
    case .wired, .loopback, .other: return .notAvailable
    }
  }
}
