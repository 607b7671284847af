import PathCore

/// What `ev` of `on_path` and `settle` has of its own; the rest is its path's. Fields that are nil
/// in Lua are left out.
enum PathEventEncoder {
  /// Writes what is the event's own; how many fields. What is read most comes first, and the
  /// path's status with it: a field is looked for from the beginning.
  static func writeOwn(
    _ event: PathEvent, _ causes: inout CauseBytes, _ times: TimeText, _ writer: inout PlainWriter
  ) -> Int {
    var count = 9
    writer.field("status", event.sharedPath.read { $0.status.rawValue })
    causes.write(event.causes, &writer)
    form.write(event, &writer)
    writer.field("monitor", event.monitor)
    writer.text("time")
    writer.raw(times.bytes(of: event.time))
    if let since = event.since {
      writer.text("since")
      writer.text(since)
      count += 1
    }
    return count
  }

  private static let form = Form()

  /// The fields that have the same length in each event: written once, and the values put in.
  private struct Form {
    private let bytes: [UInt8]
    // Where each value ends.
    private let initial, lastMinute, lastTenMinutes, lastHour, selfInflicted, sequence: Int

    init() {
      var writer = PlainWriter()
      writer.field("initial", false)
      initial = writer.count
      writer.text("flaps")
      let sized = writer.beginSized()
      writer.map(3)
      writer.field("last_1m", 0)
      lastMinute = writer.count
      writer.field("last_10m", 0)
      lastTenMinutes = writer.count
      writer.field("last_1h", 0)
      lastHour = writer.count
      writer.endSized(sized)
      writer.field("self_inflicted", false)
      selfInflicted = writer.count
      writer.field("sequence", 0)
      sequence = writer.count
      bytes = writer.bytes
    }

    func write(_ event: PathEvent, _ writer: inout PlainWriter) {
      let start = writer.count
      writer.raw(bytes)
      writer.replace(event.isInitial, before: start + initial)
      let flaps = event.flaps
      writer.replace(Int64(flaps.lastMinute), before: start + lastMinute)
      writer.replace(Int64(flaps.lastTenMinutes), before: start + lastTenMinutes)
      writer.replace(Int64(flaps.lastHour), before: start + lastHour)
      writer.replace(event.isSelfInflicted, before: start + selfInflicted)
      writer.replace(event.sequence, before: start + sequence)
    }
  }
}

/// A moment's text, written out once for all policies that are told of it.
final class TimeText {
  private var time = WallTime(unixNanoseconds: .min)
  private var bytes: [UInt8] = []

  func bytes(of other: WallTime) -> [UInt8] {
    if bytes.isEmpty || other != time {
      var writer = PlainWriter()
      writer.text(other)
      time = other
      bytes = writer.bytes
    }
    return bytes
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
