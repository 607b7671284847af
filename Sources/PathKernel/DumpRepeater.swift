#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Repeats a dump that the kernel flagged as interrupted (entries may be missing from it), or could
/// not make just then.
enum DumpRepeater {
  /// Returns the end of the last try. The pauses grow from one millisecond and stay short: they
  /// only let the change pass that came in between: 21 ms at most, when links change all the time.
  static func run(
    tries: Int, pause: (Int) -> Void = { usleep(useconds_t(1000 << (2 * $0))) },
    _ attempt: () -> KernelRequests.DumpEnd
  ) -> KernelRequests.DumpEnd {
    var end = attempt()
    for number in 0..<max(0, tries - 1) where end.mayBeRepeated {
      pause(number)
      end = attempt()
    }
    if case .busy(let reason) = end { return .failed(reason) }
    return end
  }
}

extension KernelRequests.DumpEnd {
  fileprivate var mayBeRepeated: Bool {
    switch self {
    case .interrupted, .busy: true
    case .complete, .failed: false
    }
  }
}
