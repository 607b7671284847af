#if os(Linux)
internal import PathCore

/// An IP address, and the interface it is local to.
///
/// With the package trait `Foundation` its bytes are also `rawValue`, in a `Data`.
public protocol IPAddress: Sendable {
  /// From 4 or 16 bytes in network order; nil for any other number.
  init?(bytes: [UInt8], _ interface: NWInterface?)
  /// From text, such as `192.0.2.1` or `fe80::1%eth0`; nil for what is none, and for a zone that
  /// names no interface of this machine.
  init?(_ string: String)
  /// The bytes in network order. Not in Apple's API.
  var bytes: [UInt8] { get }
  /// The interface that the address is local to, if it is to one.
  var interface: NWInterface? { get }
  /// Whether it is of this machine alone.
  var isLoopback: Bool { get }
  /// Whether it is of one link alone.
  var isLinkLocal: Bool { get }
  /// Whether it is that of a group.
  var isMulticast: Bool { get }
}

/// Text, and the interface whose name or number stands behind the last `%` in it.
struct ZonedText {
  let text: Substring
  let interface: NWInterface?

  /// Nil when no interface of this machine is called so.
  init?(_ string: String) {
    guard let percent = string.lastIndex(of: "%") else {
      text = string[...]
      interface = nil
      return
    }
    guard let found = NWInterface(zone: string[string.index(after: percent)...]) else {
      return nil
    }
    text = string[..<percent]
    interface = found
  }
}

func described(_ core: PathCore.IPAddress, _ interface: NWInterface?) -> String {
  core.description + (interface.map { "%" + $0.name } ?? "")
}
#endif
