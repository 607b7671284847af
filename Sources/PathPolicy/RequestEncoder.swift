import PathCore

/// Writes a handler's request as the map that the prelude's `call` reads. What few policies look at
/// is written lazily: the sandbox decodes it when it is first asked for.
struct RequestEncoder {
  private var writer = PlainWriter()
  /// The last event of each monitor as it was written: the next one's predecessor.
  private var written: [String: (sequence: Int64, event: PlainData)] = [:]

  /// The request as one encoded value; `state` only when the policy's Lua state does not have it.
  mutating func encode(_ request: HandlerRequest, state: PlainData?) -> [UInt8] {
    writer.clear()
    let map = writer.beginMap()
    var count = 6
    writer.field("op", "call")
    writer.field("handler", request.event.handler.rawValue)
    writer.field("seed", Int64(bitPattern: request.seed))
    writer.text("ev")
    event(request.event)
    writer.text("time")
    writer.lazy { Self.time(request.now.wall, &$0) }
    writer.text("paths")
    let paths = writer.beginLazy()
    let list = writer.beginMap()
    for event in request.delivered {
      writer.text(event.monitor)
      let place = writer.beginLazy()
      writer.raw(encoded(event, keeps: true))
      writer.endLazy(place)
    }
    writer.endMap(list, count: request.delivered.count)
    writer.endLazy(paths)
    if !request.activeAlerts.isEmpty {
      writer.text("alerts")
      writer.set(request.activeAlerts)
      count += 1
    }
    if !request.activeTimers.isEmpty {
      writer.text("timers")
      writer.set(request.activeTimers)
      count += 1
    }
    if let state {
      writer.text("state")
      writer.raw(state)
      count += 1
    }
    writer.endMap(map, count: count)
    return writer.bytes
  }

  /// An event as an encoded map, remembered when it was delivered.
  private mutating func encoded(_ event: PathEvent, keeps: Bool) -> PlainData {
    if let known = written[event.monitor], known.sequence == event.sequence { return known.event }
    let data = PathEventEncoder.encode(event)
    if keeps { written[event.monitor] = (event.sequence, data) }
    return data
  }

  private static func time(_ wall: WallTime, _ writer: inout PlainWriter) {
    let civil = wall.civil
    let map = writer.beginMap()
    writer.field("date", civil.date)
    writer.field("hour", civil.hour)
    writer.field("minute", civil.minute)
    writer.field("weekday", civil.weekday)
    writer.field("zone", wall.zone)
    writer.endMap(map, count: 5)
  }

  private mutating func event(_ event: HandlerEvent) {
    switch event {
    case .settle(let event): path(event, isDelivered: false)
    case .path(let event): path(event, isDelivered: true)
    case .start(let reason):
      let map = writer.beginMap()
      writer.field("reason", reason.rawValue)
      writer.endMap(map, count: 1)
    case .timer(let name, let late):
      let map = writer.beginMap()
      writer.field("name", name)
      writer.field("late", late.shortText)
      writer.endMap(map, count: 2)
    case .button(let key, let button):
      let map = writer.beginMap()
      writer.field("key", key)
      writer.field("button", button)
      writer.endMap(map, count: 2)
    case .dismissed(let key):
      let map = writer.beginMap()
      writer.field("key", key)
      writer.endMap(map, count: 1)
    case .system(let what):
      let map = writer.beginMap()
      writer.field("what", what.rawValue)
      writer.endMap(map, count: 1)
    }
  }

  private mutating func path(_ event: PathEvent, isDelivered: Bool) {
    let map = writer.beginMap()
    var before: PlainData?
    if case .event(let previous) = event.previous { before = encoded(previous, keeps: true) }
    // What is only proposed may have the number of what is delivered later, but not its text.
    var count = writer.pairs(
      of: isDelivered ? encoded(event, keeps: true) : PathEventEncoder.encode(event))
    if let before {
      writer.text("previous")
      let place = writer.beginLazy()
      writer.raw(before)
      writer.endLazy(place)
      count += 1
    }
    writer.endMap(map, count: count)
  }
}
