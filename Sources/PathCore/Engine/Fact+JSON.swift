/// The JSON form of a fact, version 1: what `--record` writes, one object on one line, keys in this
/// order. A key marked `?` is left out when it holds the value in brackets. Times are nanoseconds.
///
///     fact        {at: {awake, boot, wall, offset? [0], zone? ["UTC"]}, fact: word, …}
///       snapshot  … snapshot: snapshot           (see Snapshot)
///       policies  … policies: {reason: "boot" | "start" | "reload", loaded: [declaration],
///                              rejected? [[]]: [fault], changed? [[]]: [name],
///                              stopped? [[]]: [name],
///                              memories? [{}]: {name: memory}, migrated? [{}]: {name: state},
///                              hashes? [{}]: {name: hash}, config? [none]: hash}
///       gap       … detail
///       timer     … timer: {kind, policy, name? [""]}
///       button    … policy, key, button
///       dismissed … policy, key
///       result    … id: id, result: result        (see Action)
///       killed    … call: number, fault: fault   (the fact before it led to that call, which a
///                                                 limit ended; replayed before that fact)
///       asleep, resumed, stop
///     declaration {name, about? [""], disabled? [false], monitors: [monitor],
///                  every? [[]]: [{name, period}], handlers: [word], state? [none kept],
///                  version? [0]}
///     monitor     {name, required? [none], prohibited? [[]]: [type], interface? [none],
///                  ignore? [[]]: [pattern], bound? [false],
///                  settle? [standard]: time | "function", settleMax? [none]}
///     fault       {policy, handler? [none], kind, file, line, message}
///
/// `wall` counts from 1970, `offset` is in seconds east of UTC. `state` is the encoding of
/// PlainData in hexadecimal, `memory` the stored form of PolicyMemory. Before the first fact stands
/// the header (see TraceHeader); `hashes` and `config` say, as it does, which texts a reload took.
extension Fact {
  package func writeJSON(into writer: inout JSONWriter, at moment: Moment) {
    writer.object { writer in
      writer.key("at")
      moment.writeJSON(into: &writer)
      writer.member("fact", word)
      switch self {
      case .policies(let set):
        writer.key("policies")
        set.writeJSON(into: &writer)
      case .snapshot(let snapshot):
        writer.key("snapshot")
        snapshot.writeJSON(into: &writer)
      case .gap(let detail): writer.member("detail", detail)
      case .timer(let id):
        writer.key("timer")
        id.writeJSON(into: &writer)
      case .button(let policy, let key, let button):
        writer.member("policy", policy)
        writer.member("key", key)
        writer.member("button", button)
      case .dismissed(let policy, let key):
        writer.member("policy", policy)
        writer.member("key", key)
      case .result(let id, let result):
        writer.key("id")
        id.writeJSON(into: &writer)
        writer.key("result")
        result.writeJSON(into: &writer)
      case .killed(let call, let fault):
        writer.member("call", call)
        writer.key("fault")
        fault.writeJSON(into: &writer)
      case .asleep, .resumed, .stop: break
      }
    }
  }

  /// The word that names the fact in both its forms.
  package var word: String {
    switch self {
    case .policies: "policies"
    case .snapshot: "snapshot"
    case .gap: "gap"
    case .timer: "timer"
    case .button: "button"
    case .dismissed: "dismissed"
    case .result: "result"
    case .killed: "killed"
    case .asleep: "asleep"
    case .resumed: "resumed"
    case .stop: "stop"
    }
  }
}

extension Moment {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("awake", awake.nanoseconds)
      $0.member("boot", boot.nanoseconds)
      $0.member("wall", wall.unixNanoseconds)
      $0.member("offset", wall.offsetSeconds, unless: 0) { $0.integer($1) }
      $0.member("zone", wall.zone, unless: "UTC") { $0.string($1) }
    }
  }
}

extension TimerID {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("kind", kind.description)
      $0.member("policy", policy)
      $0.member("name", name, unless: "") { $0.string($1) }
    }
  }
}

extension PolicySet {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("reason", reason.rawValue)
      writer.key("loaded")
      writer.array(loaded) { $1.writeJSON(into: &$0) }
      writer.member("rejected", rejected, unless: []) { writer, faults in
        writer.array(faults) { $1.writeJSON(into: &$0) }
      }
      writer.member("changed", changed.sorted(), unless: []) { writer, names in
        writer.array(names) { $0.string($1) }
      }
      writer.member("stopped", stopped.sorted(), unless: []) { writer, names in
        writer.array(names) { $0.string($1) }
      }
      writer.member("memories", memories, unless: [:]) { writer, memories in
        writer.object { writer in
          for (name, memory) in memories.sorted(by: { $0.key < $1.key }) {
            writer.member(name, PlainData(bytes: memory.bytes).hexadecimal)
          }
        }
      }
      writer.member("migrated", migrated, unless: [:]) { writer, states in
        writer.object { writer in
          for (name, state) in states.sorted(by: { $0.key < $1.key }) {
            writer.member(name, state.hexadecimal)
          }
        }
      }
      writer.member("hashes", hashes, unless: [:]) { writer, hashes in
        writer.object { writer in
          for (name, hash) in hashes.sorted(by: { $0.key < $1.key }) { writer.member(name, hash) }
        }
      }
      if let config { writer.member("config", config) }
    }
  }
}

extension PolicyDeclaration {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("about", about, unless: "") { $0.string($1) }
      writer.flag("disabled", !isEnabled)
      writer.key("monitors")
      writer.array(monitors) { $1.writeJSON(into: &$0) }
      writer.member("every", every, unless: []) { writer, timers in
        writer.array(timers) { writer, timer in
          writer.object {
            $0.member("name", timer.name)
            $0.member("period", timer.period.nanoseconds)
          }
        }
      }
      writer.key("handlers")
      writer.array(Handler.allCases) { if handlers.contains($1) { $0.string($1.rawValue) } }
      writer.member("state", state, unless: .emptyMap) { $0.string($1.hexadecimal) }
      writer.member("version", version, unless: 0) { $0.integer($1) }
    }
  }
}

extension MonitorDeclaration {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      if let required = filter.required { writer.member("required", required.description) }
      writer.member("prohibited", filter.prohibited, unless: []) { writer, types in
        writer.array(types.types) { $0.string($1.description) }
      }
      if let interface = filter.interface { writer.member("interface", interface) }
      writer.member("ignore", filter.ignored, unless: []) { writer, patterns in
        writer.array(patterns) { $0.string($1) }
      }
      writer.flag("bound", filter.isBound)
      switch settle {
      case .standard: break
      case .fixed(let time): writer.member("settle", time.nanoseconds)
      case .function: writer.member("settle", "function")
      }
      if let settleMax { writer.member("settleMax", settleMax.nanoseconds) }
    }
  }
}

extension PolicyFault {
  package func writeJSON(into writer: inout JSONWriter) {
    writer.object {
      $0.member("policy", policy)
      if let handler { $0.member("handler", handler.rawValue) }
      $0.member("kind", kind.rawValue)
      $0.member("file", file)
      $0.member("line", line)
      $0.member("message", message)
    }
  }
}

extension PlainData {
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
