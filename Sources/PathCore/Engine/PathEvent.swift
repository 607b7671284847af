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

/// A change of path as one policy's monitor sees it. Many hands pass it on, so a copy is cheap.
package struct PathEvent: Sendable {
  private let fields: Fields
  private let before: Fields?

  /// All but the predecessor, which has none itself.
  private final class Fields: Sendable {
    let monitor: String
    let path: Boxed<Path>
    let isInitial: Bool
    let causes: ChangeCauses
    let flaps: FlapCounts
    let since: Duration?
    let sequence: Int64
    let time: WallTime
    let isSelfInflicted: Bool

    init(
      monitor: String, path: Boxed<Path>, isInitial: Bool, causes: ChangeCauses,
      flaps: FlapCounts, since: Duration?, sequence: Int64, time: WallTime,
      isSelfInflicted: Bool
    ) {
      self.monitor = monitor
      self.path = path
      self.isInitial = isInitial
      self.causes = causes
      self.flaps = flaps
      self.since = since
      self.sequence = sequence
      self.time = time
      self.isSelfInflicted = isSelfInflicted
    }
  }

  private init(_ fields: Fields, after before: Fields?) {
    self.fields = fields
    self.before = before
  }

  init(
    monitor: String, path: Boxed<Path>, causes: ChangeCauses, flaps: FlapCounts,
    since: Duration?, previous: PathEvent?, sequence: Int64, time: WallTime,
    isSelfInflicted: Bool
  ) {
    fields = Fields(
      monitor: monitor, path: path, isInitial: previous == nil, causes: causes, flaps: flaps,
      since: since, sequence: sequence, time: time, isSelfInflicted: isSelfInflicted)
    before = previous?.fields
  }

  package var monitor: String { fields.monitor }
  package var path: Path { _read { yield fields.path.wrappedValue } }
  /// The path's box, to share it.
  package var sharedPath: Boxed<Path> { fields.path }
  /// The first verdict this monitor ever delivered: no change.
  package var isInitial: Bool { fields.isInitial }
  package var causes: ChangeCauses { fields.causes }
  package var flaps: FlapCounts { fields.flaps }
  /// How long the status before this event had lasted; nil for the first.
  package var since: Duration? { fields.since }
  package var sequence: Int64 { fields.sequence }
  package var time: WallTime { fields.time }
  /// The change began while an action that disturbs the network was at work.
  package var isSelfInflicted: Bool { fields.isSelfInflicted }

  /// The event before this one, without its own predecessor.
  package var previous: PathEvent? { before.map { PathEvent($0, after: nil) } }

  package var hasPrevious: Bool { before != nil }

  /// This event as the predecessor of another.
  package var withoutPrevious: PathEvent { PathEvent(fields, after: nil) }

  /// This event with a path that says more of the same.
  func refined(_ path: Boxed<Path>) -> PathEvent {
    PathEvent(
      Fields(
        monitor: monitor, path: path, isInitial: isInitial, causes: causes, flaps: flaps,
        since: since, sequence: sequence, time: time, isSelfInflicted: isSelfInflicted),
      after: before)
  }
}
