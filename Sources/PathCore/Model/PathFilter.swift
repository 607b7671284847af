/// Which interfaces a monitor accepts.
package struct PathFilter: Hashable, Sendable {
  /// At least one layer of the interface must be of this type; nil accepts all.
  package var required: InterfaceType?
  /// No layer of the interface may be of one of these types.
  package var prohibited: InterfaceTypeSet
  /// A name, altname or pattern (`*`, `?`) the interface must match; nil accepts all.
  package var interface: String?
  /// Names, altnames or patterns of interfaces that are never used.
  package var ignored: [String]
  /// Always ask what a socket bound to the interface gets.
  package var isBound: Bool

  package init(
    required: InterfaceType? = nil, prohibited: InterfaceTypeSet = [], interface: String? = nil,
    ignored: [String] = [], isBound: Bool = false
  ) {
    self.required = required
    self.prohibited = prohibited
    self.interface = interface
    self.ignored = ignored
    self.isBound = isBound
  }

  /// Accepts every interface.
  package static let none = PathFilter()

  package var acceptsEverything: Bool {
    required == nil && prohibited.isEmpty && interface == nil && ignored.isEmpty
  }
}
