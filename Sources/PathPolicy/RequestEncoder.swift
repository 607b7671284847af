import PathCore

/// Writes a handler's request as the map that the prelude's `call` reads. What few policies look at
/// is written lazily: the sandbox decodes it when it is first asked for. The prelude keeps the last
/// event of each monitor, so what it has seen is not sent again.
struct RequestEncoder {
  private var writer = PlainWriter()
  /// The last event of each monitor that the Lua state has seen.
  private var known: [String: Seen] = [:]

  /// Which event it was, and with which path: the network's identity may become known later, and
  /// that is no event of its own.
  private struct Seen {
    var sequence: Int64
    var path: Boxed<Path>

    init(_ event: PathEvent) {
      sequence = event.sequence
      path = event.$path
    }
  }

  private func knows(_ event: PathEvent) -> Bool {
    guard let seen = known[event.monitor] else { return false }
    return seen.sequence == event.sequence && seen.path.isSame(as: event.$path)
  }

  /// The Lua state was made anew and has seen nothing.
  mutating func forget() { known = [:] }

  /// The request as one encoded value; `state` only when the policy's Lua state does not have it.
  mutating func encode(_ request: HandlerRequest, state: PlainData?) -> [UInt8] {
    writer.clear()
    let map = writer.beginMap()
    var count = 5
    writer.field("op", "call")
    writer.field("handler", request.event.handler.rawValue)
    writer.field("seed", Int64(bitPattern: request.seed))
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
    count += events(request)
    writer.text("time")
    writer.lazy { Self.time(request.now.wall, &$0) }
    writer.endMap(map, count: count)
    return writer.bytes
  }

  /// The event, and those before it that the Lua state has not seen; how many keys beyond `ev`.
  private mutating func events(_ request: HandlerRequest) -> Int {
    var told: PathEvent?
    var proposed: PathEvent?
    switch request.event {
    case .path(let event): told = event
    case .settle(let event): proposed = event
    case .start, .timer, .button, .dismissed, .system: break
    }
    var more = 0
    let unseen = request.delivered.filter { $0.monitor != told?.monitor && !knows($0) }
    if !unseen.isEmpty {
      writer.text("paths")
      let list = writer.beginMap()
      for event in unseen {
        writer.text(event.monitor)
        PathEventEncoder.write(event, &writer)
        known[event.monitor] = Seen(event)
      }
      writer.endMap(list, count: unseen.count)
      more += 1
    }
    if let told, case .event(let previous) = told.previous, !knows(previous) {
      writer.text("before")
      PathEventEncoder.write(previous, &writer)
      more += 1
    }
    writer.text("ev")
    if let event = told ?? proposed {
      PathEventEncoder.write(event, &writer)
    } else {
      small(request.event)
    }
    if let told { known[told.monitor] = Seen(told) }
    return more
  }

  /// Numbers and the zone; the prelude makes `ctx.time` of them when a policy asks for it.
  private static func time(_ wall: WallTime, _ writer: inout PlainWriter) {
    let civil = wall.civil
    writer.array(7)
    for number in [civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.weekday] {
      writer.integer(Int64(number))
    }
    writer.text(wall.zone)
  }

  private mutating func small(_ event: HandlerEvent) {
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
