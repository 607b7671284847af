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
    let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let zone = unsafe zone.at(time.tv_sec)
    return WallTime(
      unixNanoseconds: overflow ? 0 : product &+ Int64(time.tv_nsec),
      offsetSeconds: zone.offset, zone: zone.name)
  }

  /// Zones change at quarters of an hour, so what localtime_r(3) says holds for one.
  private struct Zone {
    var quarter = Int.min
    var offset: Int32 = 0
    var name = "UTC"

    mutating func at(_ seconds: time_t) -> (offset: Int32, name: String) {
      if seconds / 900 != quarter {
        var local = unsafe tm()
        var seconds = seconds
        unsafe localtime_r(&seconds, &local)
        quarter = seconds / 900
        offset = unsafe Int32(clamping: local.tm_gmtoff)
        name = unsafe local.tm_zone.map { unsafe String(cString: $0) } ?? "UTC"
      }
      return (offset, name)
    }
  }

  // The daemon has one thread.
  private nonisolated(unsafe) static var zone = Zone()
}
