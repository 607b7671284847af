import PathCore

/// `netvane status`: how the network is now, for an ordinary program or under a filter.
struct StatusCommand {
  let options: AskOptions
  let console: Console

  func perform() -> Int32 {
    guard let snapshot = options.snapshot(console) else { return 2 }
    let path = PathEvaluator.path(of: snapshot, filter: options.filter)
    if options.json {
      var writer = JSONWriter()
      path.writeJSON(into: &writer)
      console.print(writer.text)
    } else {
      printTable(path)
    }
    return path.status == .satisfied ? 0 : 1
  }

  private func printTable(_ path: Path) {
    let style: Console.Style = path.status == .satisfied ? .green : .red
    row("status", console.styled(path.status.rawValue, .bold, style))
    row("why", visible(path.why))
    row("interfaces", list(path.interfaces))
    row("could serve", list(path.alternatives))
    row("ipv4", family(path.ipv4))
    row("ipv6", family(path.ipv6))
    row("dns", path.supportsDNS ? "yes" : "no")
    if path.status == .satisfied {
      row("expensive", path.isExpensive ? "yes (\(path.expensiveSource.rawValue))" : "no")
      row("constrained", path.isConstrained ? "yes" : "no")
    }
    if let network = path.network { row("network", visible(network.name ?? network.id)) }
  }

  private func row(_ name: String, _ value: String) {
    let padding = String(repeating: " ", count: max(1, 13 - name.count))
    console.print(console.styled(name, .faint) + padding + value)
  }

  private func list(_ interfaces: [PathInterface]) -> String {
    if interfaces.isEmpty { return "none" }
    return interfaces.map { visible("\($0.name) (\($0.type))") }.joined(separator: ", ")
  }

  private func family(_ family: FamilyPath?) -> String {
    guard let family else { return "no" }
    let gateways = family.gateways.map(\.description).joined(separator: ", ")
    return visible("by \(family.interface.name)\(gateways.isEmpty ? "" : " through \(gateways)")")
  }
}
