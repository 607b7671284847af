import Glibc

/// Why something could not be written.
enum WriteFailure: Error, Hashable, Sendable {
  /// The system's answer, an errno.
  case refused(Int32)
  /// Somebody asked the program to end while a slow reader was waited for.
  case ended

  /// In words: `No space left on device`.
  var message: String {
    switch self {
    case .refused(let code): unsafe String(cString: strerror(code))
    case .ended: "the program was asked to end"
    }
  }
}

/// The one place where commands write, be it to the program's streams or to files: all of it, or
/// why not. (The daemon's recording is its own.)
enum Writing {
  /// Writes all bytes, and waits for a reader that is slow, write(2). `done` counts those that were
  /// taken.
  static func all(
    _ bytes: [UInt8], to descriptor: Int32, done: inout Int
  ) throws(WriteFailure) {
    done = 0
    while done < bytes.count {
      // A pipe that is ready takes this much without making anybody wait (pipe(7)).
      let piece = min(bytes.count - done, Int(PIPE_BUF))
      guard waitUntilWritable(descriptor) else { throw .ended }
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + done, piece)
      }
      if count > 0 {
        done += count
      } else if count == 0 {
        throw .refused(EIO)
      } else if errno != EINTR, errno != EAGAIN {
        throw .refused(errno)
      }
    }
  }

  /// Writes a whole file to a descriptor of its own, and closes that in any case: some file systems
  /// say only then that there was no room, close(2).
  static func file(_ text: String, to descriptor: Int32) throws(WriteFailure) {
    var done = 0
    do throws(WriteFailure) {
      try all(Array(text.utf8), to: descriptor, done: &done)
    } catch {
      close(descriptor)
      throw error
    }
    if close(descriptor) != 0, errno != EINTR { throw .refused(errno) }
  }

  /// False when somebody asked the program to end meanwhile: with those signals blocked, a write
  /// that waits could not be ended at all.
  private static func waitUntilWritable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while unsafe poll(&entry, 1, askMilliseconds) == 0 {
      var pending = sigset_t()
      unsafe sigpending(&pending)
      if unsafe sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1 {
        return false
      }
    }
    return true
  }

  /// How often a write that waits looks for a signal.
  private static let askMilliseconds: Int32 = 100
}
