/// What differs between two paths; worked out once, when the change is built.
package struct ChangeCauses: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let status = ChangeCauses(rawValue: 1 << 0)
  package static let reason = ChangeCauses(rawValue: 1 << 1)
  /// The primary interface, or the order of those that could serve.
  package static let interface = ChangeCauses(rawValue: 1 << 2)
  /// Gateways or the network's identity.
  package static let network = ChangeCauses(rawValue: 1 << 3)
  package static let families = ChangeCauses(rawValue: 1 << 4)
  package static let dns = ChangeCauses(rawValue: 1 << 5)
  package static let cost = ChangeCauses(rawValue: 1 << 6)
  /// The unrest never settled; this is the status that held longest.
  package static let flapping = ChangeCauses(rawValue: 1 << 7)
  /// The first report after the machine slept.
  package static let resumed = ChangeCauses(rawValue: 1 << 8)
  /// Kernel events were lost before this report.
  package static let resync = ChangeCauses(rawValue: 1 << 9)

  /// Each cause with the word that policies see.
  package static let table: [(cause: ChangeCauses, word: String)] = [
    (.status, "status"), (.reason, "reason"), (.interface, "interface"), (.network, "network"),
    (.families, "families"), (.dns, "dns"), (.cost, "cost"), (.flapping, "flapping"),
    (.resumed, "resumed"), (.resync, "resync"),
  ]

  package var words: [String] { Self.table.filter { contains($0.cause) }.map(\.word) }

  /// What differs from one path to another.
  package init(from old: Boxed<Path>, to new: Boxed<Path>) {
    self = old.isSame(as: new) ? [] : old.read { old in new.read { Self.differences(old, $0) } }
  }

  package init(from old: Path, to new: Path) { self = Self.differences(old, new) }

  private static func differences(_ old: borrowing Path, _ new: borrowing Path) -> ChangeCauses {
    var causes: ChangeCauses = []
    if old.status != new.status { causes.insert(.status) }
    if old.reason != new.reason || old.unsatisfiedReason != new.unsatisfiedReason {
      causes.insert(.reason)
    }
    if old.interfaces != new.interfaces || old.alternatives != new.alternatives
      || old.ipv4?.interface != new.ipv4?.interface || old.ipv6?.interface != new.ipv6?.interface
      || old.uses != new.uses
    {
      causes.insert(.interface)
    }
    if old.gateways != new.gateways || !old.network.isSameKnown(as: new.network) {
      causes.insert(.network)
    }
    if old.supportsIPv4 != new.supportsIPv4 || old.supportsIPv6 != new.supportsIPv6 {
      causes.insert(.families)
    }
    if old.supportsDNS != new.supportsDNS { causes.insert(.dns) }
    if old.isExpensive != new.isExpensive || old.expensiveSource != new.expensiveSource
      || old.isConstrained != new.isConstrained
    {
      causes.insert(.cost)
    }
    return causes
  }
}
