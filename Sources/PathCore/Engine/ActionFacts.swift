/// What a granted command finds in its environment: the event that led to it, as NETVANE_….
extension HandlerEvent {
  func facts(policy: String, key: String, path: PathEvent?) -> [String: String] {
    var facts = [
      "NETVANE_POLICY": policy, "NETVANE_KEY": key, "NETVANE_HANDLER": handler.rawValue,
    ]
    switch self {
    case .settle, .path, .start, .system: break
    case .timer(let name, _): facts["NETVANE_TIMER"] = name
    case .button(_, let button): facts["NETVANE_BUTTON"] = button
    case .dismissed(let key): facts["NETVANE_ALERT"] = key
    case .result(let outcome): facts["NETVANE_RESULT"] = outcome.result.ending.rawValue
    }
    guard let path else { return facts }
    facts["NETVANE_MONITOR"] = path.monitor
    facts["NETVANE_STATUS"] = path.path.status.rawValue
    facts["NETVANE_REASON"] = path.path.reason.rawValue
    facts["NETVANE_WHY"] = path.path.why
    if let primary = path.path.primary {
      facts["NETVANE_INTERFACE"] = primary.name
      facts["NETVANE_TYPE"] = primary.type.description
    }
    if let before = path.previous { facts["NETVANE_PREVIOUS_STATUS"] = before.path.status.rawValue }
    return facts
  }
}
