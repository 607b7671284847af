#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Tells that a radio was switched: the kernel's rfkill device, where this process may read it.
///
/// It sends one `struct rfkill_event` a read, of eight bytes or nine, newer kernels more; all that
/// counts is that one came. The switches themselves are read from sysfs.
struct RadioDevice: ~Copyable {
  private let path: String
  /// Negative while it cannot be read.
  private(set) var descriptor: Int32 = -1

  /// A device has one event for each radio when it is opened, and few later.
  private static let eventLimit = 256

  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens it if it is there and is not open yet; whether it was opened now. open(2).
  mutating func open() -> Bool {
    guard descriptor < 0 else { return false }
    descriptor = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    // A regular file can always be read: the loop would never rest.
    var status = stat()
    let kind = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    if kind == S_IFCHR || kind == S_IFIFO { return true }
    shut()
    return false
  }

  /// Reads what it has to say: whether anything was, and whether it is over. read(2).
  mutating func drain() -> (hasNews: Bool, isOver: Bool) {
    var hasNews = false
    var event = [UInt8](repeating: 0, count: 64)
    for _ in 0..<Self.eventLimit {
      let length = unsafe read(descriptor, &event, event.count)
      if length > 0 {
        hasNews = true
      } else if length < 0, errno == EAGAIN {
        break
      } else if length == 0 || errno != EINTR {
        return (hasNews, true)
      }
    }
    return (hasNews, false)
  }

  mutating func shut() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
