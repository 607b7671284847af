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
  private var members: [Int32: [Int32]] = [:]
  private var chosen: Set<Int32> = []

  /// Sorted by index.
  private(set) var interfaces: [Interface] = []
  private(set) var ignored = 0

  /// The table must be prepared.
  init(_ table: LinkTable, radios: RadioSwitches, countsBridgeUplink: Bool) {
    self.table = table
    self.radios = radios
    self.countsBridgeUplink = countsBridgeUplink
    for (index, entry) in table.entries {
      if entry.record.master != 0 { members[entry.record.master, default: []].append(index) }
      if Self.isRoot(entry) { chosen.insert(index) }
    }
    for master in members.keys { members[master]?.sort() }
    chooseSupports()
    interfaces = chosen.sorted().compactMap(interface)
    ignored = table.count - interfaces.count
  }

  private static func isRoot(_ entry: LinkEntry) -> Bool {
    guard let nature = entry.nature else { return false }
    if nature.isPhysical || nature.type == .loopback { return true }
    return entry.record.master == 0 && entry.hasAddress
  }

  /// Adds what the chosen links refer to, and what those refer to.
  private mutating func chooseSupports() {
    var open = Array(chosen)
    while let index = open.popLast() {
      guard let entry = table.entries[index] else { continue }
      var supports = [entry.record.master, lower(of: entry)] + (bridgePorts(of: entry) ?? [])
      if case .link(let link) = underlay(of: entry) { supports.append(link) }
      for support in supports where support != 0 && table.entries[support] != nil {
        if chosen.insert(support).inserted { open.append(support) }
      }
    }
  }

  // MARK: One link among the others

  private func interface(_ index: Int32) -> Interface? {
    guard let entry = table.entries[index], let nature = entry.nature else { return nil }
    let record = entry.record
    let (type, cost) = character(of: index, depth: 0)
    var interface = Interface(index: index, name: record.name, type: type, flags: record.flags)
    interface.alternativeNames = record.alternativeNames
    interface.kind = record.kind
    interface.operationalState = record.operationalState
    interface.master = record.master
    interface.lower = lower(of: entry)
    interface.underlay = underlay(of: entry)
    interface.isPhysical = nature.isPhysical
    interface.isRadioBlocked = radios.isBlocked(type, phy: nature.phy)
    interface.cost = cost
    interface.bridgePorts = countsBridgeUplink ? bridgePorts(of: entry) : nil
    interface.addresses = entry.shown
    return interface
  }

  /// The link beneath a vlan, macvlan or bond.
  private func lower(of entry: LinkEntry) -> Int32 {
    switch entry.nature?.stacking {
    case .lower: table.entries[entry.record.lower] == nil ? 0 : entry.record.lower
    case .bond:
      if table.entries[entry.record.activeMember] != nil {
        entry.record.activeMember
      } else {
        preferred(members[entry.record.index] ?? []) ?? 0
      }
    case .bridge, .tunnel, Optional.none, .some(.none): 0
    }
  }

  /// The ports that lead out of the machine; nil when there is none.
  private func bridgePorts(of entry: LinkEntry) -> [Int32]? {
    guard entry.nature?.stacking == .bridge else { return nil }
    let ports = (members[entry.record.index] ?? []).filter { leadsOut($0, depth: 0) }
    return ports.isEmpty ? nil : ports
  }

  /// Whether a link is a device of its own or stands on one.
  private func leadsOut(_ index: Int32, depth: Int) -> Bool {
    guard depth < Self.depthLimit, let entry = table.entries[index], let nature = entry.nature
    else { return false }
    if nature.isPhysical { return true }
    switch nature.stacking {
    case .lower, .bond:
      let lower = lower(of: entry)
      return lower != 0 && leadsOut(lower, depth: depth + 1)
    case .none, .bridge, .tunnel: return false
    }
  }

  private func underlay(of entry: LinkEntry) -> Underlay {
    switch entry.nature?.ground {
    case .always: return .always
    // Zero is no link: the one it needs is not there.
    case .interface(let name): return .link(table.index(named: name) ?? 0)
    case nil: break
    }
    // A tap that is a port belongs to a virtual machine.
    guard entry.nature?.stacking == .tunnel, entry.record.master == 0 else { return .notNeeded }
    return table.entries[entry.record.lower] == nil ? .unknown : .link(entry.record.lower)
  }

  /// Type and cost: those of the link beneath for what is stacked.
  private func character(of index: Int32, depth: Int) -> (InterfaceType, LinkCost) {
    guard depth < Self.depthLimit, let entry = table.entries[index], let nature = entry.nature
    else { return (.other, LinkCost()) }
    if nature.isTypeFixed { return (nature.type, nature.cost) }
    let below: Int32 =
      switch nature.stacking {
      case .none, .tunnel: 0
      case .lower, .bond: lower(of: entry)
      case .bridge: preferred(bridgePorts(of: entry) ?? []) ?? 0
      }
    guard below != 0 else { return (nature.type, nature.cost) }
    var (type, cost) = character(of: below, depth: depth + 1)
    if nature.isExpenseFixed {
      cost.isExpensive = nature.cost.isExpensive
      cost.source = nature.cost.source
    }
    if nature.cost.isConstrained { cost.isConstrained = true }
    return (type, cost)
  }

  /// The first link that has a carrier, else the first.
  private func preferred(_ links: [Int32]) -> Int32? {
    links.first { table.entries[$0]?.record.linkState == .usable } ?? links.first
  }
}
