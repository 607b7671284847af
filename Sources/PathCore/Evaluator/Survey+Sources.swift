/// Addresses that a link has without holding them, or that count on a condition.
extension Survey {
  /// A route that names its source address (RTA_PREFSRC) sends packets whatever addresses its link
  /// has: the kernel took the route only because the address is its own. An IPv4 address that is
  /// link-local is enough where a router is there to take it, as in some clouds; without one it is
  /// what a host gives itself when nobody answered.
  func takeNamedSources() {
    for position in standings.indices
    where !standings[position].hasIPv4 || !standings[position].hasIPv6 {
      if standings[position].obstacle == .loopback { continue }
      if !standings[position].hasIPv4 {
        standings[position].hasIPv4 =
          isSourceNamed(.ipv4, position) || isLinkLocalRouted(position)
      }
      if !standings[position].hasIPv6 {
        standings[position].hasIPv6 = isSourceNamed(.ipv6, position)
      }
    }
  }

  private func isSourceNamed(_ family: AddressFamily, _ position: Int) -> Bool {
    let index = interfaces[position].index
    return [interfaces[position].lookup(family), snapshot.lookup(family)].contains { lookup in
      guard case .route(let answer)? = lookup, let source = answer.source else { return false }
      return counts(source, position) && answer.hops.contains { $0.interface == index }
    }
  }

  private func counts(_ source: IPAddress, _ position: Int) -> Bool {
    if source.isLoopback || source.isLinkLocal || source.isUnspecified { return false }
    return !source.isLocalIPv6 || interfaces[position].acceptsUniqueLocal
  }

  private func isLinkLocalRouted(_ position: Int) -> Bool {
    guard interfaces[position].addresses.contains(where: \.isLinkLocalIPv4) else { return false }
    let index = interfaces[position].index
    return [interfaces[position].ipv4, snapshot.ipv4].contains { lookup in
      guard case .route(let answer)? = lookup else { return false }
      return answer.hops.contains { $0.interface == index && $0.gateway != nil }
    }
  }

  /// RFC 7335 keeps these addresses for the near end of a translator.
  func isTranslator(_ position: Int) -> Bool {
    interfaces[position].addresses.contains { $0.address.isTranslator }
  }

  /// A line that is dialled on demand waits for the first packet: worth a try where a default
  /// leads through it.
  func noteDialling() {
    for position in interfaces.indices where interfaces[position].isOnDemand {
      let isNumbered = standings[position].hasIPv4 || standings[position].hasIPv6
      switch standings[position].obstacle {
      case .noCarrier: break
      case .none where !isNumbered: break
      case .none, .loopback, .radioOff, .switchedOff, .dormant, .uplinkPortDown, .noUnderlay,
        .noAddress:
        continue
      }
      let index = interfaces[position].index
      let isDefault = [snapshot.ipv4, snapshot.ipv6].contains { lookup in
        lookup.answer?.hops.contains { $0.interface == index } ?? false
      }
      if isDefault { standings[position].obstacle = .dormant }
    }
  }
}
