package import Glibc

/// A descriptor that is closed when nobody needs it any more. Whoever uses its number must hold it
/// until then, so what is done with it is done here.
package final class Descriptor {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// fstat(2); nil when the kernel refuses, which it does not for a descriptor that is open.
  package var status: stat? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status : nil
  }

  /// read(2), again when a signal came in between: how many bytes, 0 at the end, -1 with errno.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.read(number, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// flock(2) for this process alone, until it is closed; whether nobody else has it.
  package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

  /// A second one, for who closes it himself; -1 with errno.
  func duplicate() -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 0) }
}
