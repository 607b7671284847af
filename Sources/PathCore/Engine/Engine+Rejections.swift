/// Files that were not taken: each is told once, and one alert stands for as long as it is so.
extension Engine {
  /// Something of the policies' files that was not taken.
  struct Rejection {
    var located: String
    /// Nil once a person has dismissed it.
    var alert: AlertContent?
  }

  /// What is not taken now: the name of a policy, or of a file that policies share, and why.
  package var rejected: [(name: String, located: String)] {
    rejections.sorted { $0.key < $1.key }.map { ($0.key, $0.value.located) }
  }

  /// Names of policies have no slash; what has one is a file or folder that they share.
  private static func isShared(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: "/")) }

  mutating func noteRejections(
    _ faults: [PolicyFault], loaded: Set<String>, stopped: Set<String>
  ) {
    let names = Set(faults.map(\.policy))
    for name in rejections.keys.sorted() where !names.contains(name) {
      endRejection(of: name, isGone: !loaded.contains(name) && !Self.isShared(name))
    }
    var told: Set<String> = []
    for fault in faults where told.insert(fault.policy).inserted {
      reject(fault, isStopped: stopped.contains(fault.policy))
    }
  }

  private mutating func reject(_ fault: PolicyFault, isStopped: Bool) {
    let name = fault.policy
    if rejections[name]?.located == fault.located { return }
    let before = rejections[name]?.alert
    let alert = AlertContent(
      key: EngineLimits.rejectedAlertKey, severity: .warning,
      title: title(of: name, isStopped: isStopped),
      body: fault.located)
    rejections[name] = Rejection(located: fault.located, alert: alert)
    orders.append(.policy(name: name, .rejected, detail: fault.located))
    orders.append(
      .alert(
        AlertNotice(policy: name, state: before == nil ? .raised : .updated, content: alert)))
  }

  private func title(of name: String, isStopped: Bool) -> String {
    if isStopped { return "The policy \(name) was stopped" }
    if Self.isShared(name) { return "\(name) was not taken; what was read before holds" }
    return policyIndex(name) == nil
      ? "The policy \(name) was not loaded"
      : "The edit of \(name) was not taken; the version before it goes on"
  }

  /// It is good again, or nobody asks for it any more.
  private mutating func endRejection(of name: String, isGone: Bool) {
    guard let rejection = rejections.removeValue(forKey: name) else { return }
    if let alert = rejection.alert {
      orders.append(
        .alert(
          AlertNotice(
            policy: name, state: .resolved, content: alert,
            cause: isGone ? .policyRemoved : .handler)))
    }
    // One that runs is told of when it is taken down.
    if isGone, policyIndex(name) == nil {
      orders.append(.policy(name: name, .removed, detail: ""))
    }
  }

  mutating func dismissRejection(of name: String) {
    guard let alert = rejections[name]?.alert else { return }
    rejections[name]?.alert = nil
    orders.append(.alert(AlertNotice(policy: name, state: .dismissed, content: alert)))
  }
}
