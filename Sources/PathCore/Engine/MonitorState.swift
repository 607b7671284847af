/// What one monitor of one policy has been told, and what waits to be told: the debounce.
///
/// Three states, told apart by `delivered` and `candidate`: nothing delivered yet, at rest with the
/// delivered path, or a candidate waiting for its deadline. Times here are of the awake clock.
struct MonitorState {
  var declaration: MonitorDeclaration
  /// Index into the engine's filters.
  var filter: Int
  var delivered: PathEvent?
  var candidate: Candidate?
  var unrest: Unrest?
  /// The time for which an `unrest` wake-up is asked; nil while none is.
  var armedUnrest: Duration?
  /// When this monitor first saw a path; the first verdict's patience counts from here.
  var firstSeen: Duration?
  /// The change that is pending or was told last began while an action disturbed the network.
  var isSelfInflicted = false
  /// When the delivered status began, by the boot clock.
  var statusSince: Duration = .zero
  var sequence: Int64 = 0
  /// Causes for the next delivered change: `resumed`, `resync`.
  var owedCauses: ChangeCauses = []

  /// A path that differs from the delivered one and must hold until `deadline`. A `settle` wake-up
  /// is asked for exactly while there is one.
  struct Candidate {
    var path: Boxed<Path>
    /// When its status was first seen.
    var since: Duration
    var deadline: Duration
    var settle: Duration
  }

  init(declaration: MonitorDeclaration, filter: Int) {
    self.declaration = declaration
    self.filter = filter
  }

  /// When an `unrest` wake-up is wanted: while a candidate waits that will not settle before, and
  /// while the path keeps leaving. One that left once and came back needs none.
  var wantedUnrest: Duration? {
    guard let unrest else { return nil }
    if unrest.isRecurring { return unrest.deadline }
    guard let candidate, unrest.deadline < candidate.deadline else { return nil }
    return unrest.deadline
  }

  /// Keeps account of a change that is not told at once.
  mutating func noteUnrest(_ path: Boxed<Path>, settle: Duration, at now: Duration) {
    if isRested(at: now) {
      guard settle > .zero, let delivered else {
        unrest = nil
        return
      }
      unrest = Unrest(
        from: delivered.sharedPath, window: settle, deadline: now + unrestLimit(settle: settle),
        at: now)
    }
    unrest?.note(path, at: now)
    if let window = unrest?.window, window < settle { unrest?.window = settle }
  }

  /// How long unrest with this settle may go unreported.
  func unrestLimit(settle: Duration) -> Duration {
    declaration.settleMax ?? max(EngineLimits.settleMaxFloor, settle + settle + settle + settle)
  }

  /// Whether there is no unrest, or its path has held long enough to end it: for a whole settle,
  /// and for a quarter of the time that unrest may go unreported. With the settle alone, a path
  /// that is up a little longer than it is down would be at rest each time.
  func isRested(at now: Duration) -> Bool {
    guard let unrest else { return true }
    let quarter = Duration.nanoseconds(unrestLimit(settle: unrest.window).nanoseconds / 4)
    return now - unrest.lastChange >= max(unrest.window, quarter)
  }
}

/// Changes that follow each other without rest between them, of which none was told. It ends with a
/// change of status that is told; rest is noticed at the next change, or when it must be reported.
struct Unrest {
  /// When it must be reported.
  var deadline: Duration
  /// The longest settle that a change of it asked for: so long must it rest to end.
  var window: Duration
  private(set) var lastChange: Duration
  /// How often the path came back to what was told.
  private var returns = 0
  /// How long each status held, and the last path that had it.
  private var held: [Holding]
  private var current: PathStatus
  private var currentSince: Duration

  private struct Holding {
    var status: PathStatus
    var time: Duration = .zero
    var path: Boxed<Path>
  }

  /// Unrest that begins now, at a path that the policy knows or is told of now.
  init(from path: Boxed<Path>, window: Duration, deadline: Duration, at now: Duration) {
    self.window = window
    self.deadline = deadline
    lastChange = now
    held = []
    held.reserveCapacity(2)  // the two that a path that comes and goes has
    held.append(Holding(status: path.wrappedValue.status, path: path))
    current = path.wrappedValue.status
    currentSince = now
  }

  /// It came back and left again.
  var isRecurring: Bool { returns > 1 }

  /// Takes account of a change back to the path that was told.
  mutating func noteReturn(_ path: Boxed<Path>, at now: Duration) {
    note(path, at: now)
    returns = min(returns + 1, 2)
  }

  /// Takes account of a change to `path`.
  mutating func note(_ path: Boxed<Path>, at now: Duration) {
    close(at: now)
    lastChange = now
    current = path.wrappedValue.status
    if let index = held.firstIndex(where: { $0.status == current }) {
      held[index].path = path
    } else {
      held.append(Holding(status: current, path: path))
    }
  }

  /// The path whose status held longest up to now; among equals the status that was told, so that a
  /// report of unrest does not make up a change.
  mutating func longest(at now: Duration, told: PathStatus?) -> Boxed<Path> {
    close(at: now)
    var best = 0
    for index in held.indices {
      let isLonger = held[index].time > held[best].time
      let isEqual = held[index].time == held[best].time
      if isLonger || isEqual && held[index].status == told { best = index }
    }
    return held[best].path
  }

  private mutating func close(at now: Duration) {
    if let index = held.firstIndex(where: { $0.status == current }) {
      held[index].time += now - currentSince
    }
    currentSince = now
  }
}
