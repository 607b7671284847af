/// Turns a snapshot and a filter into the verdict: what path a program would get.
///
/// What `Path` lists:
/// - satisfied: `interfaces` are the one that carries the path, then every other one the filter
///   allows through which a bound socket would get out, IPv4-capable first, by metric, by index.
///   `alternatives` is empty: a filtered monitor is not woken by what it declined.
/// - dormant: `interfaces` is the one that waits.
/// - not satisfied: `interfaces` is empty, `alternatives` are all through which a bound socket
///   would get out, the excluded ones too.
package enum PathEvaluator {
  package static func path(of snapshot: Snapshot, filter: PathFilter) -> Path {
    if let cause = snapshot.unavailable { return unknownPath(cause) }
    let survey = Survey(snapshot)
    return judge(survey, FilterMatch(filter)).path
  }

  /// A verdict with the steps that led to it.
  struct Outcome {
    var path: Path
    var ipv4: Judgement?
    var ipv6: Judgement?
  }

  static func judge(_ survey: Survey, _ match: FilterMatch) -> Outcome {
    survey.apply(match)
    if let position = survey.loopbackAsked(by: match) {
      return Outcome(path: loopbackPath(survey, position))
    }
    let (ipv4, ipv6) = survey.judge(match)
    survey.markServed(ipv4, .ipv4)
    survey.markServed(ipv6, .ipv6)
    let path: Path
    if ipv4.verdict.servedPosition != nil || ipv6.verdict.servedPosition != nil {
      path = satisfiedPath(survey, ipv4, ipv6)
    } else {
      path = unsatisfiedPath(survey, match, ipv4, ipv6)
    }
    return Outcome(path: path, ipv4: ipv4, ipv6: ipv6)
  }

  static func unknownPath(_ cause: String) -> Path {
    Path(
      status: .requiresConnection, reason: .unknown,
      why: "The kernel could not be asked (\(cause)), so a connection is worth trying.")
  }

  private static func loopbackPath(_ survey: Survey, _ position: Int) -> Path {
    let name = survey.interfaces[position].name
    guard survey.interfaces[position].flags.contains(.up) else {
      return Path(
        status: .unsatisfied, reason: .noInterface, why: "\(name) (loopback) is switched off.")
    }
    var path = Path(
      status: .satisfied, reason: .none, why: "\(name) (loopback) reaches this machine itself.")
    let interface = survey.pathInterface(position)
    path.interfaces = [interface]
    path.uses = survey.standings[position].layers
    for entry in survey.interfaces[position].addresses where !entry.isPending {
      let family = FamilyPath(interface: interface, gateways: [])
      if entry.address.family == .ipv4 { path.ipv4 = family } else { path.ipv6 = family }
    }
    path.supportsDNS = survey.supportsDNS
    return path
  }

  private static func satisfiedPath(
    _ survey: Survey, _ ipv4: Judgement, _ ipv6: Judgement
  ) -> Path {
    var path = Path(status: .satisfied, reason: .none, why: "")
    path.ipv4 = survey.familyPath(ipv4, .ipv4)
    path.ipv6 = survey.familyPath(ipv6, .ipv6)
    let carriers = (ipv4.verdict.servedPosition, ipv6.verdict.servedPosition)
    guard var primary = carriers.0 ?? carriers.1 else { return path }
    // What a translator carries leaves as IPv6: that is the network one is in.
    if survey.standings[primary].isTranslator, let ipv6 = carriers.1 { primary = ipv6 }
    let others = survey.sorted {
      $0 != primary && survey.standings[$0].isAllowed && survey.standings[$0].carries
    }
    path.interfaces.reserveCapacity(others.count + 1)
    path.interfaces.append(survey.pathInterface(primary))
    for position in others { path.interfaces.append(survey.pathInterface(position)) }
    survey.addCost(of: primary, to: &path)
    for case let second? in [carriers.0, carriers.1] where second != primary {
      survey.addCost(of: second, to: &path)
    }
    path.supportsDNS = survey.supportsDNS
    path.network = survey.network(primary, path)
    path.why = Sentence.satisfied(path)
    return path
  }

  private static func unsatisfiedPath(
    _ survey: Survey, _ match: FilterMatch, _ ipv4: Judgement, _ ipv6: Judgement
  ) -> Path {
    let finding = survey.finding(ipv4, ipv6)
    let isOpen = finding.reason == .dormant || finding.reason == .unknown
    let others = survey.sorted { survey.standings[$0].carries }
    var path = Path(
      status: isOpen ? .requiresConnection : .unsatisfied, reason: finding.reason,
      why: Sentence.unsatisfied(finding, survey, match, others))
    path.alternatives = others.map(survey.pathInterface)
    if finding.reason == .dormant, let position = finding.position {
      path.interfaces = [survey.pathInterface(position)]
    }
    if !isOpen {
      path.unsatisfiedReason = survey.unsatisfiedReason(finding, match, others)
    }
    return path
  }
}

extension Survey {
  func apply(_ match: FilterMatch) {
    if match.filter.acceptsEverything { return }
    for position in standings.indices {
      standings[position].isAllowed =
        match.exclusion(
          of: interfaces[position], layers: standings[position].layers) == nil
    }
  }

  func loopbackAsked(by match: FilterMatch) -> Int? {
    if match.filter.required == nil, match.filter.interface == nil { return nil }
    return standings.indices.first { position in
      standings[position].obstacle == .loopback && standings[position].isAllowed
        && match.asksForLoopback(interfaces[position])
    }
  }

  /// The winner of an unbound lookup carries its family even when its bound lookup was not made
  /// or says nothing: a route that only answers to a source address.
  func markServed(_ judgement: Judgement, _ family: AddressFamily) {
    guard judgement.isUnbound, let position = judgement.verdict.servedPosition,
      !standings[position].carries(family)
    else { return }
    let metric = snapshot.lookup(family).answer?.metric ?? 0
    switch family {
    case .ipv4:
      standings[position].carriesIPv4 = true
      standings[position].metricIPv4 = metric
    case .ipv6:
      standings[position].carriesIPv6 = true
      standings[position].metricIPv6 = metric
    }
  }

  /// The chosen positions, best first.
  func sorted(_ isChosen: (Int) -> Bool) -> [Int] {
    var positions: [Int] = []
    for position in standings.indices where isChosen(position) { positions.append(position) }
    if positions.count > 1 { positions.sort { isPreferred($0, over: $1) } }
    return positions
  }

  func pathInterface(_ position: Int) -> PathInterface {
    var beneath = standings[position].underlay
    if beneath == nil, interfaces[position].kind == "ppp" {
      beneath = self.position(interfaces[position].lower)
    }
    return PathInterface(
      index: interfaces[position].index, name: interfaces[position].name,
      type: standings[position].type, kind: interfaces[position].kind,
      isTunnel: standings[position].isTunnel && !standings[position].isTranslator,
      underlay: beneath.map { interfaces[$0].name },
      isUnderlayGuessed: standings[position].isUnderlayGuessed)
  }

  /// The gateways are those of the next hops that work and that the filter allows.
  func familyPath(_ judgement: Judgement, _ family: AddressFamily) -> FamilyPath? {
    guard let position = judgement.verdict.servedPosition else { return nil }
    let lookup =
      judgement.isUnbound
      ? snapshot.lookup(family) : interfaces[position].lookup(family)
    var gateways: [IPAddress] = []
    if case .route(let answer)? = lookup {
      for hop in answer.hops where !hop.isDead {
        guard var gateway = hop.gateway, !gateway.isUnspecified,
          let carrier = self.position(hop.interface),
          judgement.isUnbound ? standings[carrier].isAllowed : carrier == position,
          standings[carrier].obstacle(family) == .none
        else { continue }
        if gateway.isLinkLocal, gateway.family == .ipv6, gateway.scope == 0 {
          gateway.scope = hop.interface
        }
        gateways.append(gateway)
      }
    }
    return FamilyPath(interface: pathInterface(position), gateways: gateways)
  }
}
