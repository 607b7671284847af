/// What is under way with one key of a policy: one action at work or waiting for its next try, and
/// one behind it.
struct ActionSlot {
  var request: ActionRequest
  /// The start that runs; nil while the next try waits.
  var serial: UInt64?
  /// Its place in the line of those that may begin when another ends.
  var turn: Turn?
  /// Tries so far.
  var attempt = 0
  /// When the next try comes, by the boot clock; nil while one runs or while trying makes no sense.
  var due: Duration?
  /// When the last try began.
  var lastTry: Duration?
  /// The first try comes no sooner, however often the path comes and goes before it.
  var firstDue: Duration?
  /// How long trying has made sense so far, and since when it does, by the awake clock.
  var spent: Duration = .zero
  var openSince: Duration?
  /// Takes the place of the one before it when that ends.
  var pending: ActionRequest?

  init(_ request: ActionRequest) { self.request = request }

  struct Turn {
    var number: UInt64
    /// By the awake clock.
    var since: Duration
    var isTold = false

    init(number: UInt64, since: Duration) {
      self.number = number
      self.since = since
    }
  }

  /// The time in the line is not spent on trying.
  func spent(at now: Duration) -> Duration {
    openSince.map { spent + ((turn?.since ?? now) - $0) } ?? spent
  }

  /// It leaves the line; its clock runs on.
  mutating func endTurn(at now: Duration) {
    spent = spent(at: now)
    if openSince != nil { openSince = now }
    turn = nil
  }
}

/// What `on_result` is told.
package struct ActionOutcome: Hashable, Sendable {
  package var key: String
  package var kind: Action.Kind
  package var result: ActionResult
  /// Which try it was; 0 when there was none.
  package var attempt: Int

  package init(key: String, kind: Action.Kind, result: ActionResult, attempt: Int) {
    self.key = key
    self.kind = kind
    self.result = result
    self.attempt = attempt
  }
}

/// Starts of one action, as far back as its limit looks.
struct RunLog: Hashable {
  /// By the boot clock, oldest first.
  private(set) var times: [Duration] = []

  init(times: [Duration] = []) { self.times = times }

  /// When one more is allowed; nil: now.
  mutating func nextFree(_ limit: RateLimit, at now: Duration) -> Duration? {
    // The clock of another boot may have been read wrongly: nothing began in the future.
    times = times.map { min($0, now) }.filter { $0 + limit.per > now }
    return times.count < limit.count ? nil : times[times.count - limit.count] + limit.per
  }

  /// The clock may not have run backwards, so the newest is the last.
  var last: Duration { times.last ?? .zero }

  mutating func note(at now: Duration) {
    times.append(now)
    if times.count > 1000 { times.removeFirst() }
  }

  /// What was noted last was no start after all.
  mutating func takeBack() { _ = times.popLast() }
}
