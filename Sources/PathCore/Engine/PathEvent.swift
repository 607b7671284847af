/// Status changes as the kernel showed them, reported to the policy or not.
package struct FlapCounts: Hashable, Sendable {
  package var lastMinute: Int
  package var lastTenMinutes: Int
  package var lastHour: Int

  package init(lastMinute: Int = 0, lastTenMinutes: Int = 0, lastHour: Int = 0) {
    self.lastMinute = lastMinute
    self.lastTenMinutes = lastTenMinutes
    self.lastHour = lastHour
  }
}

/// A change of path as one policy's monitor sees it.
package struct PathEvent: Sendable {
  package var monitor: String
  @Boxed package var path: Path
  /// The first verdict this monitor ever delivered: no change.
  package var isInitial: Bool
  package var causes: ChangeCauses
  package var flaps: FlapCounts
  /// How long the status before this event had lasted; nil for the first.
  package var since: Duration?
  /// The event before this one, without its own predecessor.
  package var previous: Previous
  package var sequence: Int64
  package var time: WallTime

  init(
    monitor: String, path: Boxed<Path>, isInitial: Bool, causes: ChangeCauses, flaps: FlapCounts,
    since: Duration?, previous: Previous, sequence: Int64, time: WallTime
  ) {
    self.monitor = monitor
    _path = path
    self.isInitial = isInitial
    self.causes = causes
    self.flaps = flaps
    self.since = since
    self.previous = previous
    self.sequence = sequence
    self.time = time
  }

  /// An event or none: a struct cannot hold itself.
  package indirect enum Previous: Sendable {
    case none
    case event(PathEvent)
  }

  /// This event as the predecessor of another.
  package var withoutPrevious: PathEvent {
    var copy = self
    copy.previous = .none
    return copy
  }
}
