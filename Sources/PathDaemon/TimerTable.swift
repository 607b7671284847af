package import PathCore

/// The wake-ups that the engine asked for, in the order in which they come due on each clock.
package struct TimerTable {
  private var deadlines: [TimerID: Deadline] = [:]
  private var awake: [Entry] = []
  private var boot: [Entry] = []

  private struct Entry: Comparable {
    var at: Duration
    var id: TimerID

    static func < (left: Entry, right: Entry) -> Bool {
      (left.at, left.id) < (right.at, right.id)
    }
  }

  package init() {}

  package mutating func set(_ id: TimerID, _ deadline: Deadline) {
    clear(id)
    deadlines[id] = deadline
    let entry = Entry(at: deadline.at, id: id)
    if deadline.clock == .awake { Self.insert(entry, &awake) } else { Self.insert(entry, &boot) }
  }

  package mutating func clear(_ id: TimerID) {
    guard let deadline = deadlines.removeValue(forKey: id) else { return }
    let entry = Entry(at: deadline.at, id: id)
    if deadline.clock == .awake { Self.remove(entry, &awake) } else { Self.remove(entry, &boot) }
  }

  /// When the next one of this clock is due.
  package func next(_ clock: Deadline.Clock) -> Duration? {
    (clock == .awake ? awake : boot).first?.at
  }

  /// Takes this one out if it is due.
  mutating func take(_ id: TimerID, at now: Moment) -> Bool {
    guard let deadline = deadlines[id],
      deadline.at <= (deadline.clock == .awake ? now.awake : now.boot)
    else { return false }
    clear(id)
    return true
  }

  /// Takes out the earliest that is due, if any is.
  package mutating func takeDue(at now: Moment) -> TimerID? {
    if let id = awake.first.flatMap({ $0.at <= now.awake ? $0.id : nil })
      ?? boot.first.flatMap({ $0.at <= now.boot ? $0.id : nil })
    {
      clear(id)
      return id
    }
    return nil
  }

  private static func insert(_ entry: Entry, _ entries: inout [Entry]) {
    entries.insert(entry, at: place(of: entry, entries))
  }

  private static func remove(_ entry: Entry, _ entries: inout [Entry]) {
    let index = place(of: entry, entries)
    if index < entries.count, entries[index] == entry { entries.remove(at: index) }
  }

  private static func place(of entry: Entry, _ entries: [Entry]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < entry { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
