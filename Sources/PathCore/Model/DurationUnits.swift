/// Durations of whole units. The standard library has them for integers of every kind, reached
/// through tables of witnesses and 128-bit conversions; on the way from an event to a decision that
/// is more code than everything else that is done with time.
extension Duration {
  package static func seconds(_ count: Int) -> Duration {
    Duration(secondsComponent: Int64(count), attosecondsComponent: 0)
  }

  package static func milliseconds(_ count: Int) -> Duration {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: 1000)
    return Duration(
      secondsComponent: Int64(seconds), attosecondsComponent: Int64(rest) * 1_000_000_000_000_000)
  }

  package static func nanoseconds(_ count: Int64) -> Duration {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(secondsComponent: seconds, attosecondsComponent: rest * 1_000_000_000)
  }
}
