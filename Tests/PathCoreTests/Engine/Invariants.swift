import PathSimulation
import PathTestKit

@testable import PathCore

/// What must hold between any two facts. `timers` are the wake-ups asked for so far.
enum Invariants {
  static func complaint(_ engine: Engine, _ timers: [TimerID: Deadline]) -> String? {
    var wanted: [TimerID: Deadline] = [:]
    if let complaint = turns(engine) { return complaint }
    for policy in engine.policies {
      if let complaint = states(policy) ?? actions(policy, engine) { return complaint }
      for monitor in policy.monitors {
        let name = monitor.declaration.name
        if let candidate = monitor.candidate {
          wanted[TimerID(.settle, policy: policy.name, name: name)] =
            Deadline(.awake, candidate.deadline)
        }
        if let armed = monitor.armedUnrest {
          wanted[TimerID(.unrest, policy: policy.name, name: name)] = Deadline(.awake, armed)
        }
      }
      for (name, timer) in policy.timers {
        wanted[TimerID(.named, policy: policy.name, name: name)] = Deadline(.boot, timer.deadline)
      }
      for (name, turn) in policy.recurring {
        wanted[TimerID(.every, policy: policy.name, name: name)] = Deadline(.boot, turn.deadline)
      }
      for (key, alert) in policy.alerts {
        guard let armed = alert.armedExpiry else { continue }
        wanted[TimerID(.expiry, policy: policy.name, name: key)] = Deadline(.boot, armed)
      }
      for (key, slot) in policy.actions {
        guard let due = slot.due else { continue }
        wanted[TimerID(.retry, policy: policy.name, name: key)] = Deadline(.boot, due)
      }
      if let rest = policy.restUntil {
        wanted[TimerID(.rest, policy: policy.name)] = Deadline(.boot, rest)
      }
    }
    if let wake = engine.outcomeWake {
      guard let armed = timers[wake] else { return "nothing wakes for the ends that wait" }
      wanted[wake] = armed
    } else if !engine.outcomes.isEmpty {
      return "ends of actions wait for nothing"
    }
    return armed(engine, wanted, timers)
  }

  /// A timer is armed for each wish and for nothing else. One that came due in sleep or in a rest
  /// waits without.
  private static func armed(
    _ engine: Engine, _ wanted: [TimerID: Deadline], _ timers: [TimerID: Deadline]
  ) -> String? {
    for (id, deadline) in timers.sorted(by: { $0.key < $1.key }) where wanted[id] != deadline {
      return "\(id) is armed for \(deadline), wanted: \(wanted[id]?.description ?? "never")"
    }
    for (id, deadline) in wanted.sorted(by: { $0.key < $1.key }) where timers[id] == nil {
      let isResting = engine.policies.contains { $0.name == id.policy && $0.restUntil != nil }
      if engine.deferred.contains(id) || isResting && [.named, .every].contains(id.kind) {
        continue
      }
      return "\(id) is not armed, wanted at \(deadline)"
    }
    if !engine.isAsleep, !engine.awaitsSnapshot, !engine.deferred.isEmpty {
      return "deferred timers were left"
    }
    return engine.deferred.count > 4096 ? "deferred timers pile up" : nil
  }

  /// One at work or waiting for its next try, and one behind it; nothing waits for ever.
  private static func actions(_ policy: PolicyState, _ engine: Engine) -> String? {
    if policy.actions.count > EngineLimits.actionKeysPerPolicy { return "too many actions" }
    if policy.runs.count > EngineLimits.limitedKeysPerPolicy { return "too many limits" }
    for (key, slot) in policy.actions {
      let place = "\(policy.name)/\(key)"
      if key != slot.request.key || slot.pending.map({ $0.key != key }) == true {
        return "\(place) holds another's action"
      }
      if let serial = slot.serial {
        if serial > engine.serial || slot.due != nil || slot.turn != nil {
          return "\(place) runs and waits"
        }
        let id = ActionID(policy: policy.name, key: key, serial: serial)
        if !engine.working.contains(id) { return "\(place) runs without a place" }
        continue
      }
      if slot.turn != nil {
        if slot.pending != nil { return "\(place) holds back another" }
        if slot.due != nil { return "\(place) waits twice" }
        if slot.request.retry == nil { continue }
      }
      guard let rule = slot.request.retry else { return "\(place) neither runs nor waits" }
      if slot.pending != nil { return "\(place) holds back another" }
      if let most = rule.attempts, slot.attempt >= most { return "\(place) has no try left" }
      guard !engine.isAsleep, !engine.awaitsSnapshot else { continue }
      let isOpen = makesSense(rule, policy, engine)
      if isOpen != (slot.due != nil || slot.turn != nil) {
        return "\(place) \(isOpen ? "is stuck" : "tries")"
      }
      if isOpen != (slot.openSince != nil) { return "\(place) has a wrong clock" }
    }
    return nil
  }

  /// No more are at work than may be, and nobody waits for a place that is free.
  private static func turns(_ engine: Engine) -> String? {
    if engine.working.count > ActionLimits.running { return "too many are at work" }
    if Set(engine.working).count != engine.working.count { return "one has two places" }
    var numbers: Set<UInt64> = []
    for policy in engine.policies {
      let own = engine.working.count { $0.policy == policy.name }
      if own > ActionLimits.runningPerPolicy { return "too many of \(policy.name) are at work" }
      let isFull =
        own == ActionLimits.runningPerPolicy || engine.working.count == ActionLimits.running
      for (key, slot) in policy.actions {
        guard let turn = slot.turn else { continue }
        if !isFull { return "\(policy.name)/\(key) waits for a place that is free" }
        if !turn.isTold { return "\(policy.name)/\(key) waits, and nobody was told" }
        if turn.number > engine.lastTurn || !numbers.insert(turn.number).inserted {
          return "\(policy.name)/\(key) has another's turn"
        }
      }
    }
    return nil
  }

  private static func makesSense(
    _ rule: RetryRule, _ policy: PolicyState, _ engine: Engine
  ) -> Bool {
    let monitor: MonitorState?
    switch rule.during {
    case .always: return true
    case .firstMonitor: monitor = policy.monitors.first
    case .monitor(let name): monitor = policy.monitors.first { $0.declaration.name == name }
    }
    return monitor.map { engine.filters[$0.filter].path?.wrappedValue.status == .satisfied }
      ?? false
  }

  private static func states(_ policy: PolicyState) -> String? {
    for monitor in policy.monitors {
      if let candidate = monitor.candidate {
        if !policy.isAtWork { return "\(policy.name) rests with a pending change" }
        if candidate.path == monitor.delivered?.sharedPath {
          return "what is pending was told already"
        }
      }
      if monitor.armedUnrest != nil, monitor.candidate == nil, monitor.unrest?.isRecurring != true {
        return "unrest about nothing"
      }
    }
    if policy.timers.count > EngineLimits.timersPerPolicy { return "too many timers" }
    if policy.alerts.count > EngineLimits.alertsPerPolicy { return "too many alerts" }
    if !policy.hasUnreportedChange, policy.alerts.values.contains(where: \.isExpiryHeld) {
      return "an alert's end waits for nothing"
    }
    return nil
  }
}

extension World {
  /// Policies with a pending change.
  var unreported: Set<String> {
    Set(engine.policies.filter { $0.hasUnreportedChange }.map(\.name))
  }

  /// Policies that were not told the present path, though they are at work and did not just rest.
  var uninformed: [String] {
    engine.policies.filter { policy in
      policy.isAtWork
        && policy.monitors.contains {
          $0.delivered?.sharedPath != engine.filters[$0.filter].path
            && ($0.candidate == nil || policy.faultsInARow == 0)
        }
    }.map(\.name)
  }
}
