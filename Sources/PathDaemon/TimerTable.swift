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
      left.at == right.at ? left.id < right.id : left.at < right.at
    }
  }

  package init() {}

  package mutating func set(_ id: TimerID, _ deadline: Deadline) {
    if let old = deadlines.updateValue(deadline, forKey: id) { drop(id, old) }
    let entry = Entry(at: deadline.at, id: id)
    if deadline.clock == .awake { Self.insert(entry, &awake) } else { Self.insert(entry, &boot) }
  }

  package mutating func clear(_ id: TimerID) {
    if let deadline = deadlines.removeValue(forKey: id) { drop(id, deadline) }
  }

  private mutating func drop(_ id: TimerID, _ deadline: Deadline) {
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
    let id: TimerID
    if let first = awake.first, first.at <= now.awake {
      id = awake.removeFirst().id
    } else if let first = boot.first, first.at <= now.boot {
      id = boot.removeFirst().id
    } else {
      return nil
    }
    deadlines[id] = nil
    return id
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
