internal import CLinux
import CMnl
internal import PathCore

/// Builds a batch of netlink requests back to back, to be sent in one system call.
@safe
struct RequestBuffer: ~Copyable {
  static let capacity = 16 * 1024
  private let base: UnsafeMutableRawPointer
  private var used = 0
  private var current: UnsafeMutablePointer<nlmsghdr>?

  init() {
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 16)
    unsafe current = nil
  }

  deinit { unsafe base.deallocate() }

  mutating func reset() {
    used = 0
    unsafe current = nil
  }

  /// What was built so far, for one send(2). Valid until the buffer is written again.
  @unsafe var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base, count: used + currentLength)
  }

  /// mnl_nlmsg_put_header() and mnl_nlmsg_put_extra_header(). The header is written zeroed; false
  /// when there is no room for it and a handful of attributes.
  mutating func begin(_ type: Int, flags: Int32, sequence: UInt32, headerLength: Int) -> Bool {
    used += currentLength
    unsafe current = nil
    guard Self.capacity - used >= 256 else { return false }
    guard let message = unsafe mnl_nlmsg_put_header(base + used) else { return false }
    unsafe message.pointee.nlmsg_type = UInt16(type)
    unsafe message.pointee.nlmsg_flags = UInt16(NLM_F_REQUEST | flags)
    unsafe message.pointee.nlmsg_seq = sequence
    _ = unsafe mnl_nlmsg_put_extra_header(message, headerLength)
    unsafe current = message
    return true
  }

  /// Writes a byte or number of the request's own header.
  mutating func set<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
    guard let current = unsafe current else { return }
    let payload = unsafe mnl_nlmsg_get_payload(current)
    unsafe payload?.storeBytes(of: value, toByteOffset: offset, as: Number.self)
  }

  /// mnl_attr_put_u32().
  mutating func put(_ type: Int, _ value: UInt32) {
    guard let current = unsafe current else { return }
    _ = unsafe mnl_attr_put_u32_check(current, room, UInt16(type), value)
  }

  /// mnl_attr_put() with the address in network order.
  mutating func put(_ type: Int, _ address: IPAddress) {
    guard let current = unsafe current else { return }
    switch address.family {
    case .ipv4:
      var value = UInt32(truncatingIfNeeded: address.low).bigEndian
      _ = unsafe mnl_attr_put_check(current, room, UInt16(type), 4, &value)
    case .ipv6:
      var value = (address.high.bigEndian, address.low.bigEndian)
      _ = unsafe mnl_attr_put_check(current, room, UInt16(type), 16, &value)
    }
  }

  private var room: Int { Self.capacity - used }

  private var currentLength: Int {
    guard let current = unsafe current else { return 0 }
    return (Int(unsafe current.pointee.nlmsg_len) + 3) & ~3
  }
}
