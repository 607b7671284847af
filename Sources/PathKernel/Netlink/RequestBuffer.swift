internal import CLinux
internal import PathCore

/// Builds a batch of netlink requests back to back, to be sent in one system call.
@safe
struct RequestBuffer: ~Copyable {
  static let capacity = 16 * 1024
  /// A header and the attributes of any request that is made here.
  private static let requestLimit = 256

  private let base: UnsafeMutableRawPointer
  /// Where the message being built begins, and where the next attribute goes. Both are multiples of
  /// four.
  private var start = 0
  private var end = 0

  init() {
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 16)
  }

  deinit { unsafe base.deallocate() }

  mutating func reset() {
    start = 0
    end = 0
  }

  /// What was built so far, for one send(2). Valid until the buffer is written again.
  @unsafe var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base, count: end)
  }

  /// Begins a message with its header (netlink(7)) and the request's own, zeroed; false when there
  /// is no room for those and a handful of attributes.
  mutating func begin(_ type: Int, flags: Int32, sequence: UInt32, headerLength: Int) -> Bool {
    guard Self.capacity - end >= Self.requestLimit else { return false }
    start = end
    store(UInt16(type), at: start + 4)
    store(UInt16(NLM_F_REQUEST | flags), at: start + 6)
    store(sequence, at: start + 8)
    store(UInt32(0), at: start + 12)
    end += Message.headerLength
    let headerEnd = end + (headerLength + 3) & ~3
    while end < headerEnd {
      store(UInt32(0), at: end)
      end += 4
    }
    close()
    return true
  }

  /// Writes a byte or number of the request's own header.
  mutating func set(byte value: UInt8, at offset: Int) {
    store(value, at: start + Message.headerLength + offset)
  }

  mutating func set(_ value: UInt32, at offset: Int) {
    store(value, at: start + Message.headerLength + offset)
  }

  /// An attribute of four bytes.
  mutating func put(_ type: Int, _ value: UInt32) {
    guard open(type, length: 4) else { return }
    store(value, at: end)
    end += 4
    close()
  }

  /// An attribute with the address in network order.
  mutating func put(_ type: Int, _ address: IPAddress) {
    if address.family == .ipv4 {
      put(type, UInt32(truncatingIfNeeded: address.low).bigEndian)
      return
    }
    guard open(type, length: 16) else { return }
    store(address.high.bigEndian, at: end)
    store(address.low.bigEndian, at: end + 8)
    end += 16
    close()
  }

  /// struct nlattr: the length with this header, then the type.
  private mutating func open(_ type: Int, length: Int) -> Bool {
    guard end - start + 4 + length <= Self.requestLimit else { return false }
    store(UInt16(4 + length), at: end)
    store(UInt16(type), at: end + 2)
    end += 4
    return true
  }

  /// nlmsg_len covers what was written so far.
  private mutating func close() { store(UInt32(end - start), at: start) }

  /// The one place that writes; whatever is asked, it stays within the memory.
  private func store<Number: FixedWidthInteger & BitwiseCopyable>(
    _ value: Number, at offset: Int
  ) {
    precondition(offset >= 0 && offset <= Self.capacity - MemoryLayout<Number>.size)
    unsafe base.storeBytes(of: value, toByteOffset: offset, as: Number.self)
  }
}
