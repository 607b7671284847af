#if os(Linux)
/// How often everything is read anew because news was lost: at most once a second. Such a reading
/// is long, and in a storm it would lead to the next one.
struct OverrunPace {
  static let rest = Duration.seconds(1)

  /// The last reading that followed a loss.
  private var lastRead: Duration?
  /// Something was lost that no reading has followed yet.
  private var hasLost = false

  /// News was lost.
  mutating func lose() { hasLost = true }

  /// Until when no reading may begin; nil when one may.
  func heldUntil(_ now: Duration) -> Duration? {
    guard hasLost, let lastRead, now < lastRead + Self.rest else { return nil }
    return lastRead + Self.rest
  }

  /// Everything was read.
  mutating func read(at now: Duration) {
    if hasLost { lastRead = now }
    hasLost = false
  }
}
#endif
