/// What is under way with one key of a policy: one action at work or waiting for its next try, and
/// one behind it.
struct ActionSlot {
  var request: ActionRequest
  /// The start that runs; nil while the next try waits.
  var serial: UInt64?
  /// Tries so far.
  var attempt = 0
  /// When the next try comes, by the boot clock; nil while one runs or while trying makes no sense.
  var due: Duration?
  /// When the last try began.
  var lastTry: Duration?
  /// How long trying has made sense so far, and since when it does.
  var spent: Duration = .zero
  var openSince: Duration?
  /// Takes the place of the one before it when that ends.
  var pending: ActionRequest?

  init(_ request: ActionRequest) { self.request = request }

  func spent(at now: Duration) -> Duration {
    openSince.map { spent + (now - $0) } ?? spent
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
    times.removeAll { $0 + limit.per <= now }
    // The clock of another boot may have been read wrongly: nothing began in the future.
    return times.count < limit.count ? nil : times[times.count - limit.count] + limit.per
  }

  mutating func note(at now: Duration) {
    times.append(now)
    if times.count > 1000 { times.removeFirst() }
  }
}
