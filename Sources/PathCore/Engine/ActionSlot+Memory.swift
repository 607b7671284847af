/// What of actions outlives the process: retries that are under way, and what counts against a
/// limit. A single action is not kept: whether it was done, nobody could say.
///
///     retry {request, attempt, spent, lastTry?}    limit [time]
///
/// Times are of the boot clock, in nanoseconds.
extension ActionSlot {
  /// Nil for what is tried once. What waits behind a retry is newer, and kept in its place.
  func memory(at now: Duration) -> PlainData? {
    if let pending, pending.retry != nil { return ActionSlot(pending).memory(at: now) }
    guard request.retry != nil else { return nil }
    var writer = PlainWriter()
    let map = writer.beginMap()
    writer.text("request")
    request.write(into: &writer)
    writer.text("attempt")
    writer.integer(Int64(attempt))
    writer.text("spent")
    writer.integer(spent(at: now).nanoseconds)
    if let lastTry {
      writer.text("lastTry")
      writer.integer(lastTry.nanoseconds)
    }
    if !request.facts.isEmpty {
      writer.text("facts")
      writer.map(request.facts.count)
      for (name, value) in request.facts.sorted(by: { $0.key < $1.key }) {
        writer.text(name)
        writer.text(value)
      }
    }
    let count = 3 + (lastTry == nil ? 0 : 1) + (request.facts.isEmpty ? 0 : 1)
    writer.endMap(map, count: count)
    return PlainData(bytes: writer.bytes)
  }

  /// A retry as it was kept: paused, until the first snapshot says whether trying makes sense. One
  /// that ran when the process ended is tried again.
  init?(memory: PlainData) {
    guard let value = PlainReader.decode(memory), var request = ActionRequest(value["request"]),
      request.retry != nil, let attempt = value["attempt"].integer, attempt >= 0,
      let spent = value["spent"].integer
    else { return nil }
    for pair in value["facts"].pairs ?? [] {
      if let name = pair.key.text, let text = pair.value.text { request.facts[name] = text }
    }
    self.init(request)
    self.attempt = Int(min(attempt, 1_000_000_000))
    self.spent = max(.nanoseconds(spent), .zero)
    lastTry = value["lastTry"].integer.map { .nanoseconds($0) }
  }

  /// By the clock of `now`; in another boot the last try is long ago.
  static func translate(_ memory: PlainData, from stored: BootStamp, to now: BootStamp) -> PlainData
  {
    guard !stored.isSameBoot(as: now), var slot = ActionSlot(memory: memory) else { return memory }
    if slot.lastTry != nil { slot.lastTry = .zero }
    return slot.memory(at: .zero) ?? memory
  }
}

extension RunLog {
  var memory: PlainData {
    var writer = PlainWriter()
    writer.array(times.count)
    for time in times { writer.integer(time.nanoseconds) }
    return PlainData(bytes: writer.bytes)
  }

  init?(memory: PlainData) {
    guard let values = PlainReader.decode(memory)?.elements, values.count <= 1000 else {
      return nil
    }
    let times = values.compactMap(\.integer).map { Duration.nanoseconds($0) }
    guard times.count == values.count else { return nil }
    self.init(times: times.sorted())
  }

  /// By the clock of `now`. What was done in another boot is as old as the wall clock says, and at
  /// least as old as this boot.
  static func translate(_ memory: PlainData, from stored: BootStamp, to now: BootStamp) -> PlainData
  {
    guard !stored.isSameBoot(as: now), let log = RunLog(memory: memory) else { return memory }
    let (wall, isOverflow) = now.wall.unixNanoseconds.subtractingReportingOverflow(
      stored.wall.unixNanoseconds)
    let passed = max(now.boot, isOverflow ? .zero : .nanoseconds(wall))
    return RunLog(times: log.times.map { now.boot - passed - (stored.boot - $0) }).memory
  }
}
