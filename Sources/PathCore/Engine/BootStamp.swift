/// One moment by the clocks of one boot: what it takes to know, in another boot, when a stored time
/// of the boot clock was meant to come.
package struct BootStamp: Hashable, Sendable {
  /// The kernel's name for this boot; empty when it is not known, which is like no other.
  package var bootID: String
  package var boot: Duration
  package var wall: WallTime

  package init(bootID: String, boot: Duration, wall: WallTime) {
    self.bootID = bootID
    self.boot = boot
    self.wall = wall
  }

  package init(bootID: String, at now: Moment) {
    self.init(bootID: bootID, boot: now.boot, wall: now.wall)
  }

  package func isSameBoot(as other: BootStamp) -> Bool {
    bootID == other.bootID && !bootID.isEmpty
  }

  /// A deadline stored at this moment, by the boot clock of `now`.
  ///
  /// In another boot it is the one clock that ran on, the wall's, that tells how much of the wait
  /// is over. A wall clock that went backwards (a machine without a battery) cannot prolong it: at
  /// least the present boot's uptime has passed. Never negative.
  package func translate(_ deadline: Duration, to now: BootStamp) -> Duration {
    if isSameBoot(as: now) { return deadline }
    let (wall, isOverflow) = now.wall.unixNanoseconds.subtractingReportingOverflow(
      self.wall.unixNanoseconds)
    let passed = max(now.boot, isOverflow ? .zero : .nanoseconds(wall))
    return max(.zero, now.boot + (deadline - boot) - passed)
  }
}
