internal import PathCore

/// One link with all that is known of it.
struct LinkEntry {
  var record: LinkRecord
  /// Sorted.
  var addresses: [AddressRecord] = []
  /// What the link is by itself; nil until asked for, and again after it changed.
  var nature: LinkNature?

  /// An address that is or may become fit to leave the link.
  var hasAddress: Bool {
    addresses.contains { !$0.address.isLinkLocal && !$0.address.isLoopback }
  }

  func hasUsableAddress(_ family: AddressFamily? = nil) -> Bool {
    addresses.contains {
      (family == nil || $0.address.family == family) && $0.usable.isUsable
    }
  }
}

extension AddressRecord {
  var usable: InterfaceAddress {
    InterfaceAddress(address, prefixLength: prefixLength, isPending: isPending)
  }
}

/// What the events say about links and addresses, keyed by interface index (names are display
/// data: they can be changed and reused while messages are under way).
struct LinkTable {
  private(set) var entries: [Int32: LinkEntry] = [:]
  private var indexByName: [String: Int32] = [:]

  /// The outcome of one message.
  enum Change: Hashable {
    case none
    case changed
    /// Two links claim one name: the table is not to be trusted.
    case contradiction
  }

  var count: Int { entries.count }

  mutating func apply(_ record: LinkRecord) -> Change {
    let old = entries[record.index]?.record
    if old == record { return .none }
    if let old {
      entries[record.index]?.record = record
      if old.needsNewNature(record) { entries[record.index]?.nature = nil }
    } else {
      entries[record.index] = LinkEntry(record: record)
    }
    guard old?.name != record.name else { return .changed }
    if let old, indexByName[old.name] == record.index { indexByName[old.name] = nil }
    let holder = indexByName.updateValue(record.index, forKey: record.name)
    return holder == nil || holder == record.index ? .changed : .contradiction
  }

  mutating func removeLink(_ index: Int32) -> Change {
    guard let entry = entries.removeValue(forKey: index) else { return .none }
    if indexByName[entry.record.name] == index { indexByName[entry.record.name] = nil }
    return .changed
  }

  mutating func apply(_ address: AddressRecord) -> Change {
    guard let entry = entries[address.interface] else { return .contradiction }
    guard let place = entry.addresses.firstIndex(where: address.isSameEntry) else {
      let place = entry.addresses.firstIndex { address.address < $0.address }
      entries[address.interface]?.addresses.insert(address, at: place ?? entry.addresses.count)
      return .changed
    }
    if entry.addresses[place] == address { return .none }
    entries[address.interface]?.addresses[place] = address
    return .changed
  }

  mutating func remove(_ address: AddressRecord) -> Change {
    guard let entry = entries[address.interface],
      let place = entry.addresses.firstIndex(where: address.isSameEntry)
    else { return .none }
    entries[address.interface]?.addresses.remove(at: place)
    return .changed
  }

  var hasUnknownNatures: Bool { entries.values.contains { $0.nature == nil } }

  var linksWithoutNature: [LinkRecord] {
    entries.values.filter { $0.nature == nil }.map(\.record)
  }

  mutating func setNature(_ nature: LinkNature, of index: Int32) {
    entries[index]?.nature = nature
  }

  /// The kernel's own tables, as a dump gives them. What is known about unchanged links is kept.
  /// Returns whether anything differed.
  mutating func replace(links: [LinkRecord], addresses: [AddressRecord]) -> Bool {
    var fresh = LinkTable()
    for link in links { _ = fresh.apply(link) }
    // An address whose link went while the two dumps were made is gone too.
    for address in addresses { _ = fresh.apply(address) }
    var hasDrifted = fresh.entries.count != entries.count
    for (index, entry) in fresh.entries {
      guard let old = entries[index] else {
        hasDrifted = true
        continue
      }
      if old.record != entry.record || old.addresses != entry.addresses { hasDrifted = true }
      if !old.record.needsNewNature(entry.record) { fresh.entries[index]?.nature = old.nature }
    }
    self = fresh
    return hasDrifted
  }

  /// By name, then by alternative name.
  func index(named name: String) -> Int32? {
    if let index = indexByName[name] { return index }
    return entries.values.filter { $0.record.alternativeNames.contains(name) }
      .map(\.record.index).min()
  }
}

extension LinkRecord {
  /// Whether what the link is has to be found out again when it becomes `next`.
  func needsNewNature(_ next: LinkRecord) -> Bool {
    name != next.name || kind != next.kind || alternativeNames != next.alternativeNames
      || hardwareType != next.hardwareType || isTap != next.isTap
      || flags.contains(.loopback) != next.flags.contains(.loopback)
      || hasLocalHardwareAddress != next.hasLocalHardwareAddress
  }
}
