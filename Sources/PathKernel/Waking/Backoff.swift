/// How long to wait before what failed is tried again: each time longer.
struct Backoff {
  let least: Duration
  let most: Duration
  let factor: Int
  private var last: Duration?

  init(from least: Duration, by factor: Int, to most: Duration) {
    self.least = least
    self.most = most
    self.factor = factor
  }

  /// Nothing has failed since it last went well.
  var isFresh: Bool { last == nil }

  mutating func next() -> Duration {
    let wait = last.map { min($0 * factor, most) } ?? least
    last = wait
    return wait
  }

  mutating func reset() { last = nil }
}
