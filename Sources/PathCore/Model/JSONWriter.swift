/// Writes JSON to bytes: one line, keys in the order they are asked for. What it writes is always
/// valid; strings have every control character escaped, C1 and DEL included, so that a
/// line is safe to show.
package struct JSONWriter: Sendable {
  package var bytes: [UInt8] = []

  package init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Structure

  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "{"))
    body(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  package mutating func array<Values: Sequence>(
    _ values: Values, _ body: (inout JSONWriter, Values.Element) -> Void
  ) {
    separate()
    bytes.append(UInt8(ascii: "["))
    for value in values { body(&self, value) }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Starts a member; its value must follow.
  package mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// A comma, unless this is the first thing in its object or array or the value of a key.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  // MARK: Values

  package mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    // Nearly every string is plain, and a run is copied several times faster than bytes.
    if value.utf8.allSatisfy(Self.isPlain) {
      bytes.append(contentsOf: value.utf8)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    var afterC2 = false
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20, 0x7F: escape(byte)
      // U+0080…U+009F are C2 80…9F in UTF-8: take the C2 back.
      case 0x80...0x9F where afterC2:
        bytes.removeLast()
        escape(byte)
      default: bytes.append(byte)
      }
      afterC2 = byte == 0xC2
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u"), 48, 48])
    for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 48 + digit : 87 + digit) }
  }

  package mutating func integer(_ value: some BinaryInteger) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
  }

  package mutating func bool(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// A number with a fraction; null when it is infinite or none.
  package mutating func finite(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  package mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  // MARK: Members

  package mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  package mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    integer(value)
  }

  package mutating func member(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// Leaves the member out when it holds what its absence means.
  package mutating func member<Value: Equatable>(
    _ name: String, _ value: Value, unless absent: Value,
    _ body: (inout JSONWriter, Value) -> Void
  ) {
    if value == absent { return }
    key(name)
    body(&self, value)
  }

  package mutating func flag(_ name: String, _ value: Bool) {
    if value { member(name, true) }
  }

  /// An address; a link-local one with its scope as `%index`.
  package mutating func address(_ value: IPAddress) {
    string(value.scope == 0 ? value.description : "\(value)%\(value.scope)")
  }
}
