#if os(Linux)
internal import CLinux
internal import PathCore
#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// The system's clocks that count from some start.
enum Clock {
  /// Stands still while the machine sleeps.
  case awake
  /// Runs on.
  case boot

  /// clock_gettime(2).
  var now: Duration {
    var time = timespec()
    unsafe clock_gettime(self == .awake ? CLOCK_MONOTONIC : CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(Int64(time.tv_nsec))
  }
}
#endif
