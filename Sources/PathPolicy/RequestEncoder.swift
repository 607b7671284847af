import PathCore

/// Writes a handler's request as the arguments of the prelude's `call`. The event is a record: the
/// sandbox reads a field of it when that is asked for. What the Lua state has seen before – the
/// last event of each monitor, the alerts, the timers – is not sent again.
struct RequestEncoder: ~Copyable {
  private(set) var writer = PlainWriter()
  private let paths: PathBytes
  /// The last event of each monitor that the Lua state has seen.
  private var known: [Seen] = []
  /// What the Lua state takes for up and running; nil when it may be wrong.
  private var alerts: [String]?
  private var timers: [String]?
  private var pending: [String]?
  private var causes = CauseBytes()
  /// The clock on the wall as the Lua state has it, which serves for the whole minute.
  private var time = WallTime(unixNanoseconds: .min)

  init(paths: PathBytes) { self.paths = paths }

  /// Which event it was, and with which path: the network's identity may become known later, and
  /// that is no event of its own.
  private struct Seen {
    var monitor: String
    var sequence: Int64
    var path: Boxed<Path>
  }

  /// The Lua state was made anew and has seen nothing.
  mutating func forget() {
    known = []
    alerts = nil
    timers = nil
    pending = nil
    time = WallTime(unixNanoseconds: .min)
  }

  /// A handler's decisions changed what its Lua state takes for up and running.
  mutating func note(_ outcome: HandlerOutcome) {
    for intent in outcome.intents {
      switch intent {
      case .raise, .resolve: alerts = nil
      case .startTimer, .cancelTimer: timers = nil
      case .publish, .log, .act, .cancelAction: break
      }
    }
  }

  /// Writes the request; `state` only when the policy's Lua state does not have it.
  mutating func encode(_ request: HandlerRequest, state: PlainData?) {
    writer.clear()
    writer.array(10)
    writer.integer(Int64(bitPattern: request.seed))
    writer.text(request.event.handler.rawValue)
    var told: PathEvent?
    switch request.event {
    case .path(let event), .settle(let event):
      told = event
      write(event)
      writer.text(event.monitor)
    case .start, .timer, .button, .dismissed, .result, .system:
      small(request.event)
      writer.null()
    }
    write(request.now.wall)
    Self.write(request.activeAlerts, unlessIn: &alerts, &writer)
    Self.write(request.activeTimers, unlessIn: &timers, &writer)
    if let state { writer.raw(state) } else { writer.null() }
    writeUnseen(request.delivered, beside: told)
    Self.write(request.pending, unlessIn: &pending, &writer)
    if case .path(let event) = request.event { keep(event) }
  }

  private static func write(
    _ words: [String], unlessIn known: inout [String]?, _ writer: inout PlainWriter
  ) {
    if words == known { return writer.null() }
    writer.list(words)
    known = words
  }

  /// Whether this very event is known. By index: an element handed to a closure would be copied,
  /// with all it refers to.
  private func seen(_ event: PathEvent) -> Bool {
    for index in known.indices
    where known[index].sequence == event.sequence && known[index].monitor == event.monitor {
      return known[index].path.isSame(as: event.sharedPath)
    }
    return false
  }

  // MARK: Events

  /// A record of what is the event's own, then its predecessor, then what is its path's. The
  /// predecessor is one that the Lua state has, or gets along with it.
  private mutating func write(_ event: PathEvent, withPrevious: Bool = true) {
    let record = writer.beginRecord()
    let map = writer.beginMap()
    writer.field("", "path" as StaticString)
    var count = 2 + PathEventEncoder.writeOwn(event, &causes, paths.times, &writer)
    if withPrevious, event.hasPrevious {
      writer.text("previous")
      writer.link()
      count += 1
    }
    writer.text("")
    let rest = writer.beginSized()
    writer.raw(paths.bytes(of: event.sharedPath))
    writer.endSized(rest)
    writer.endMap(map, count: count)
    writer.endSized(record)
  }

  private mutating func keep(_ event: PathEvent) {
    let seen = Seen(monitor: event.monitor, sequence: event.sequence, path: event.sharedPath)
    for index in known.indices where known[index].monitor == event.monitor {
      known[index] = seen
      return
    }
    known.append(seen)
  }

  /// The event before this one and the last ones of other monitors, as far as the Lua state has not
  /// seen them.
  private mutating func writeUnseen(_ delivered: [PathEvent], beside event: PathEvent?) {
    var unseen: [PathEvent] = []
    if let previous = event?.previous, !seen(previous) { unseen.append(previous) }
    for index in delivered.indices
    where delivered[index].monitor != event?.monitor && !seen(delivered[index]) {
      unseen.append(delivered[index])
    }
    if unseen.isEmpty { return writer.null() }
    writer.array(unseen.count)
    for event in unseen {
      write(event, withPrevious: false)
      keep(event)
    }
  }

  // MARK: The rest

  /// `ctx.time`, unless the Lua state has this minute's already.
  private mutating func write(_ wall: WallTime) {
    let minute: Int64 = 60_000_000_000
    let isSame =
      time.offsetSeconds == wall.offsetSeconds && time.zone == wall.zone
      && time.unixNanoseconds / minute == wall.unixNanoseconds / minute
      && (time.unixNanoseconds < 0) == (wall.unixNanoseconds < 0)
    if isSame { return writer.null() }
    time = wall
    let civil = wall.civil
    let record = writer.beginRecord()
    writer.map(6)
    writer.field("", "time" as StaticString)
    writer.field("hour", civil.hour)
    writer.field("minute", civil.minute)
    writer.field("weekday", civil.weekday)
    writer.field("date", civil.date)
    writer.field("zone", wall.zone)
    writer.endSized(record)
  }

  /// `ev` of `on_result`.
  private mutating func write(_ outcome: ActionOutcome) {
    let map = writer.beginMap()
    var count = 8
    writer.field("", "result" as StaticString)
    writer.field("key", outcome.key)
    writer.field("kind", outcome.kind.rawValue)
    writer.field("ok", outcome.result.isOK)
    writer.field("refused", outcome.result.ending == .refused)
    writer.field("dropped", outcome.result.wasDropped)
    writer.field("attempt", outcome.attempt)
    writer.text("output")
    writer.text(outcome.result.output)
    if !outcome.result.error.isEmpty {
      writer.field("error", outcome.result.error)
      count += 1
    }
    if let code = outcome.result.exitCode {
      writer.field("exit", Int(code))
      count += 1
    }
    if let signal = outcome.result.signal {
      writer.field("signal", Int(signal))
      count += 1
    }
    if let status = outcome.result.statusCode {
      writer.field("status_code", status)
      count += 1
    }
    writer.endMap(map, count: count)
  }

  private mutating func small(_ event: HandlerEvent) {
    let record = writer.beginRecord()
    switch event {
    case .settle, .path: writer.map(0)
    case .start(let reason):
      writer.map(2)
      writer.field("", "start" as StaticString)
      writer.field("reason", reason.rawValue)
    case .timer(let name, let late):
      writer.map(3)
      writer.field("", "timer" as StaticString)
      writer.field("name", name)
      writer.text("late")
      writer.text(late)
    case .button(let key, let button):
      writer.map(3)
      writer.field("", "button" as StaticString)
      writer.field("key", key)
      writer.field("button", button)
    case .dismissed(let key):
      writer.map(2)
      writer.field("", "dismissed" as StaticString)
      writer.field("key", key)
    case .result(let outcome): write(outcome)
    case .system(let what):
      writer.map(2)
      writer.field("", "system" as StaticString)
      writer.field("what", what.rawValue)
    }
    writer.endSized(record)
  }
}
