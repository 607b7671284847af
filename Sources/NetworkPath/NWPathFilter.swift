#if os(Linux)
internal import PathCore

/// Which interfaces a monitor accepts. Not in Apple's API, whose initialisers take one half of it.
public struct NWPathFilter: Hashable, Sendable {
  /// At least one layer of the interface is of this type; nil accepts all.
  public var required: NWInterface.InterfaceType?
  /// No layer of the interface is of one of these: `[.cellular]` leaves out a tunnel over cellular.
  public var prohibited: [NWInterface.InterfaceType]
  /// A name, alternative name or pattern (`*`, `?`) that the interface matches; nil accepts all.
  public var interface: String?
  /// Names or patterns of interfaces that are never used, such as one's own tunnel.
  public var ignored: [String]

  /// Accepts everything but for what is named.
  public init(
    required: NWInterface.InterfaceType? = nil, prohibited: [NWInterface.InterfaceType] = [],
    interface: String? = nil, ignored: [String] = []
  ) {
    self.required = required
    self.prohibited = prohibited
    self.interface = interface
    self.ignored = ignored
  }

  var core: PathFilter {
    PathFilter(
      required: required?.core,
      prohibited: prohibited.reduce(into: []) { $0.formUnion(InterfaceTypeSet($1.core)) },
      interface: interface, ignored: ignored)
  }
}
#endif
