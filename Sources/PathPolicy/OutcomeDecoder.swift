import PathCore

/// Reads what the prelude sends back from a handler. The prelude checked it; this checks again,
/// since what comes from a script's state is never trusted.
enum OutcomeDecoder {
  static func decode(_ bytes: [UInt8], fuelUsed: Int64) -> HandlerOutcome? {
    if bytes.count == 1, bytes[0] == PlainData.Tag.null.rawValue {
      return HandlerOutcome(fuelUsed: fuelUsed)
    }
    guard let value = PlainReader.decode(PlainData(bytes: bytes)), value.pairs != nil else {
      return nil
    }
    var outcome = HandlerOutcome(fuelUsed: fuelUsed)
    if let settle = value["settle"].integer {
      outcome.settle = duration(settle, most: EngineLimits.settleLongest)
    }
    for entry in value["intents"].elements ?? [] {
      guard let parts = entry.elements, let intent = intent(parts) else { return nil }
      outcome.intents.append(intent)
    }
    outcome.state = PlainEncoder.encode(value["state"])
    return outcome
  }

  private static func intent(_ parts: [PlainValue]) -> Intent? {
    func text(_ index: Int) -> String? { index < parts.count ? parts[index].text : nil }
    switch text(0) {
    case "raise": return raise(parts)
    case "resolve": return text(1).map { .resolve(key: $0) }
    case "timer":
      guard parts.count == 6, let name = text(1), let after = parts[2].integer else { return nil }
      return .startTimer(
        TimerRequest(
          name: name, after: duration(after, most: .seconds(366 * 86_400)),
          isOnce: parts[3].bool ?? false, untilChange: text(4),
          acrossReboot: parts[5].bool ?? false))
    case "cancel": return text(1).map { .cancelTimer(name: $0) }
    case "publish":
      guard parts.count == 3, let name = text(1), let data = PlainEncoder.encode(parts[2]) else {
        return nil
      }
      return .publish(name: name, data)
    case "log": return text(1).map { .log($0) }
    default: return nil
    }
  }

  private static func raise(_ parts: [PlainValue]) -> Intent? {
    guard parts.count == 8, let key = parts[1].text,
      let severity = parts[2].text.flatMap({ AlertSeverity(rawValue: $0) }),
      let title = parts[3].text, let body = parts[4].text, let channel = parts[5].text
    else { return nil }
    var buttons: [AlertButton] = []
    for button in parts[7].elements ?? [] {
      guard let pair = button.elements, pair.count == 2, let id = pair[0].text,
        let label = pair[1].text
      else { return nil }
      buttons.append(AlertButton(id: id, label: label))
    }
    return .raise(
      AlertContent(
        key: key, severity: severity, title: title, body: body, buttons: buttons,
        channel: channel),
      expires: parts[6].integer.map { duration($0, most: .seconds(366 * 86_400)) })
  }

  private static func duration(_ nanoseconds: Int64, most: Duration) -> Duration {
    min(max(.nanoseconds(nanoseconds), .zero), most)
  }
}
