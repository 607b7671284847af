/// The text form of a fact: one line, as golden files and logs show it. A snapshot is shown in
/// short; the whole of it is in the JSON form.
extension Fact: CustomStringConvertible {
  package var description: String {
    switch self {
    case .policies(let set): "policies \(set)"
    case .snapshot(let snapshot): "snapshot \(snapshot.line)"
    case .gap(let detail): "gap \(LineText.quoted(detail))"
    case .timer(let id): "timer \(id)"
    case .button(let policy, let key, let button):
      "button \(LineText.word(policy)) \(LineText.word(key)) \(LineText.word(button))"
    case .dismissed(let policy, let key):
      "dismissed \(LineText.word(policy)) \(LineText.word(key))"
    case .result(let id, let result): "result \(id) \(result)"
    case .killed(let call, let fault): "killed call \(call) \(fault.summary)"
    case .asleep: "asleep"
    case .resumed: "resumed"
    case .stop: "stop"
    }
  }
}

extension PolicySet: CustomStringConvertible {
  package var description: String {
    var text = reason.rawValue
    for policy in loaded {
      text += " \(LineText.word(policy.name))"
      if !policy.isEnabled { text += "(disabled)" }
      if changed.contains(policy.name) { text += "(changed)" }
    }
    for fault in rejected { text += " \(LineText.word(fault.policy))(rejected)" }
    return text
  }
}

extension Snapshot {
  /// The links that pass traffic and the unbound answers: `wlan0 eth0 ipv4 wlan0 ipv6 noRoute`.
  package var line: String {
    if let unavailable { return "unavailable \(LineText.quoted(unavailable))" }
    var text = ""
    for interface in interfaces where !interface.flags.contains(.loopback) {
      text += LineText.word(interface.name)
      switch interface.linkState {
      case .usable: break
      case .dormant: text += "(dormant)"
      case .noCarrier: text += "(no carrier)"
      case .switchedOff: text += "(off)"
      }
      text += " "
    }
    return text + "ipv4 \(line(of: ipv4)) ipv6 \(line(of: ipv6))"
  }

  private func line(of lookup: Lookup) -> String {
    switch lookup {
    case .route(let answer):
      answer.hops.map { hop in
        interface(hop.interface).map { LineText.word($0.name) } ?? "#\(hop.interface)"
      }.joined(separator: "+")
    case .refused(let refusal): refusal.rawValue
    case .noRoute: "none"
    case .failed: "failed"
    }
  }
}

extension Moment {
  /// The awake clock as golden lines begin: `@1.250s`, in whole milliseconds unless there are less.
  package var stamp: String {
    let nanoseconds = awake.nanoseconds
    let digits = nanoseconds % 1_000_000 == 0 ? 3 : 9
    let fraction = String(nanoseconds % 1_000_000_000 / (digits == 3 ? 1_000_000 : 1))
    let zeros = String(repeating: "0", count: max(0, digits - fraction.utf8.count))
    return "@\(nanoseconds / 1_000_000_000).\(zeros)\(fraction)s"
  }
}
