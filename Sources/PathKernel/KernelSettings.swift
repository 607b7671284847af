package import PathCore

/// What the operator says about interfaces matching a pattern; what is nil stays as found.
package struct InterfaceRule: Hashable, Sendable {
  package var pattern: NamePattern
  package var type: InterfaceType?
  package var isExpensive: Bool?
  package var isConstrained: Bool?
  /// A unique-local IPv6 address is enough here.
  package var acceptsUniqueLocal: Bool?
  /// It is dialled when there is something to send.
  package var isOnDemand: Bool?

  package init(
    _ pattern: String, type: InterfaceType? = nil, isExpensive: Bool? = nil,
    isConstrained: Bool? = nil, acceptsUniqueLocal: Bool? = nil, isOnDemand: Bool? = nil
  ) {
    self.pattern = NamePattern(pattern)
    self.type = type
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
    self.acceptsUniqueLocal = acceptsUniqueLocal
    self.isOnDemand = isOnDemand
  }
}

/// What the operator says a tunnel rides on.
package struct UnderlayRule: Hashable, Sendable {
  package enum Ground: Hashable, Sendable {
    /// The tunnel counts whatever lies beneath it.
    case always
    /// The name or alternative name of the link it needs.
    case interface(String)
  }

  package var pattern: NamePattern
  package var ground: Ground

  package init(_ pattern: String, _ ground: Ground) {
    self.pattern = NamePattern(pattern)
    self.ground = ground
  }
}

/// How to read the kernel.
package struct KernelSettings: Hashable, Sendable {
  /// The addresses whose routes are asked for. No packet is ever sent to them.
  package var ipv4LookupAddress = IPAddress(ipv4: 0xC629_0004)  // 198.41.0.4
  package var ipv6LookupAddress = IPAddress(
    ipv6High: 0x2001_0503_BA3E_0000, low: 0x0000_0000_0002_0030)  // 2001:503:ba3e::2:30
  /// In order: for each property the first matching rule that names it decides.
  package var interfaces: [InterfaceRule] = []
  /// In order: the first matching rule decides.
  package var underlays: [UnderlayRule] = []
  /// A bridge with physical ports counts only while one of them has a carrier.
  package var countsBridgeUplink = true
  package var resolverPath = "/etc/resolv.conf"
  package var sysfsRoot = "/sys"
  /// Tells when a radio is switched, where it can be read.
  package var radioDevicePath = "/dev/rfkill"
  /// What to ask the kernel for as receive buffer of the event socket.
  package var receiveBufferBytes: Int32 = 1 << 20

  package init() {}

  package func lookupAddress(_ family: AddressFamily) -> IPAddress {
    family == .ipv4 ? ipv4LookupAddress : ipv6LookupAddress
  }
}
