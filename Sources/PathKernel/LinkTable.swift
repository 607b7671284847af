internal import PathCore

/// One link with all that is known of it.
struct LinkEntry {
  var record: LinkRecord
  /// Sorted by `AddressRecord.order`.
  fileprivate(set) var addresses: [AddressRecord] = []
  /// The addresses as a snapshot shows them, made when first asked for after a change. A link may
  /// have thousands, and most snapshots come without a change to them.
  fileprivate(set) var shown: [InterfaceAddress] = []
  /// What the link is by itself; nil until asked for, and again after it changed.
  var nature: LinkNature?

  /// The kernel tells of a new IPv6 address only when duplicate detection begins in earnest, up to
  /// a second after a dump shows it as tentative: what is pending proves no event lost.
  fileprivate var settled: [AddressRecord] { addresses.filter { !$0.isPending } }

  /// An address that is or may become fit to leave the link.
  var hasAddress: Bool {
    shown.contains { !$0.address.isLinkLocal && !$0.address.isLoopback }
  }
}

extension AddressRecord {
  /// What tells two entries of one link apart, in the order that they are kept in.
  private var order: (IPAddress, IPAddress, UInt8) { (address, peer, prefixLength) }

  static func areInOrder(_ one: AddressRecord, _ other: AddressRecord) -> Bool {
    one.order < other.order
  }
}

extension [AddressRecord] {
  /// Where the entry is, or belongs.
  fileprivate func place(of record: AddressRecord) -> (index: Int, isHere: Bool) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if AddressRecord.areInOrder(self[middle], record) { low = middle + 1 } else { high = middle }
    }
    return (low, low < count && self[low].isSameEntry(record))
  }
}

/// What the events say about links and addresses, keyed by interface index (names are display
/// data: they can be changed and reused while messages are under way).
struct LinkTable {
  private(set) var entries: [Int32: LinkEntry] = [:]
  private var indexByName: [String: Int32] = [:]
  /// Links whose nature or shown addresses must be made anew.
  private var unprepared: Set<Int32> = []

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
      if old.needsNewNature(record) {
        entries[record.index]?.nature = nil
        unprepared.insert(record.index)
      }
    } else {
      entries[record.index] = LinkEntry(record: record)
      unprepared.insert(record.index)
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
    let index = address.interface
    guard let (place, isHere) = entries[index]?.addresses.place(of: address) else {
      return .contradiction
    }
    if isHere {
      if entries[index]?.addresses[place] == address { return .none }
      entries[index]?.addresses[place] = address
    } else {
      entries[index]?.addresses.insert(address, at: place)
    }
    unprepared.insert(index)
    return .changed
  }

  mutating func remove(_ address: AddressRecord) -> Change {
    let index = address.interface
    guard let (place, isHere) = entries[index]?.addresses.place(of: address), isHere else {
      return .none
    }
    entries[index]?.addresses.remove(at: place)
    unprepared.insert(index)
    return .changed
  }

  /// Finds out what changed links are, and makes their addresses presentable. Returns whether a
  /// link had to be looked at.
  mutating func prepare(_ nature: (LinkRecord) -> LinkNature) -> Bool {
    var hasLooked = false
    for index in unprepared {
      guard var entry = entries[index] else { continue }
      if entry.nature == nil {
        entry.nature = nature(entry.record)
        hasLooked = true
      }
      entry.shown.removeAll()
      for record in entry.addresses {
        let shown = InterfaceAddress(
          record.address, prefixLength: record.prefixLength, isPending: record.isPending)
        // Entries that differ by their peer alone are one address.
        if entry.shown.last != shown { entry.shown.append(shown) }
      }
      entries[index] = entry
    }
    unprepared.removeAll()
    return hasLooked
  }

  /// Devices of their own are looked at again: a look at sysfs can fall into a rename.
  mutating func doubtDevices() {
    for (index, entry) in entries where entry.nature?.isPhysical ?? false {
      entries[index]?.nature = nil
      unprepared.insert(index)
    }
  }

  /// The kernel's own tables, as a dump gives them. What is known about unchanged links is kept.
  /// Returns whether anything differed.
  mutating func replace(links: [LinkRecord], addresses: [AddressRecord]) -> Bool {
    var fresh = LinkTable()
    for link in links { _ = fresh.apply(link) }
    for (index, records) in Dictionary(grouping: addresses, by: \.interface) {
      // An address whose link went while the two dumps were made is gone too.
      fresh.entries[index]?.addresses = records.sorted(by: AddressRecord.areInOrder)
    }
    var hasDrifted = fresh.entries.count != entries.count
    for (index, entry) in fresh.entries {
      guard let old = entries[index] else {
        hasDrifted = true
        continue
      }
      if old.record != entry.record || old.settled != entry.settled { hasDrifted = true }
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
