#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// A system call that failed, and what it was meant for.
package struct KernelError: Error, Hashable, Sendable, CustomStringConvertible {
  package var call: String
  package var code: Int32

  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(Self.text(code))" }

  /// strerror(3), which for the codes of the kernel is a constant.
  static func text(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
  }

  /// Whether the same call may well succeed a moment later: memory or room was short, or a signal
  /// came.
  static func isPassing(_ code: Int32) -> Bool {
    code == ENOBUFS || code == ENOMEM || code == EAGAIN || code == EINTR
  }
}
