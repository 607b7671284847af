import CLinux

/// Room for a few datagrams of bounded length, each in a slot of its own.
///
/// The memory is not touched before the kernel writes to it, and the same slots are used each time.
@safe
struct DatagramBuffer: ~Copyable {
  let slots: Int
  let slot: Int
  private let base: UnsafeMutableRawPointer
  private let datagrams: UnsafeMutablePointer<clinux_datagram>

  init(slots: Int, slot: Int) {
    self.slots = slots
    self.slot = slot
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: slots * slot, alignment: 16)
    unsafe datagrams = UnsafeMutablePointer.allocate(capacity: slots)
    unsafe datagrams.initialize(repeating: clinux_datagram(), count: slots)
  }

  deinit {
    unsafe datagrams.deallocate()
    unsafe base.deallocate()
  }

  /// recvmmsg(2) into the first so many slots: how many were filled, or -errno.
  func receive(_ descriptor: Int32, slots: Int, flags: Int32) -> Int {
    Int(
      unsafe clinux_receive_many(
        descriptor, base, UInt32(slot), UInt32(min(slots, self.slots)), datagrams, flags))
  }

  subscript(number: Int) -> clinux_datagram {
    precondition(number >= 0 && number < slots)
    return unsafe datagrams[number]
  }

  /// What is in a slot, as far as it fits there. Valid until the next receive.
  @unsafe func bytes(_ number: Int) -> UnsafeRawBufferPointer {
    let length = min(Int(self[number].length), slot)
    return unsafe UnsafeRawBufferPointer(start: base + number * slot, count: length)
  }
}
