import PathCore

/// `ev` of `on_path` and `settle`: a record of what is the event's own, then its predecessor, then
/// what is the path's. Fields that are nil in Lua are left out.
enum PathEventEncoder {
  /// An event's own fields, written out; they serve again when it is the predecessor of another.
  struct OwnFields {
    var bytes: [UInt8]
    var count: Int

    static let none = OwnFields(bytes: [], count: 0)
  }

  /// The whole event; `previous` is the event before it.
  static func write(
    _ own: OwnFields, _ path: [UInt8], previous: (own: OwnFields, path: [UInt8])?,
    _ writer: inout PlainWriter
  ) {
    let record = writer.beginRecord()
    writer.map(own.count + (previous == nil ? 2 : 3))
    writer.field("", "path" as StaticString)
    writer.raw(own.bytes)
    if let previous {
      writer.text("previous")
      write(previous.own, previous.path, previous: nil, &writer)
    }
    writer.text("")
    let rest = writer.beginSized()
    writer.raw(path)
    writer.endSized(rest)
    writer.endSized(record)
  }

  /// Writes what is the event's own; how many fields.
  static func writeOwn(
    _ event: PathEvent, _ causes: inout CauseBytes, _ writer: inout PlainWriter
  ) -> Int {
    var count = 8
    writer.field("monitor", event.monitor)
    writer.field("initial", event.isInitial)
    writer.field("sequence", event.sequence)
    writer.field("self_inflicted", event.isSelfInflicted)
    writer.text("time")
    writer.text(event.time)
    causes.write(event.causes, &writer)
    writer.text("flaps")
    writer.sized { flaps(event.flaps, &$0) }
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
