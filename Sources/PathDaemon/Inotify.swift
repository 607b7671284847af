import CLinux
import Glibc

/// The kernel's news about directories, inotify(7).
struct Inotify: ~Copyable {
  let descriptor: Int32

  struct Event {
    /// Negative when news was lost.
    var watch: Int32
    var mask: UInt32
    /// Of the entry; empty for the directory itself.
    var name: String

    func has(_ bits: Int32...) -> Bool { bits.contains { mask & UInt32($0) != 0 } }
  }

  /// inotify_init1(2).
  init() throws(LoopError) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw LoopError(call: "inotify_init1", code: errno) }
  }

  deinit { close(descriptor) }

  /// Watches a directory for these; what it was watched for before is forgotten, unless `adding`.
  /// Negative with `errno` where that cannot be. inotify_add_watch(2).
  func watch(_ directory: String, _ bits: UInt32, adding: Bool) -> Int32 {
    var mask = bits | UInt32(IN_ONLYDIR)
    if adding { mask |= UInt32(IN_MASK_ADD) }
    return unsafe inotify_add_watch(descriptor, directory, mask)
  }

  func unwatch(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

  /// Hands over what has come, in order.
  func drain(_ body: (Event) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let length = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
      }
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { return }
      Self.parse(buffer[..<length], body)
      // There is no more, or it will wake the loop again.
      if length < buffer.count / 2 { return }
    }
  }

  /// struct inotify_event: watch, mask, cookie, length of the name, name.
  private static func parse(_ bytes: ArraySlice<UInt8>, _ body: (Event) -> Void) {
    func field(_ offset: Int) -> UInt32 {
      let number = (0..<4).reduce(0 as UInt32) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
      return 1.bigEndian == 1 ? number.byteSwapped : number
    }
    var offset = bytes.startIndex
    while offset + 16 <= bytes.endIndex {
      let end = offset + 16 + Int(field(offset + 12))
      guard end <= bytes.endIndex else { return }
      body(
        Event(
          watch: Int32(bitPattern: field(offset)), mask: field(offset + 4),
          name: String(decoding: bytes[(offset + 16)..<end].prefix { $0 != 0 }, as: UTF8.self)))
      offset = end
    }
  }
}
