import PathCore

/// What `ev` of `on_path` and `settle` has of its own; the rest is its path's. Fields that are nil
/// in Lua are left out.
enum PathEventEncoder {
  /// Writes what is the event's own; how many fields. What is read most comes first, and the
  /// path's status with it: a field is looked for from the beginning.
  static func writeOwn(
    _ event: PathEvent, _ causes: inout CauseBytes, _ writer: inout PlainWriter
  ) -> Int {
    var count = 9
    writer.field("status", event.sharedPath.read { $0.status.rawValue })
    writer.field("initial", event.isInitial)
    causes.write(event.causes, &writer)
    writer.text("flaps")
    writer.sized { flaps(event.flaps, &$0) }
    writer.field("self_inflicted", event.isSelfInflicted)
    writer.field("monitor", event.monitor)
    writer.field("sequence", event.sequence)
    writer.text("time")
    writer.text(event.time)
    if let since = event.since {
      writer.text("since")
      writer.text(since)
      count += 1
    }
    return count
  }

  private static func flaps(_ counts: FlapCounts, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    writer.field("last_1m", counts.lastMinute)
    writer.field("last_10m", counts.lastTenMinutes)
    writer.field("last_1h", counts.lastHour)
    writer.endMap(map, count: 3)
  }
}

/// `changed` and `causes`, written out: few sets of causes there are, and they come again.
struct CauseBytes {
  private var kept: [(causes: ChangeCauses, bytes: [UInt8])] = []

  mutating func write(_ causes: ChangeCauses, _ writer: inout PlainWriter) {
    for index in kept.indices where kept[index].causes == causes {
      return writer.raw(kept[index].bytes)
    }
    var fresh = PlainWriter()
    fresh.text("changed")
    fresh.sized { Self.changed(causes, &$0) }
    fresh.text("causes")
    fresh.sized { Self.words(causes, &$0) }
    if kept.count == 16 { kept = [] }
    kept.append((causes, fresh.bytes))
    writer.raw(fresh.bytes)
  }

  /// The causes that are differences; `resumed` and `resync` are circumstances.
  private static func changed(_ causes: ChangeCauses, _ writer: inout PlainWriter) {
    let map = writer.beginMap()
    var count = 0
    for entry in ChangeCauses.table where causes.contains(entry.cause) {
      if entry.cause == .resumed || entry.cause == .resync { continue }
      writer.text(entry.word)
      writer.bool(true)
      count += 1
    }
    writer.endMap(map, count: count)
  }

  private static func words(_ causes: ChangeCauses, _ writer: inout PlainWriter) {
    writer.array(causes.rawValue.nonzeroBitCount)
    for entry in ChangeCauses.table where causes.contains(entry.cause) { writer.text(entry.word) }
  }
}

extension PlainWriter {
  mutating func field(_ key: StaticString, _ value: String) {
    text(key)
    text(value)
  }

  mutating func field(_ key: StaticString, _ value: StaticString) {
    text(key)
    text(value)
  }

  mutating func field(_ key: StaticString, _ value: Bool) {
    text(key)
    bool(value)
  }

  mutating func field(_ key: StaticString, _ value: Int) {
    text(key)
    integer(Int64(value))
  }

  @_disfavoredOverload
  mutating func field(_ key: StaticString, _ value: Int64) {
    text(key)
    integer(value)
  }

  @_disfavoredOverload
  mutating func field(_ key: String, _ value: Bool) {
    text(key)
    bool(value)
  }

  mutating func list(_ words: [String]) {
    array(words.count)
    for word in words { text(word) }
  }

  /// One value that can be passed over.
  mutating func sized(_ body: (inout PlainWriter) -> Void) {
    let place = beginSized()
    body(&self)
    endSized(place)
  }
}
