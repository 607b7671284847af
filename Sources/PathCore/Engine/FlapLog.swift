/// When the status of one filter's path changed, newest last; a ring that forgets the oldest.
struct FlapLog {
  private var times: [Duration] = []
  private var start = 0
  /// The last answer: one change is counted for several policies at the same moment.
  private var counted: (at: Duration, counts: FlapCounts)?

  mutating func add(_ time: Duration) {
    counted = nil
    if times.count < EngineLimits.flapsRemembered {
      times.append(time)
    } else {
      times[start] = time
      start = (start + 1) % times.count
    }
  }

  mutating func counts(at now: Duration) -> FlapCounts {
    if let counted, counted.at == now { return counted.counts }
    let counts = FlapCounts(
      lastMinute: count(since: now - .seconds(60)),
      lastTenMinutes: count(since: now - .seconds(600)),
      lastHour: count(since: now - .seconds(3600)))
    counted = (now, counts)
    return counts
  }

  /// Times ascend from `start` on, so the first one that is new enough is found by halving.
  private func count(since: Duration) -> Int {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[(start + middle) % times.count] > since { high = middle } else { low = middle + 1 }
    }
    return times.count - low
  }
}
