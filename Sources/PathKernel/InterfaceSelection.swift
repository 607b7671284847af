internal import PathCore

/// Picks the links that a verdict could rest on and shows them with what they stand on.
///
/// A host may have a thousand container ports; they are counted and nothing more. All that is
/// decided here is which facts are worth reporting, never what they mean.
struct InterfaceSelection {
  /// Links are stacked a few deep; a longer chain is a loop.
  private static let depthLimit = 8

  private let table: LinkTable
  private let radios: RadioSwitches
  private let countsBridgeUplink: Bool
  /// The links that have a master, by it, each list sorted.
  private var members = [Int32: [Int32]]()
  /// Places in the table.
  private var chosen: [Int] = []

  /// Sorted by index.
  private(set) var interfaces: [Interface] = []
  private(set) var ignored = 0

  /// The table must be prepared.
  ///
  /// - Parameter named: the links that the unbound answers named, which count whatever they have.
  init(
    _ table: LinkTable, radios: RadioSwitches, countsBridgeUplink: Bool, named: [Int32] = []
  ) {
    self.table = table
    self.radios = radios
    self.countsBridgeUplink = countsBridgeUplink
    chosen.reserveCapacity(min(table.count, 16))
    for place in table.entries.indices {
      let master = table.entries[place].record.master
      if master != 0 { members[master, default: []].append(table.entries[place].record.index) }
      if isRoot(place) || named.contains(table.entries[place].record.index) {
        chosen.append(place)
      }
    }
    chooseSupports()
    interfaces.reserveCapacity(chosen.count)
    for place in chosen { addInterface(place) }
    ignored = table.count - interfaces.count
  }

  /// Adds what the chosen links refer to, and what those refer to.
  private mutating func chooseSupports() {
    // Most links stand alone, and then there is no need of a set.
    var seen: Set<Int> = []
    let roots = chosen.count
    var next = 0
    while next < chosen.count {
      let place = chosen[next]
      next += 1
      guard mayHaveSupports(place) else { continue }
      var supports = [table.entries[place].record.master, lower(of: place)]
      supports += bridgePorts(of: place) ?? []
      if case .link(let link) = underlay(of: place) { supports.append(link) }
      for support in supports where support != 0 {
        guard let support = table.position(of: support) else { continue }
        if seen.isEmpty { seen = Set(chosen) }
        if seen.insert(support).inserted { chosen.append(support) }
      }
    }
    if chosen.count > roots { chosen.sort() }
  }

  /// Whether a link is worth showing for its own sake.
  private func isRoot(_ place: Int) -> Bool {
    guard let traits = table.entries[place].traits else { return false }
    if traits.isPhysical { return true }
    if case .loopback = traits.type { return true }
    guard table.entries[place].record.master == 0 else { return false }
    // One that is or may become fit to leave the link.
    for shown in table.entries[place].shown
    where !shown.address.isLoopback
      && (shown.address.family == .ipv4 || !shown.address.isLinkLocal)
    {
      return true
    }
    return false
  }

  /// False for most: a device of its own that nothing owns.
  private func mayHaveSupports(_ place: Int) -> Bool {
    guard table.entries[place].record.master == 0, let traits = table.entries[place].traits
    else { return true }
    if case .none = traits.stacking { return traits.hasGround }
    return true
  }

  // MARK: One link among the others

  private mutating func addInterface(_ place: Int) {
    guard let traits = table.entries[place].traits else { return }
    let (type, cost) = character(of: place, depth: 0)
    var interface = Interface(
      index: table.entries[place].record.index, name: table.entries[place].record.name, type: type,
      flags: table.entries[place].record.flags)
    interface.alternativeNames = table.entries[place].record.alternativeNames
    interface.kind = table.entries[place].record.kind
    interface.operationalState = table.entries[place].record.operationalState
    interface.master = table.entries[place].record.master
    interface.cost = cost
    interface.addresses = table.entries[place].shown
    interface.isPhysical = traits.isPhysical
    interface.isTap = table.entries[place].record.isTap
    interface.acceptsUniqueLocal = traits.acceptsUniqueLocal
    interface.isOnDemand =
      traits.isOnDemand && table.entries[place].record.flags.contains(.pointToPoint)
    switch type {
    case .wifi, .cellular:
      interface.isRadioBlocked = radios.isBlocked(
        type, phy: table.entries[place].nature?.phy ?? "")
    case .wired, .loopback, .other: break
    }
    if mayHaveSupports(place) {
      interface.lower = lower(of: place)
      interface.underlay = underlay(of: place)
      if countsBridgeUplink { interface.bridgePorts = bridgePorts(of: place) }
    }
    interfaces.append(interface)
  }

  private func stacking(_ place: Int) -> LinkNature.Stacking {
    table.entries[place].traits?.stacking ?? .none
  }

  /// The link beneath a vlan, macvlan or bond.
  private func lower(of place: Int) -> Int32 {
    switch stacking(place) {
    case .lower:
      let lower = table.entries[place].record.lower
      return table.position(of: lower) == nil ? 0 : lower
    case .bond:
      let active = table.entries[place].record.activeMember
      if table.position(of: active) != nil { return active }
      return preferred(members[table.entries[place].record.index] ?? []) ?? 0
    case .bridge, .tunnel, .none: return 0
    }
  }

  /// The ports that lead out of the machine; nil when there is none.
  private func bridgePorts(of place: Int) -> [Int32]? {
    guard stacking(place) == .bridge else { return nil }
    let ports = (members[table.entries[place].record.index] ?? []).filter {
      leadsOut($0, depth: 0)
    }
    return ports.isEmpty ? nil : ports
  }

  /// Whether a link is a device of its own or stands on one.
  private func leadsOut(_ index: Int32, depth: Int) -> Bool {
    guard depth < Self.depthLimit, let place = table.position(of: index) else { return false }
    if table.entries[place].traits?.isPhysical ?? false { return true }
    switch stacking(place) {
    case .lower, .bond:
      let lower = lower(of: place)
      return lower != 0 && leadsOut(lower, depth: depth + 1)
    case .none, .bridge, .tunnel: return false
    }
  }

  private func underlay(of place: Int) -> Underlay {
    if table.entries[place].traits?.hasGround ?? false {
      switch table.entries[place].nature?.ground {
      case .always: return .always
      // Zero is no link: the one it needs is not there.
      case .interface(let name): return .link(table.index(named: name) ?? 0)
      case nil: break
      }
    }
    // A tap that is a port belongs to a virtual machine.
    guard stacking(place) == .tunnel, table.entries[place].record.master == 0 else {
      return .notNeeded
    }
    let lower = table.entries[place].record.lower
    return table.position(of: lower) == nil ? .unknown : .link(lower)
  }

  /// Type and cost: those of the link beneath for what is stacked.
  private func character(of place: Int?, depth: Int) -> (InterfaceType, LinkCost) {
    guard depth < Self.depthLimit, let place, let traits = table.entries[place].traits
    else { return (.other, LinkCost()) }
    if traits.isTypeFixed { return (traits.type, traits.cost) }
    let below: Int32 =
      switch traits.stacking {
      case .none, .tunnel: 0
      case .lower, .bond: lower(of: place)
      case .bridge: preferred(bridgePorts(of: place) ?? []) ?? 0
      }
    guard below != 0 else { return (traits.type, traits.cost) }
    var (type, cost) = character(of: table.position(of: below), depth: depth + 1)
    if traits.isExpenseFixed {
      cost.isExpensive = traits.cost.isExpensive
      cost.source = traits.cost.source
    }
    if traits.cost.isConstrained { cost.isConstrained = true }
    return (type, cost)
  }

  /// The first link that has a carrier, else the first.
  private func preferred(_ links: [Int32]) -> Int32? {
    let live = links.first { link in
      table.position(of: link).map { table.entries[$0].record.linkState } == .usable
    }
    return live ?? links.first
  }
}
