import Glibc

/// Writes whole lines to standard output and standard error with write(2): a reader at the other
/// end of a pipe sees each line at once, and two writers never mix within one.
struct Console: Sendable {
  /// How a piece of text is marked where colours are shown.
  enum Style: String, Sendable {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
  }

  /// A descriptor that lines go to, and whether it understands colours.
  struct Stream: Sendable {
    let descriptor: Int32
    let hasColours: Bool
  }

  let output: Stream
  let error: Stream

  /// Where nothing is styled, for text that goes elsewhere.
  static let plain = Console(
    output: Stream(descriptor: -1, hasColours: false),
    error: Stream(descriptor: -1, hasColours: false))

  /// The process's own streams. `environment` answers what `getenv` would.
  static func standard(environment: (String) -> String?) -> Console {
    Console(
      output: stream(STDOUT_FILENO, environment), error: stream(STDERR_FILENO, environment))
  }

  /// A line to standard output. False when nobody reads it any more, or it cannot be written.
  @discardableResult
  func print(_ line: String) -> Bool { write(line, to: output) }

  /// A line to standard error.
  @discardableResult
  func complain(_ line: String) -> Bool { write(line, to: error) }

  /// `text` in a style for standard output, or as it is where there are no colours.
  func styled(_ text: String, _ styles: Style...) -> String {
    guard output.hasColours, !styles.isEmpty else { return text }
    let codes = styles.map(\.rawValue).joined(separator: ";")
    return "\u{1B}[\(codes)m\(text)\u{1B}[0m"
  }

  private static func stream(_ descriptor: Int32, _ environment: (String) -> String?) -> Stream {
    Stream(
      descriptor: descriptor,
      hasColours: wantsColours(isTerminal: isatty(descriptor) == 1, environment))
  }

  /// The rule of no-color.org: any text in NO_COLOR means none, an empty one does not count.
  static func wantsColours(isTerminal: Bool, _ environment: (String) -> String?) -> Bool {
    isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  private func write(_ line: String, to stream: Stream) -> Bool {
    var bytes = Array(line.utf8)
    bytes.append(UInt8(ascii: "\n"))
    var done = 0
    while done < bytes.count {
      // A pipe that is ready takes this much without making anybody wait (pipe(7)).
      let piece = min(bytes.count - done, Int(PIPE_BUF))
      guard waitUntilWritable(stream.descriptor) else { return false }
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(stream.descriptor, $0.baseAddress! + done, piece)
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR, errno != EAGAIN {
        return false
      }
    }
    return true
  }

  /// Waits for a reader that is slow. False when somebody asked the program to end meanwhile: with
  /// those signals blocked, a write that waits could not be ended at all.
  private func waitUntilWritable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while unsafe poll(&entry, 1, Self.askMilliseconds) == 0 {
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
