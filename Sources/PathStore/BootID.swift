internal import Glibc

/// The kernel's name for the present boot.
package enum BootID {
  /// Reads /proc/sys/kernel/random/boot_id; empty where it cannot be read.
  package static func read() -> String {
    let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 > 32 }, as: UTF8.self)
  }
}
