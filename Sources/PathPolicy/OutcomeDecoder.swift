import PathCore

/// Reads what the prelude sends back from a handler. The prelude checked it; this checks again,
/// since what comes from a script's state is never trusted.
struct OutcomeDecoder {
  private var cursor: PlainCursor

  /// A handler's outcome: the answer of a settle function, the state if it changed, the decisions.
  static func decode(_ bytes: UnsafeRawBufferPointer, fuelUsed: Int64) -> HandlerOutcome? {
    var decoder = unsafe OutcomeDecoder(cursor: PlainCursor(bytes))
    var outcome = HandlerOutcome(fuelUsed: fuelUsed)
    guard decoder.cursor.array() == 3 else { return nil }
    if !decoder.cursor.null() {
      guard let settle = decoder.duration(most: EngineLimits.settleLongest) else { return nil }
      outcome.settle = settle
    }
    if !decoder.cursor.null() {
      guard let state = decoder.cursor.data() else { return nil }
      outcome.state = state
    }
    guard let count = decoder.cursor.array() else { return nil }
    for _ in 0..<count {
      guard let intent = decoder.intent() else { return nil }
      outcome.intents.append(intent)
    }
    return decoder.cursor.isAtEnd ? outcome : nil
  }

  /// What a request gave that is no handler's: one value.
  static func value(_ bytes: UnsafeRawBufferPointer) -> PlainData? {
    var cursor = unsafe PlainCursor(bytes)
    return cursor.array() == 3 ? cursor.data() : nil
  }

  private static let verbs: [StaticString] = [
    "raise", "resolve", "timer", "cancel", "publish", "log", "act", "end",
  ]

  private mutating func intent() -> Intent? {
    guard let count = cursor.array(), count > 0, let verb = cursor.word(Self.verbs) else {
      return nil
    }
    switch (verb, count) {
    case (0, 8): return raise()
    case (1, 2): return cursor.text().map { .resolve(key: $0) }
    case (2, 6): return timer()
    case (3, 2): return cursor.text().map { .cancelTimer(name: $0) }
    case (4, 3):
      guard let name = cursor.text(), !cursor.null(), let data = cursor.data() else { return nil }
      return .publish(name: name, data)
    case (5, 2): return cursor.text().map { .log($0) }
    case (6, 2): return act()
    case (7, 2): return cursor.text().map { .cancelAction(key: $0) }
    default: return nil
    }
  }

  private mutating func act() -> Intent? {
    guard let data = cursor.data(), let value = PlainReader.decode(data) else { return nil }
    return ActionRequest(value).map { .act($0) }
  }

  private mutating func timer() -> Intent? {
    guard let name = cursor.text(), let after = duration(most: .seconds(366 * 86_400)),
      let isOnce = cursor.bool()
    else { return nil }
    let untilChange = cursor.text()
    guard untilChange != nil || cursor.bool() == false, let acrossReboot = cursor.bool() else {
      return nil
    }
    return .startTimer(
      TimerRequest(
        name: name, after: after, isOnce: isOnce, untilChange: untilChange,
        acrossReboot: acrossReboot))
  }

  private mutating func raise() -> Intent? {
    guard let key = cursor.text(), let severity = cursor.word(["info", "warning", "critical"]),
      let title = cursor.text(), let body = cursor.text(), let channel = cursor.text()
    else { return nil }
    let expires = duration(most: .seconds(366 * 86_400))
    guard expires != nil || cursor.bool() == false else { return nil }
    var buttons: [AlertButton] = []
    if cursor.bool() == nil {
      guard let count = cursor.array() else { return nil }
      for _ in 0..<count {
        guard cursor.array() == 2, let id = cursor.text(), let label = cursor.text() else {
          return nil
        }
        buttons.append(AlertButton(id: id, label: label))
      }
    }
    let severities: [AlertSeverity] = [.info, .warning, .critical]
    return .raise(
      AlertContent(
        key: key, severity: severities[severity], title: title, body: body, buttons: buttons,
        channel: channel),
      expires: expires)
  }

  private mutating func duration(most: Duration) -> Duration? {
    cursor.integer().map { min(max(.nanoseconds($0), .zero), most) }
  }
}
