import Glibc
import Synchronization

/// Writes whole lines to standard output and standard error with write(2): a reader at the other
/// end of a pipe sees each line at once, and two writers never mix within one.
///
/// It remembers when standard output took no more, so that no command can take that for an answer
/// of its own: `ending` has the last word on the exit code.
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
  private let outputState = OutputState()

  /// How standard output fared. It ends at the first failure: what came after a gap would be read
  /// as if it were whole.
  private final class OutputState: Sendable {
    let failure = Mutex<WriteFailure?>(nil)
    /// Whether anything was written.
    let hasBegun = Mutex(false)
  }

  /// The exit code of a command whose answer could not be written.
  static let unwritable: Int32 = 4

  /// Where nothing is styled, for text that goes elsewhere.
  static let plain = Console(
    output: Stream(descriptor: -1, hasColours: false),
    error: Stream(descriptor: -1, hasColours: false))

  /// The process's own streams. `environment` answers what `getenv` would.
  static func standard(environment: (String) -> String?) -> Console {
    Console(
      output: stream(STDOUT_FILENO, environment), error: stream(STDERR_FILENO, environment))
  }

  /// Whether standard output takes no more.
  var isBroken: Bool { outputState.failure.withLock { $0 != nil } }

  /// A line to standard output. False when nobody reads it any more, or it cannot be written.
  @discardableResult
  func print(_ line: String) -> Bool {
    if isBroken { return false }
    var done = 0
    defer { if done > 0 { outputState.hasBegun.withLock { $0 = true } } }
    do throws(WriteFailure) {
      try Writing.all(Array((line + "\n").utf8), to: output.descriptor, done: &done)
      return true
    } catch {
      outputState.failure.withLock { $0 = error }
      return false
    }
  }

  /// A line to standard error. When that cannot be written there is nobody left to tell.
  @discardableResult
  func complain(_ line: String) -> Bool {
    var done = 0
    do throws(WriteFailure) {
      try Writing.all(Array((line + "\n").utf8), to: error.descriptor, done: &done)
      return true
    } catch {
      return false
    }
  }

  /// The exit code of a command that would end with `code`, if all that it had to say was written;
  /// says so if not. A reader that goes away after the beginning, as `head` does, has had enough:
  /// that is worth no line.
  func ending(_ code: Int32) -> Int32 {
    guard let failure = outputState.failure.withLock({ $0 }) else { return code }
    switch failure {
    case .ended: return code
    case .refused(EPIPE) where outputState.hasBegun.withLock({ $0 }): return Self.unwritable
    case .refused:
      complain("netvane: standard output cannot be written: \(failure.message)")
      return Self.unwritable
    }
  }

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
}
