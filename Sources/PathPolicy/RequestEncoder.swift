import PathCore

/// Writes a handler's request as the map that the prelude's `call` reads. What few policies look at
/// is written lazily: the sandbox decodes it when it is first asked for.
struct RequestEncoder {
  /// The request as one encoded value; `state` only when the policy's Lua state does not have it.
  func encode(_ request: HandlerRequest, state: PlainData?) -> [UInt8] {
    var writer = PlainWriter()
    writer.reserve(2048)
    let map = writer.beginMap()
    var count = 8
    writer.text("op")
    writer.text("call")
    writer.text("handler")
    writer.text(request.event.handler.rawValue)
    writer.text("seed")
    writer.integer(Int64(bitPattern: request.seed))
    writer.text("alerts")
    writer.lazy { $0.set(request.activeAlerts) }
    writer.text("timers")
    writer.lazy { $0.set(request.activeTimers) }
    writer.text("time")
    writer.lazy { time(request.now.wall, &$0) }
    writer.text("paths")
    writer.lazy { writer in
      let map = writer.beginMap()
      for event in request.delivered {
        writer.text(event.monitor)
        writer.lazy { Self.pathEvent(event, &$0) }
      }
      writer.endMap(map, count: request.delivered.count)
    }
    writer.text("ev")
    event(request.event, &writer)
    if let state {
      writer.text("state")
      writer.raw(state)
      count += 1
    }
    writer.endMap(map, count: count)
    return writer.bytes
  }

  private func time(_ wall: WallTime, _ writer: inout PlainWriter) {
    let civil = wall.civil
    let map = writer.beginMap()
    writer.field("date", civil.date)
    writer.field("hour", civil.hour)
    writer.field("minute", civil.minute)
    writer.field("weekday", civil.weekday)
    writer.field("zone", wall.zone)
    writer.endMap(map, count: 5)
  }

  private func event(_ event: HandlerEvent, _ writer: inout PlainWriter) {
    if case .path(let event) = event { return Self.pathEvent(event, &writer) }
    if case .settle(let event) = event { return Self.pathEvent(event, &writer) }
    let map = writer.beginMap()
    var count = 1
    switch event {
    case .settle, .path: count = 0
    case .start(let reason): writer.field("reason", reason.rawValue)
    case .timer(let name, let late):
      writer.field("name", name)
      writer.field("late", late.shortText)
      count = 2
    case .button(let key, let button):
      writer.field("key", key)
      writer.field("button", button)
      count = 2
    case .dismissed(let key): writer.field("key", key)
    case .system(let what): writer.field("what", what.rawValue)
    }
    writer.endMap(map, count: count)
  }
}
