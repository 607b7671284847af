#if os(Linux)
internal import PathCore

/// What makes two paths different.
extension NWPath {
  /// How much of two paths is compared.
  enum Scope {
    /// What Apple's API shows: a program that was written for it must not be called for less.
    case shown
    /// All that is known.
    case known
  }

  /// Whether nothing in this scope differs.
  func equals(_ other: NWPath, in scope: Scope) -> Bool {
    if storage === other.storage { return true }
    return switch scope {
    case .shown: shows(theSameAs: other)
    case .known: core == other.core
    }
  }

  private func shows(theSameAs other: NWPath) -> Bool {
    core.status == other.core.status
      && core.unsatisfiedReason == other.core.unsatisfiedReason
      && core.supportsIPv4 == other.core.supportsIPv4
      && core.supportsIPv6 == other.core.supportsIPv6
      && core.supportsDNS == other.core.supportsDNS
      && core.isExpensive == other.core.isExpensive
      && core.isConstrained == other.core.isConstrained
      && core.uses == other.core.uses
      && core.interfaces.elementsEqual(other.core.interfaces) {
        $0.index == $1.index && $0.name == $1.name && $0.type == $1.type
      }
      && gateways == other.gateways
  }
}
#endif
