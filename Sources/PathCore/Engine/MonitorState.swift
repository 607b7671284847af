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
  /// When this monitor first saw a path; the first verdict's patience counts from here.
  var firstSeen: Duration?
  /// When the delivered status began, by the boot clock.
  var statusSince: Duration = .zero
  var sequence: Int64 = 0
  /// Causes for the next delivered change: `resumed`, `resync`.
  var owedCauses: ChangeCauses = []

  /// A path that differs from the delivered one and must hold until `deadline`.
  struct Candidate {
    var path: Path
    var deadline: Duration
    var settle: Duration
  }

  /// Changes that follow each other without a whole `settle` of rest between them.
  struct Unrest {
    var deadline: Duration
    var window: Duration
    var lastChange: Duration
    /// How long each status held, and the last path that had it.
    var held: [(status: PathStatus, time: Duration, path: Path)]
    var current: PathStatus
    var currentSince: Duration

    mutating func note(_ path: Path, at now: Duration) {
      close(at: now)
      lastChange = now
      current = path.status
      if let index = held.firstIndex(where: { $0.status == path.status }) {
        held[index].path = path
      } else {
        held.append((path.status, .zero, path))
      }
    }

    /// The path whose status held longest up to now; the present one among equals.
    mutating func longest(at now: Duration) -> Path? {
      close(at: now)
      var best = held.first { $0.status == current }
      for entry in held where entry.time > best?.time ?? .zero { best = entry }
      return best?.path
    }

    private mutating func close(at now: Duration) {
      if let index = held.firstIndex(where: { $0.status == current }) {
        held[index].time += now - currentSince
      }
      currentSince = now
    }
  }

  init(declaration: MonitorDeclaration, filter: Int) {
    self.declaration = declaration
    self.filter = filter
  }

  /// Whether something is known that the policy was not told yet.
  var hasUnreportedChange: Bool { candidate != nil }

  /// When unrest that began now with this settle must be reported.
  func unrestLimit(settle: Duration) -> Duration {
    declaration.settleMax ?? max(EngineLimits.settleMaxFloor, settle * 4)
  }

  /// Keeps account of unrest for a path seen now; true when a new unrest began.
  mutating func noteUnrest(_ path: Path, settle: Duration, at now: Duration) -> Bool {
    if var running = unrest, now - running.lastChange < running.window {
      running.window = max(running.window, settle)
      running.note(path, at: now)
      unrest = running
      return false
    }
    unrest = nil
    guard settle > .zero, let delivered else { return false }
    var begun = Unrest(
      deadline: now + unrestLimit(settle: settle), window: settle, lastChange: now,
      held: [(delivered.path.status, .zero, delivered.path)], current: delivered.path.status,
      currentSince: now)
    begun.note(path, at: now)
    unrest = begun
    return true
  }
}
