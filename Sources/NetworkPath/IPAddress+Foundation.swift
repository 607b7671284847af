#if os(Linux)
#if Foundation
public import FoundationEssentials

/// The bytes as Apple's API has them. They are in this module when the package trait `Foundation`
/// is set.
extension IPAddress {
  /// From 4 or 16 bytes in network order; nil for any other number.
  public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    self.init(bytes: [UInt8](rawValue), interface)
  }

  /// The bytes in network order.
  public var rawValue: Data { Data(bytes) }
}
#endif
#endif
