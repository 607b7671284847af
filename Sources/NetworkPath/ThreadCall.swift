#if os(Linux)
internal import CLinux
internal import Synchronization
#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// Calls the thread that waits for the kernel's news. eventfd(2).
///
/// The program around us may close descriptors that are not its own. So it has two numbers: to wait
/// for the one and call by the other, and new ones when either turns out to be no longer its own.
final class ThreadCall: Sendable {
  private struct Numbers {
    /// Negative when the system had no descriptor left.
    var waited: Int32
    var called: Int32

    init() {
      waited = clinux_call_descriptor()
      called = waited < 0 ? -1 : fcntl(waited, F_DUPFD_CLOEXEC, 3)
    }
  }

  private let numbers = Mutex(Numbers())

  /// Readable when the thread is called.
  var descriptor: Int32 { numbers.withLock { $0.waited } }

  func make() {
    numbers.withLock { numbers in
      for number in [numbers.called, numbers.waited] where Self.add(number) { return }
      // What the thread waits for is gone: it finds that out when it wakes.
      numbers = Numbers()
      _ = Self.add(numbers.waited)
    }
  }

  /// Takes what called. What is not ours any more could be readable for ever. The old numbers stay
  /// as they are: whoever has them now may need them.
  func take() {
    numbers.withLock { numbers in
      guard Self.isOurs(numbers.waited) else { return numbers = Numbers() }
      var count: UInt64 = 0
      _ = unsafe read(numbers.waited, &count, 8)
    }
  }

  private static func add(_ number: Int32) -> Bool {
    guard isOurs(number) else { return false }
    var one: UInt64 = 1
    // A full count is readable, too.
    return unsafe write(number, &one, 8) == 8 || errno == EAGAIN
  }

  /// Files, sockets and pipes have a kind; what the kernel makes up for itself has none.
  private static func isOurs(_ number: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == 0
  }
}
#endif
