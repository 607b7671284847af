/// What kind of link an interface is, in the words of NWInterface.InterfaceType.
package enum InterfaceType: UInt8, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  case wifi
  case wired
  case cellular
  case loopback
  case other

  /// The word used by policies, the configuration and the command line.
  package var description: String {
    switch self {
    case .wifi: "wifi"
    case .wired: "wired"
    case .cellular: "cellular"
    case .loopback: "loopback"
    case .other: "other"
    }
  }

  /// Reads the word; filters also accept Apple's `wiredEthernet`.
  package init?(word: String) {
    if word == "wiredEthernet" {
      self = .wired
    } else if let match = Self.allCases.first(where: { $0.description == word }) {
      self = match
    } else {
      return nil
    }
  }

  /// Every word that names a type, for error messages.
  package static let words = allCases.map(\.description) + ["wiredEthernet"]
}

/// A set of interface types.
package struct InterfaceTypeSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package init(_ type: InterfaceType) { rawValue = 1 << type.rawValue }

  package func contains(_ type: InterfaceType) -> Bool { contains(InterfaceTypeSet(type)) }

  /// The members in declaration order.
  package var types: [InterfaceType] { InterfaceType.allCases.filter { contains($0) } }
}
