/// The one sentence that tells people why the verdict is what it is. Names are put in as they are;
/// printers escape them.
enum Sentence {
  /// A balanced default may have hundreds.
  private static let gatewayLimit = 3

  static func satisfied(_ path: Path) -> String {
    var text = ""
    text.reserveCapacity(96)
    guard let ipv4 = path.ipv4 else {
      if let ipv6 = path.ipv6 { append(ipv6, carrying: "IPv6", to: &text) }
      return text + "."
    }
    if let ipv6 = path.ipv6 {
      if ipv4.interface.index == ipv6.interface.index {
        var both = ipv4
        both.gateways += ipv6.gateways
        append(both, carrying: "IPv4 and IPv6", to: &text)
      } else {
        append(ipv4, carrying: "IPv4", to: &text)
        text += "; "
        append(ipv6, carrying: "IPv6", to: &text)
      }
    } else {
      append(ipv4, carrying: "IPv4", to: &text)
    }
    text += "."
    return text
  }

  private static func append(
    _ family: FamilyPath, carrying what: String, to text: inout String
  ) {
    text += family.interface.name
    text += " ("
    text += family.interface.type.description
    if let underlay = family.interface.underlay {
      text += family.interface.isUnderlayGuessed ? ", probably over " : ", over "
      text += underlay
    }
    text += ") carries "
    text += what
    guard let first = family.gateways.first else {
      text += " without a gateway"
      return
    }
    text += " through "
    text += first.description
    for gateway in family.gateways.dropFirst().prefix(gatewayLimit - 1) {
      text += " and "
      text += gateway.description
    }
    let left = family.gateways.count - gatewayLimit
    if left > 0 { text += " and \(left) more" }
  }

  static func unsatisfied(
    _ finding: Finding, _ survey: Survey, _ match: FilterMatch, _ others: [Int]
  ) -> String {
    let excluded = others.filter { !survey.standings[$0].isAllowed }
    var text = ""
    if finding.reason == .filteredOut {
      text = "The filter leaves out \(list(excluded, survey)), which could serve"
      if let own = linkText(finding, survey) { text += "; \(own)" }
    } else {
      text = cause(finding, survey, match)
      if !others.isEmpty { text += "; \(list(others, survey)) could serve" }
    }
    return text + "."
  }

  private static func cause(_ finding: Finding, _ survey: Survey, _ match: FilterMatch) -> String {
    let name = finding.position.map { survey.interfaces[$0].name }
    let family = finding.family == .ipv6 ? "IPv6" : "IPv4"
    switch finding.reason {
    case .deadDefaultRoute:
      guard let name, let position = finding.position else {
        return "The \(family) route out leads to an interface that is gone"
      }
      let state = state(finding.obstacle, position, survey)
      return "The \(family) route out leads through \(name), which \(state)"
    case .routeRefused:
      let kind = finding.refusal?.rawValue ?? RouteRefusal.unreachable.rawValue
      return "A route of type \(kind) turns \(family) traffic away"
    case .unknown:
      return
        "The kernel could not say how \(family) traffic leaves, so a connection is worth trying"
    case .noAddress where finding.family != nil && name != nil:
      return "The \(family) route out leads through \(name ?? ""), which has no usable \(family) "
        + "address"
    case .noInterface where finding.position == nil:
      if let wanted = match.filter.interface { return "No usable interface matches \(wanted)" }
      if let type = match.filter.required { return "There is no \(type) interface" }
      return "There is no network interface"
    case .none, .noInterface, .noCarrier, .noAddress, .noRoute, .uplinkPortDown, .noUnderlay,
      .dormant, .filteredOut, .radioOff:
      return linkText(finding, survey) ?? "There is no network interface"
    }
  }

  /// What is missing on one link, starting with its name.
  private static func linkText(_ finding: Finding, _ survey: Survey) -> String? {
    guard let position = finding.position else { return nil }
    let name = survey.interfaces[position].name
    return "\(name) \(state(finding.obstacle, position, survey))"
  }

  /// How a link is, to follow its name or "which".
  static func state(_ obstacle: Obstacle, _ position: Int, _ survey: Survey) -> String {
    switch obstacle {
    case .none: return "is up and has an address, but no route leads out"
    case .loopback: return "leads nowhere but to this machine"
    case .radioOff: return "has its radio blocked"
    case .switchedOff: return "is switched off"
    case .noCarrier: return "has no carrier"
    case .dormant: return "waits to be let in (dormant)"
    case .uplinkPortDown: return "has no physical port with a carrier"
    case .noUnderlay:
      guard let underlay = survey.standings[position].underlay else {
        return survey.interfaces[position].underlay == .unknown
          ? "is a tunnel that probably has nothing to ride on (the setting `underlay` can tell)"
          : "is a tunnel with nothing to ride on"
      }
      let beneath = survey.interfaces[underlay].name
      return "is a tunnel over \(beneath), which cannot carry it"
    case .noAddress: return "is connected but has no usable address"
    }
  }

  private static func list(_ positions: [Int], _ survey: Survey) -> String {
    var text = ""
    for (count, position) in positions.enumerated() {
      if count == 3 { return text + " and \(positions.count - count) more" }
      if count > 0 { text += count == positions.count - 1 ? " and " : ", " }
      text += survey.interfaces[position].name
    }
    return text
  }
}
