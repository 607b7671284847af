/// How one address family fares.
enum FamilyVerdict: Hashable, Sendable {
  /// The interface at this position carries it.
  case served(Int)
  /// A route leads to this interface (nil: one that is gone), which cannot carry it.
  case obstructed(Int?, Obstacle)
  case refused(RouteRefusal)
  case noRoute
  case unknown

  var servedPosition: Int? {
    if case .served(let position) = self { position } else { nil }
  }
}

extension Survey {
  /// What an ordinary, unbound socket gets: the first next hop that can carry the family; when none
  /// can, what stands in the way of the most promising one.
  func judgeUnbound(_ family: AddressFamily) -> FamilyVerdict {
    switch snapshot.lookup(family) {
    case .refused(let refusal): return .refused(refusal)
    case .noRoute: return .noRoute
    case .failed: return .unknown
    case .route(let answer):
      var best = FamilyVerdict.obstructed(nil, .noCarrier)
      var bestRank: UInt8 = 0
      for hop in answer.hops {
        guard let position = position(hop.interface) else { continue }
        var obstacle = standings[position].obstacle(family)
        if obstacle == .none {
          if !hop.isDead { return .served(position) }
          obstacle = .noCarrier
        }
        if obstacle.rawValue > bestRank {
          best = .obstructed(position, obstacle)
          bestRank = obstacle.rawValue
        }
      }
      return best
    }
  }

  /// What a socket bound to the best allowed interface gets.
  func judgeBound(_ family: AddressFamily) -> FamilyVerdict {
    var best: Int?
    var fallback = FamilyVerdict.noRoute
    for position in standings.indices where standings[position].isAllowed {
      if standings[position].carries(family) {
        guard let current = best else {
          best = position
          continue
        }
        if standings[position].metric(family) < standings[current].metric(family) {
          best = position
        }
      } else if best == nil {
        fallback = Self.moreTelling(fallback, boundFailure(position, family))
      }
    }
    return best.map { .served($0) } ?? fallback
  }

  private func boundFailure(_ position: Int, _ family: AddressFamily) -> FamilyVerdict {
    guard interfaces[position].master == 0 else { return .noRoute }
    switch interfaces[position].lookup(family) {
    case nil, .noRoute: return .noRoute
    case .refused(let refusal): return .refused(refusal)
    case .failed: return .unknown
    case .route:
      let obstacle = standings[position].obstacle(family)
      return obstacle == .none || obstacle == .loopback
        ? .noRoute : .obstructed(position, obstacle)
    }
  }

  private static func moreTelling(_ left: FamilyVerdict, _ right: FamilyVerdict) -> FamilyVerdict {
    right.rank > left.rank ? right : left
  }

  /// What each family gets under the filter, and whether that is the answer an unbound socket gets.
  ///
  /// A filter that allows the unbound winner changes nothing, and neither does one that excludes no
  /// usable link, so that a refusal stays a refusal. Otherwise each family whose winner is excluded
  /// falls back to the best allowed interface. A dead default counts as the choice of its
  /// interface: who wants wired only is told that the cable is dead, not offered anything else.
  func judge(_ match: FilterMatch) -> (ipv4: Judgement, ipv6: Judgement) {
    if match.filter.isBound {
      return (Judgement(bound: judgeBound(.ipv4)), Judgement(bound: judgeBound(.ipv6)))
    }
    let unbound = (ipv4: judgeUnbound(.ipv4), ipv6: judgeUnbound(.ipv6))
    if match.filter.acceptsEverything {
      return (Judgement(unbound: unbound.ipv4), Judgement(unbound: unbound.ipv6))
    }
    let excludesUsable = excludesUsableLink
    let choices = (ipv4: isChoiceAllowed(unbound.ipv4), ipv6: isChoiceAllowed(unbound.ipv6))
    func judgement(
      _ family: AddressFamily, _ verdict: FamilyVerdict, _ choice: Bool?, _ other: Bool?
    ) -> Judgement {
      // A family without a choice of its own follows the other one's.
      if choice ?? other ?? !excludesUsable { return Judgement(unbound: verdict) }
      if choice == nil, !excludesUsable { return Judgement(unbound: verdict) }
      return Judgement(bound: judgeBound(family))
    }
    return (
      judgement(.ipv4, unbound.ipv4, choices.ipv4, choices.ipv6),
      judgement(.ipv6, unbound.ipv6, choices.ipv6, choices.ipv4)
    )
  }

  private func isChoiceAllowed(_ verdict: FamilyVerdict) -> Bool? {
    switch verdict {
    case .served(let position): standings[position].isAllowed
    case .obstructed(let position, _): position.map { standings[$0].isAllowed }
    case .refused, .noRoute, .unknown: nil
    }
  }

  /// Whether the filter leaves out a link that could matter: one that works, has an address and is
  /// not merely an island without any way out.
  private var excludesUsableLink: Bool {
    standings.indices.contains { position in
      guard !standings[position].isAllowed, standings[position].obstacle == .none,
        interfaces[position].master == 0
      else { return false }
      return standings[position].hasIPv4 && leadsOut(interfaces[position].ipv4)
        || standings[position].hasIPv6 && leadsOut(interfaces[position].ipv6)
    }
  }

  private func leadsOut(_ lookup: Lookup?) -> Bool {
    switch lookup {
    case nil, .noRoute: false
    case .route, .refused, .failed: true
    }
  }
}

/// A family's verdict with the question it answers.
struct Judgement: Hashable, Sendable {
  var verdict: FamilyVerdict
  var isUnbound: Bool

  init(unbound verdict: FamilyVerdict) {
    self.verdict = verdict
    isUnbound = true
  }

  init(bound verdict: FamilyVerdict) {
    self.verdict = verdict
    isUnbound = false
  }
}

extension FamilyVerdict {
  /// How much it says about why there is no path; the unknown and the dormant come first, since
  /// they turn "no" into "try it".
  var rank: Int {
    switch self {
    case .served, .noRoute, .obstructed(_, .none), .obstructed(_, .loopback): 0
    case .obstructed(_, .noAddress): 1
    case .obstructed(_, .noUnderlay): 2
    case .obstructed(_, .uplinkPortDown): 3
    case .refused: 4
    case .obstructed(_, .radioOff), .obstructed(_, .switchedOff), .obstructed(_, .noCarrier): 5
    case .unknown: 6
    case .obstructed(_, .dormant): 7
    }
  }

  /// Nil when only a look at the links can tell.
  var reason: PathReason? {
    switch self {
    case .served: PathReason.none
    case .obstructed(_, let obstacle): obstacle == .loopback ? nil : obstacle.reasonForRoute
    case .refused: .routeRefused
    case .noRoute: nil
    case .unknown: .unknown
    }
  }
}
