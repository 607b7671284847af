/// A policy's text as it is kept: what is in it is for those to say who wrote it.
package struct StoredText: Hashable, Sendable {
  /// Tells what was accepted from anything else.
  package var hash: String
  package var bytes: [UInt8]

  /// One text with its modules. A larger one is not kept.
  package static let bytesMax = 1 << 20
  /// All texts; what would come on top is not kept.
  package static let totalMax = 16 << 20
  static let hashMax = 64

  package init(hash: String, bytes: [UInt8]) {
    self.hash = hash
    self.bytes = bytes
  }

  var isWithinBounds: Bool {
    bytes.count <= Self.bytesMax && (1...Self.hashMax).contains(hash.utf8.count)
  }
}
