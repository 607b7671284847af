internal import CLinux

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Moments at which a look is due by itself, on one timer of the boot clock. timerfd_create(2).
///
/// Nothing is armed while nothing is due: an idle program sleeps.
struct Alarms: ~Copyable {
  enum Name: Int, CaseIterable {
    /// What could not be read is read again.
    case retry
    /// The hint socket has rested.
    case rest
    /// A route in use has ended.
    case expiry
    /// Who writes resolv.conf has had time to finish.
    case resolver
  }

  let descriptor: Int32
  private var due = [Duration?](repeating: nil, count: Name.allCases.count)

  init() throws(KernelError) {
    descriptor = clinux_alarm_open()
    guard descriptor >= 0 else { throw KernelError("timerfd_create", code: -descriptor) }
  }

  deinit { close(descriptor) }

  /// Rings after this time, or sooner when it is to ring sooner already.
  mutating func set(_ name: Name, in time: Duration) {
    let moment = Self.now + time
    if let earlier = due[name.rawValue], earlier <= moment { return }
    due[name.rawValue] = moment
    arm()
  }

  mutating func clear(_ name: Name) {
    guard due[name.rawValue] != nil else { return }
    due[name.rawValue] = nil
    arm()
  }

  /// Whether it is due; then it is over.
  mutating func take(_ name: Name) -> Bool {
    guard let moment = due[name.rawValue], moment <= Self.now else { return false }
    due[name.rawValue] = nil
    arm()
    return true
  }

  /// A setting anew also takes back that the timer can be read.
  private func arm() {
    let first = due.lazy.compactMap(\.self).min()
    clinux_alarm_set(descriptor, first.map { max(1, $0.nanosecondsClamped) } ?? 0)
  }

  private static var now: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension Duration {
  fileprivate var nanosecondsClamped: Int64 {
    let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : seconds + components.attoseconds / 1_000_000_000
  }
}
