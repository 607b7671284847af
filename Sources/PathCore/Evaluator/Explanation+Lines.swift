/// The lines of `netvane explain`. Names are put in as they are; the printer escapes them.
extension Explanation {
  package var lines: [String] {
    var lines = [path.why]
    lines.append("status: \(path.status.rawValue)" + reasonText)
    lines.append("filter: \(filterText)")
    lines.append("asked for user \(userID)")
    for (name, lookup, isUnbound) in [
      ("IPv4", unboundIPv4, isIPv4Unbound), ("IPv6", unboundIPv6, isIPv6Unbound),
    ] {
      var line = "\(name), any interface: \(text(lookup))"
      if isUnbound == false { line += " (not asked for: the filter decides by interface)" }
      lines.append(line)
    }
    for entry in evidence { lines += text(entry) }
    lines += serverLines
    if ignoredLinks > 0 {
      lines.append("\(ignoredLinks) other links have no address of their own and were not asked")
    }
    return lines
  }

  private var reasonText: String {
    var text = path.reason == .none ? "" : ", reason \(path.reason.rawValue)"
    if path.unsatisfiedReason != .notAvailable { text += ", \(path.unsatisfiedReason.rawValue)" }
    return text
  }

  private var filterText: String {
    var parts: [String] = []
    if let required = filter.required { parts.append("required \(required)") }
    if !filter.prohibited.isEmpty {
      parts.append(
        "prohibited \(filter.prohibited.types.map(\.description).joined(separator: ","))")
    }
    if let interface = filter.interface { parts.append("interface \(interface)") }
    if !filter.ignored.isEmpty {
      parts.append("ignored \(filter.ignored.joined(separator: ","))")
    }
    if filter.isBound { parts.append("bound to the interface") }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  private func text(_ entry: Evidence) -> [String] {
    let interface = entry.interface
    var title = "\(interface.name) (\(interface.type)"
    if !interface.kind.isEmpty, interface.kind != interface.type.description {
      title += ", \(interface.kind)"
    }
    title += "): \(roleText(entry.role)), \(stateText(entry))"
    if let underlay = interface.underlay {
      title += ", over \(underlay)\(interface.isUnderlayGuessed ? " (guessed)" : "")"
    }
    var lines = [title]
    let addresses = entry.addresses.map { address in
      "\(address.address)/\(address.prefixLength)"
        + (address.isUsable ? "" : address.isPending ? " (not ready)" : " (local)")
    }
    lines.append("  addresses: \(addresses.isEmpty ? "none" : addresses.joined(separator: " "))")
    lines += settingLines(entry)
    if let exclusion = entry.exclusion { lines.append("  left out by the filter: \(exclusion)") }
    if let layer = entry.matchedLayer { lines.append("  matches the filter by \(layer)") }
    for (name, lookup, obstacle) in [
      ("IPv4", entry.boundIPv4, entry.obstacleIPv4), ("IPv6", entry.boundIPv6, entry.obstacleIPv6),
    ] {
      guard let lookup else { continue }
      var line = "  \(name), bound to it: \(text(lookup))"
      if obstacle != .none, lookup.answer != nil { line += "; but \(text(obstacle))" }
      lines.append(line)
    }
    return lines
  }

  /// The settings that would decide otherwise.
  private func settingLines(_ entry: Evidence) -> [String] {
    var lines: [String] = []
    let name = entry.interface.name
    if !entry.acceptsUniqueLocal,
      entry.addresses.contains(where: { $0.isUsable && $0.address.isLocalIPv6 })
    {
      lines.append(
        "  its unique-local IPv6 address does not count; interfaces = { [\"\(name)\"] = "
          + "{ unique_local = true } } in the configuration makes it count")
    }
    if entry.isGroundGuessed {
      lines.append(
        "  what it rides on is a guess; underlay = { [\"\(name)\"] = \"eth0\" }, or \"always\","
          + " in the configuration says it")
    }
    return lines
  }

  private func roleText(_ role: Evidence.Role) -> String {
    switch role {
    case .chosen: path.status == .satisfied ? "carries the path" : "is waited for"
    case .next: "could take over"
    case .alternative: "could serve"
    case .unfit: "does not count"
    }
  }

  private func stateText(_ entry: Evidence) -> String {
    if entry.isPort { return "port of another link" }
    if entry.isRadioBlocked { return "radio blocked" }
    switch entry.obstacleIPv4 {
    case .uplinkPortDown, .noUnderlay: return text(entry.obstacleIPv4)
    case .none, .loopback, .radioOff, .switchedOff, .noCarrier, .dormant, .noAddress: break
    }
    switch entry.linkState {
    case .usable: return "link works"
    case .dormant: return "dormant"
    case .noCarrier: return "no carrier"
    case .switchedOff: return "switched off"
    }
  }

  private func text(_ obstacle: Obstacle) -> String {
    switch obstacle {
    case .none: "nothing is in the way"
    case .loopback: "it leads to this machine only"
    case .radioOff: "its radio is blocked"
    case .switchedOff: "it is switched off"
    case .noCarrier: "it has no carrier"
    case .dormant: "it is dormant"
    case .uplinkPortDown: "no physical port has a carrier"
    case .noUnderlay: "nothing to ride on"
    case .noAddress: "it has no usable address"
    }
  }

  /// What the kernel said.
  private func text(_ lookup: Lookup) -> String {
    switch lookup {
    case .noRoute: return "no route"
    case .refused(let refusal): return "refused by a route of type \(refusal.rawValue)"
    case .failed(let cause): return "could not be asked: \(cause)"
    case .route(let answer):
      let hops = answer.hops.map { hop in
        var text = hop.gateway.map { "through \($0) " } ?? ""
        text += "by \(name(of: hop.interface))"
        return hop.isDead ? text + " (dead)" : text
      }
      let table = answer.table == 254 ? "main table" : "table \(answer.table)"
      return "\(hops.joined(separator: ", ")), \(table), metric \(answer.metric)"
    }
  }

  private func name(of index: Int32) -> String {
    evidence.first { $0.interface.index == index }?.interface.name ?? "interface \(index)"
  }

  private func text(uncounted server: NameServer) -> String {
    if server.address.isLoopback { return "lo is down" }
    switch server.lookup {
    case .noRoute: return "no route leads there"
    case .refused(let refusal): return "a route of type \(refusal.rawValue) turns it away"
    case .route, .failed, nil: return "its link is not there or does not work"
    }
  }

  private var serverLines: [String] {
    if nameServers.isEmpty {
      return ["DNS: resolv.conf names no server; glibc would then ask 127.0.0.1"]
    }
    return nameServers.map { entry in
      let zone = entry.server.zone.isEmpty ? "" : "%\(entry.server.zone)"
      return "DNS: \(entry.server.address)\(zone)"
        + (entry.counts ? "" : " does not count: \(text(uncounted: entry.server))")
    }
  }
}
