/// Decides which interfaces a filter lets be used.
struct FilterMatch: Sendable {
  let filter: PathFilter
  private let interface: NamePattern?
  private let ignored: [NamePattern]

  init(_ filter: PathFilter) {
    self.filter = filter
    interface = filter.interface.map(NamePattern.init)
    ignored = filter.ignored.isEmpty ? [] : filter.ignored.map(NamePattern.init)
  }

  /// Why the filter leaves an interface out.
  enum Exclusion: Hashable, Sendable {
    case ignored
    case otherInterface
    case lacksType(InterfaceType)
    case hasTypes(InterfaceTypeSet)
  }

  /// Nil when the interface may be used. Types match at any layer; names only the interface itself.
  func exclusion(of interface: Interface, layers: InterfaceTypeSet) -> Exclusion? {
    if ignored.contains(where: { $0.matches(interface) }) { return .ignored }
    if let pattern = self.interface, !pattern.matches(interface) { return .otherInterface }
    let forbidden = layers.intersection(filter.prohibited)
    if !forbidden.isEmpty { return .hasTypes(forbidden) }
    if let required = filter.required, !layers.contains(required) { return .lacksType(required) }
    return nil
  }

  /// `lo` serves only those who ask for it: by type, or by its very name.
  func asksForLoopback(_ loopback: Interface) -> Bool {
    filter.required == .loopback
      || filter.interface == loopback.name && filter.required == nil
  }
}

extension NamePattern {
  fileprivate func matches(_ interface: Interface) -> Bool {
    matches(interface.name, alternatives: interface.alternativeNames)
  }
}
