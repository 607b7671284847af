/// Looking at the engine from outside, between two facts. Nothing here changes it.
extension Engine {
  package func status(at moment: Moment) -> EngineStatus {
    var status = EngineStatus()
    for policy in policies { status.policies.append(Self.status(of: policy, at: moment)) }
    for (name, rejection) in rejections {
      if let alert = rejection.alert {
        status.alerts.append(EngineStatus.Alert(policy: name, content: alert))
      }
      if Self.isShared(name) {
        status.files.append(EngineStatus.File(name: name, located: rejection.located))
      } else if let index = status.policies.firstIndex(where: { $0.name == name }) {
        status.policies[index].edit = rejection.located
      } else {
        status.policies.append(
          EngineStatus.Policy(name: name, about: "", standing: .rejected(rejection.located)))
      }
    }
    for policy in policies { status.alerts += Self.alerts(of: policy, at: moment) }
    status.policies.sort { $0.name < $1.name }
    status.files.sort { $0.name < $1.name }
    status.alerts.sort { ($0.policy, $0.content.key) < ($1.policy, $1.content.key) }
    return status
  }

  /// The path that an ordinary program has, as of the last snapshot; nil before the first.
  package var path: Path? {
    for filter in filters where filter.filter == .none {
      if let path = filter.path { return path.wrappedValue }
    }
    return snapshot.map { PathEvaluator.path(of: $0, filter: .none) }
  }

  /// How many policies it has, at work or not.
  package var policyCount: Int { policies.count }

  /// Why the press of a button of this policy's would come to nothing; nil when it is heard.
  package func deafness(of policy: String, at moment: Moment) -> String? {
    guard let index = policyIndex(policy) else { return "the policy \(policy) is not there" }
    if !policies[index].declaration.isEnabled { return "the policy \(policy) is disabled" }
    if let until = policies[index].restUntil {
      let left = (until - moment.boot).wholeSeconds
      return "the policy \(policy) failed too often and rests for another \(left)"
    }
    if policies[index].has(.button) { return nil }
    return "the policy \(policy) has no on_button, so nothing hears its buttons"
  }

  /// Names of policies have no slash; what has one is a file or folder that they share.
  private static func isShared(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: "/")) }

  private static func alerts(of policy: PolicyState, at moment: Moment) -> [EngineStatus.Alert] {
    let own = policy.alerts.values.map { alert in
      EngineStatus.Alert(
        policy: policy.name, content: alert.content,
        expires: alert.expires.map { $0 - moment.boot })
    }
    guard let fault = policy.faultAlert else { return own }
    return own + [EngineStatus.Alert(policy: policy.name, content: fault)]
  }

  private static func status(of policy: PolicyState, at moment: Moment) -> EngineStatus.Policy {
    var standing = EngineStatus.Standing.running
    if !policy.declaration.isEnabled {
      standing = .disabled
    } else if let until = policy.restUntil {
      standing = .resting(until - moment.boot, why: policy.faultAlert?.body)
    }
    var status = EngineStatus.Policy(
      name: policy.name, about: policy.declaration.about, standing: standing)
    status.monitors = policy.monitors.map { monitor in
      EngineStatus.Monitor(
        name: monitor.declaration.name, status: monitor.delivered?.path.status,
        pending: monitor.candidate.map {
          EngineStatus.Pending(
            status: $0.path.wrappedValue.status, due: $0.deadline - moment.awake)
        })
    }
    if standing == .running { status.fault = policy.lastFault }
    status.timers = timers(of: policy, at: moment)
    status.actions = policy.actions.sorted { $0.key < $1.key }.map { action($0.value, moment) }
    status.published = policy.published.sorted { $0.key < $1.key }.map {
      EngineStatus.Published(name: $0.key, value: $0.value)
    }
    return status
  }

  /// Those that are due soonest first.
  private static func timers(of policy: PolicyState, at moment: Moment) -> [EngineStatus.Timer] {
    let named = policy.timers.map { name, timer in
      EngineStatus.Timer(name: name, due: timer.deadline - moment.boot, isRecurring: false)
    }
    let recurring = policy.recurring.map { name, turn in
      EngineStatus.Timer(name: name, due: turn.deadline - moment.boot, isRecurring: true)
    }
    return (named + recurring).sorted { ($0.due, $0.name) < ($1.due, $1.name) }
  }

  private static func action(_ slot: ActionSlot, _ moment: Moment) -> EngineStatus.Action {
    var state = EngineStatus.Action.State.waitingForPath
    if slot.serial != nil {
      state = .running
    } else if slot.turn != nil {
      state = .waitingForTurn
    } else if let due = slot.due {
      state = .waiting(due - moment.boot)
    }
    return EngineStatus.Action(
      key: slot.request.key, kind: slot.request.action.kind.rawValue, state: state,
      attempt: slot.attempt, hasPending: slot.pending != nil)
  }
}
