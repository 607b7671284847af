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
  /// Of its nature; nil until prepared for the first time.
  fileprivate(set) var traits: LinkNature.Traits?
  /// The traits and the shown addresses are those of what is known.
  fileprivate(set) var isPrepared = false

  /// The kernel tells of a new IPv6 address only when duplicate detection begins in earnest, up to
  /// a second after a dump shows it as tentative: what is pending proves no event lost.
  fileprivate var settled: [AddressRecord] { addresses.filter { !$0.isPending } }

  fileprivate mutating func showAddresses() {
    var fresh: [InterfaceAddress] = []
    fresh.reserveCapacity(addresses.count)
    for record in addresses {
      let next = InterfaceAddress(
        record.address, prefixLength: record.prefixLength, isPending: record.isPending)
      // Entries that differ by their peer alone are one address.
      if let last = fresh.last, last == next { continue }
      fresh.append(next)
    }
    shown = fresh
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

/// What the events say about links and addresses, by interface index (names are display data: they
/// can be changed and reused while messages are under way).
struct LinkTable {
  /// Sorted by interface index.
  private(set) var entries: [LinkEntry] = []
  private var indexByName: [String: Int32] = [:]
  /// Links whose nature or shown addresses must be made anew; each entry says so too.
  private var unprepared: [Int32] = []

  /// The outcome of one message.
  enum Change: Hashable {
    case none
    case changed
    /// Two links claim one name: the table is not to be trusted.
    case contradiction
  }

  var count: Int { entries.count }

  /// Where the link's entry is; nil when there is none.
  func position(of index: Int32) -> Int? {
    let place = place(of: index)
    return place < entries.count && entries[place].record.index == index ? place : nil
  }

  /// Whether the link is one that a radio switch may rule, as far as was found out.
  func hasRadio(_ index: Int32) -> Bool {
    guard let position = position(of: index) else { return false }
    switch entries[position].traits?.type {
    case .wifi, .cellular: return true
    case .wired, .loopback, .other, nil: return false
    }
  }

  /// Where the link's entry is, or belongs.
  private func place(of index: Int32) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].record.index < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func apply(_ record: LinkRecord) -> Change {
    let place = place(of: record.index)
    guard place < entries.count, entries[place].record.index == record.index else {
      entries.insert(LinkEntry(record: record), at: place)
      unprepared.append(record.index)
      return claim(record)
    }
    if entries[place].record == record { return .none }
    if entries[place].record.needsNewNature(record) {
      entries[place].nature = nil
      doubt(place)
    }
    let oldName = entries[place].record.name
    entries[place].record = record
    guard oldName != record.name else { return .changed }
    if indexByName[oldName] == record.index { indexByName[oldName] = nil }
    return claim(record)
  }

  private mutating func claim(_ record: LinkRecord) -> Change {
    let holder = indexByName.updateValue(record.index, forKey: record.name)
    return holder == nil || holder == record.index ? .changed : .contradiction
  }

  private mutating func doubt(_ position: Int) {
    guard entries[position].isPrepared else { return }
    entries[position].isPrepared = false
    unprepared.append(entries[position].record.index)
  }

  mutating func removeLink(_ index: Int32) -> Change {
    guard let position = position(of: index) else { return .none }
    let entry = entries.remove(at: position)
    if indexByName[entry.record.name] == index { indexByName[entry.record.name] = nil }
    return .changed
  }

  mutating func apply(_ address: AddressRecord) -> Change {
    guard let position = position(of: address.interface) else { return .contradiction }
    let (place, isHere) = entries[position].addresses.place(of: address)
    if isHere {
      if entries[position].addresses[place] == address { return .none }
      entries[position].addresses[place] = address
    } else {
      entries[position].addresses.insert(address, at: place)
    }
    doubt(position)
    return .changed
  }

  mutating func remove(_ address: AddressRecord) -> Change {
    guard let position = position(of: address.interface) else { return .none }
    let (place, isHere) = entries[position].addresses.place(of: address)
    guard isHere else { return .none }
    entries[position].addresses.remove(at: place)
    doubt(position)
    return .changed
  }

  /// Finds out what changed links are, and makes their addresses presentable. Returns whether a
  /// link had to be looked at.
  mutating func prepare(_ classifier: LinkClassifier) -> Bool {
    var hasLooked = false
    if unprepared.isEmpty { return false }
    for index in unprepared {
      guard let position = position(of: index), !entries[position].isPrepared else { continue }
      entries[position].isPrepared = true
      if entries[position].nature == nil {
        entries[position].nature = classifier.nature(of: entries[position].record)
        hasLooked = true
      }
      entries[position].traits = entries[position].nature?.traits
      entries[position].showAddresses()
    }
    unprepared.removeAll(keepingCapacity: true)
    return hasLooked
  }

  /// Devices of their own are looked at again: a look at sysfs can fall into a rename.
  mutating func doubtDevices() {
    for position in entries.indices where entries[position].nature?.isPhysical ?? false {
      entries[position].nature = nil
      doubt(position)
    }
  }

  /// The kernel's own tables, as a dump gives them. What is known about unchanged links is kept.
  /// Returns whether anything differed.
  mutating func replace(links: [LinkRecord], addresses: [AddressRecord]) -> Bool {
    var fresh = LinkTable()
    for link in links { _ = fresh.apply(link) }
    for (index, records) in Dictionary(grouping: addresses, by: \.interface) {
      // An address whose link went while the two dumps were made is gone too.
      guard let position = fresh.position(of: index) else { continue }
      fresh.entries[position].addresses = records.sorted(by: AddressRecord.areInOrder)
    }
    var hasDrifted = fresh.entries.count != entries.count
    for position in fresh.entries.indices {
      let record = fresh.entries[position].record
      guard let old = self.position(of: record.index).map({ entries[$0] }) else {
        hasDrifted = true
        continue
      }
      if old.record != record || old.settled != fresh.entries[position].settled {
        hasDrifted = true
      }
      if !old.record.needsNewNature(record) { fresh.entries[position].nature = old.nature }
    }
    self = fresh
    return hasDrifted
  }

  /// By name, then by alternative name.
  func index(named name: String) -> Int32? {
    if let index = indexByName[name] { return index }
    return entries.first { $0.record.alternativeNames.contains(name) }?.record.index
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
