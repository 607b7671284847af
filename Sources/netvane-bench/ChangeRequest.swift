import CLinux
import Glibc

/// Builds rtnetlink requests one behind the other, to be sent at once: only what the workloads
/// change.
struct ChangeRequest {
  private(set) var bytes: [UInt8] = []

  var isEmpty: Bool { bytes.isEmpty }

  /// One message: its header, the header of its kind, and what `body` puts behind.
  mutating func message<Header>(
    _ type: Int, flags: Int32, sequence: UInt32, _ header: Header,
    _ body: (inout ChangeRequest) -> Void = { _ in }
  ) {
    let start = bytes.count
    append(
      nlmsghdr(
        nlmsg_len: 0, nlmsg_type: UInt16(type), nlmsg_flags: UInt16(NLM_F_REQUEST | flags),
        nlmsg_seq: sequence, nlmsg_pid: 0))
    append(header)
    body(&self)
    write(UInt32(bytes.count - start), at: start)
  }

  /// One attribute with what `body` appends; it may hold others.
  mutating func attribute(_ type: Int, _ body: (inout ChangeRequest) -> Void) {
    let start = bytes.count
    append(UInt16(0))
    append(UInt16(type))
    body(&self)
    write(UInt16(bytes.count - start), at: start)
    while bytes.count % 4 != 0 { bytes.append(0) }
  }

  mutating func put<Value>(_ type: Int, _ value: Value) { attribute(type) { $0.append(value) } }

  mutating func put(_ type: Int, text: String) {
    attribute(type) { $0.bytes += Array(text.utf8) + [0] }
  }

  /// The bytes of a number or of a C structure.
  mutating func append<Value>(_ value: Value) {
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func write<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
    unsafe withUnsafeBytes(of: value) {
      for unsafe(index, byte) in unsafe $0.enumerated() { bytes[offset + index] = byte }
    }
  }
}
