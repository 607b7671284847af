import PathCore

/// Hears what a program that is killed again and again says, and compares it with what it stored:
/// who listens must never hear of an alert twice, nor miss one.
struct Witness: CustomStringConvertible {
  private(set) var complaints: [String] = []
  /// How often the counting policy was called, as stored.
  private(set) var count = 0
  private(set) var told = 0
  private(set) var restored = 0
  /// Lives that ended between keeping something and telling it.
  private var untold = 0
  private var lives = 0
  private var memories: [String: PolicyMemory] = [:]

  var description: String {
    "\(lives) lives, \(count) calls of the counter, \(told) alert events, \(restored) restored, "
      + "\(untold) kept and not told when killed"
  }

  private struct Key: Hashable {
    var policy: String
    var key: String
  }

  /// Takes one life: its lines, and what was stored at its end.
  mutating func hear(_ lines: [String], then stored: [String: PolicyMemory]) {
    lives += 1
    var up: [Key: String] = [:]
    var spoken: Set<String> = []
    /// Told as expired at the start: their time was over while nobody ran.
    var over: Set<Key> = []
    var counted = count
    // A line that the kill cut off is no line yet.
    for report in lines.compactMap({ Report($0) }) {
      switch report.kind {
      case "alert":
        let key = Key(policy: report.text("policy"), key: report.text("key"))
        if report.text("cause") == "restored" {
          if !spoken.contains(key.policy) { expectKnown(report, key) }
          restored += 1
          up[key] = report.text("body")
        } else if report.text("state") == "expired", up[key] == nil, !spoken.contains(key.policy) {
          expectKnown(report, key)
          told += 1
          over.insert(key)
        } else {
          spoken.insert(key.policy)
          told += 1
          follow(report, key, &up)
          if key.policy == "counter" { follow(report, &counted) }
        }
      case "ready": expectAllRestored(over.union(up.keys))
      case "fault": complaints.append("a fault: \(report.values)")
      case "gap": complaints.append("a gap: \(report.values)")
      default: break
      }
    }
    compare(counted, with: stored)
    memories = stored
  }

  /// What is told as restored is exactly what was stored.
  private mutating func expectKnown(_ report: Report, _ key: Key) {
    let alert = memories[key.policy]?.alerts[key.key]
    if alert?.content.title != report.text("title") || alert?.content.body != report.text("body") {
      complaints.append("restored what was not stored: \(report.values)")
    }
  }

  private mutating func expectAllRestored(_ told: Set<Key>) {
    for (policy, memory) in memories {
      for key in memory.alerts.keys where !told.contains(Key(policy: policy, key: key)) {
        complaints.append("\(policy)'s '\(key)' was stored and not restored")
      }
    }
  }

  private mutating func follow(_ report: Report, _ key: Key, _ up: inout [Key: String]) {
    switch (report.text("state"), up[key]) {
    case ("raised", nil), ("updated", _?): up[key] = report.text("body")
    case ("resolved", _?), ("expired", _?): up[key] = nil
    case (let state, let body): complaints.append("\(key) \(state) while \(body ?? "down")")
    }
  }

  /// Each call of the counter raises its alert or ends it: none is left out.
  private mutating func follow(_ report: Report, _ counted: inout Int) {
    counted += 1
    let isUp = report.text("state") == "raised"
    let body = Int(report.text("body")) ?? 0
    if isUp != (counted % 2 == 1) || body != (isUp ? counted : counted - 1) {
      complaints.append("call \(counted) of the counter is told as \(report.values)")
    }
  }

  /// The state is that of the last handler that was kept: the last that was told of, or one more.
  private mutating func compare(_ counted: Int, with stored: [String: PolicyMemory]) {
    guard let memory = stored["counter"] else {
      if counted > 0 { complaints.append("the counter is not stored") }
      return
    }
    let value = memory.state.flatMap { PlainReader.decode($0) }?["n"].integer ?? 0
    if value == counted + 1 {
      untold += 1
    } else if value != counted {
      complaints.append("the counter told of \(counted) and stored \(value)")
    }
    count = Int(value)
    let body = memory.alerts["odd"]?.content.body
    if body != (count % 2 == 1 ? String(count) : nil) {
      complaints.append("the counter is at \(count), and its alert says \(body ?? "nothing")")
    }
    if count > 0, memory.timers["timer \(count % 3)"] == nil {
      complaints.append("the counter is at \(count), and its timer does not run")
    }
  }
}
