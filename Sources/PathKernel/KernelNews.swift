/// What kind of kernel object a change was about. Hints only: the snapshot is the truth.
package struct KernelHints: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let link = KernelHints(rawValue: 1 << 0)
  package static let address = KernelHints(rawValue: 1 << 1)
  package static let route = KernelHints(rawValue: 1 << 2)
  package static let rule = KernelHints(rawValue: 1 << 3)
  package static let nexthop = KernelHints(rawValue: 1 << 4)
  package static let netconf = KernelHints(rawValue: 1 << 5)
  package static let neighbour = KernelHints(rawValue: 1 << 6)
  /// A message could not be read: the tables are read again.
  package static let reread = KernelHints(rawValue: 1 << 7)

  /// A route to somewhere else: one that a tunnel's verdict may rest on.
  package static let farRoute = KernelHints(rawValue: 1 << 8)
  /// A radio may have been switched.
  package static let radio = KernelHints(rawValue: 1 << 9)
  /// resolv.conf names other servers.
  package static let nameServers = KernelHints(rawValue: 1 << 10)
  /// It is time: something ended by itself, or could not be read before.
  package static let due = KernelHints(rawValue: 1 << 11)

  static let linksOrAddresses = KernelHints(rawValue: 1 << 0 | 1 << 1 | 1 << 7)

  // Plain arithmetic: what `OptionSet` brings along is generic, and these run once an event.
  mutating func add(_ hint: KernelHints) { self = KernelHints(rawValue: rawValue | hint.rawValue) }

  /// Nothing else changed: news that is already told ever less often while there is much of it.
  package var isPaced: Bool { self == .farRoute }

  func touch(_ hints: KernelHints) -> Bool { rawValue & hints.rawValue != 0 }
}

/// The outcome of one look at the event socket.
package enum KernelNews: Hashable, Sendable {
  /// Nothing that could change a verdict.
  case nothing
  /// Look again.
  case changed(KernelHints)
  /// Events were lost (overrun, truncation or a read error). What was pending is drained, and the
  /// next snapshot reads everything anew; the text says what happened.
  case lost(String)
}

/// What the reader has seen since it started.
package struct KernelCounters: Hashable, Sendable {
  package var messages: UInt64 = 0
  /// NEWLINK that only carries a wireless event.
  package var ignoredWireless: UInt64 = 0
  /// Link messages of a bridge or another family, and addresses of foreign families.
  package var ignoredFamily: UInt64 = 0
  /// Repeats of what is known, such as refreshed lifetimes.
  package var ignoredUnchanged: UInt64 = 0
  /// Message types that mean nothing to us.
  package var ignoredUnknown: UInt64 = 0
  /// Datagrams that did not come from the kernel.
  package var ignoredForeign: UInt64 = 0
  package var malformed: UInt64 = 0
  package var overruns: UInt64 = 0
  package var dumps: UInt64 = 0
  package var interruptedDumps: UInt64 = 0
  package var lookups: UInt64 = 0

  package init() {}
}
