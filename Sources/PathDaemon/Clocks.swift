import Glibc
import PathCore

/// Reads the machine's clocks: the only place that does.
enum Clocks {
  static func now() -> Moment {
    Moment(awake: read(CLOCK_MONOTONIC), boot: read(CLOCK_BOOTTIME), wall: wall())
  }

  /// clock_gettime(2).
  static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Duration(
      secondsComponent: Int64(time.tv_sec),
      attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }

  private static func wall() -> WallTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    var local = unsafe tm()
    var seconds = time.tv_sec
    unsafe localtime_r(&seconds, &local)
    let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return unsafe WallTime(
      unixNanoseconds: overflow ? 0 : product &+ Int64(time.tv_nsec),
      offsetSeconds: Int32(clamping: local.tm_gmtoff),
      zone: local.tm_zone.map { unsafe String(cString: $0) } ?? "UTC")
  }
}
