/// Who may begin: a few actions of each policy are at work at a time, and of all policies together.
/// What finds no place waits for its turn; nothing fails for want of one.
///
/// The next is of a policy that has none at work; else of the policy that was served longest ago;
/// of its own the one that waits longest. So a policy that asks for much waits for itself.
extension Engine {
  /// Whether one of this policy's may begin now, before all that wait.
  func isFree(_ policy: Int) -> Bool { hasPlace(policy) && next() == nil }

  /// Lines up behind the others.
  mutating func lineUp(_ policy: Int, _ key: String) {
    lastTurn += 1
    policies[policy].actions[key]?.due = nil
    policies[policy].actions[key]?.turn = ActionSlot.Turn(number: lastTurn, since: now.awake)
  }

  /// Begins what there is a place for by now.
  mutating func serveTurns() {
    while let (policy, key) = next() {
      policies[policy].actions[key]?.endTurn(at: now.awake)
      guard let slot = policies[policy].actions[key] else { continue }
      // The path may have changed since it was asked for.
      if let result = unwanted(policy, slot.request) {
        endSlot(policy, slot, result)
      } else {
        attempt(policy, key, isItsTurn: true)
      }
    }
  }

  /// Says of those that have begun to wait, and were not served at once, why they do.
  mutating func tellTurns() {
    for policy in policies.indices where !policies[policy].actions.isEmpty {
      for key in policies[policy].actions.keys.sorted() {
        guard let slot = policies[policy].actions[key], let turn = slot.turn, !turn.isTold else {
          continue
        }
        policies[policy].actions[key]?.turn?.isTold = true
        let own = countAtWork(policy)
        let full =
          own < ActionLimits.runningPerPolicy
          ? "\(working.count) actions" : "\(own) actions of this policy"
        report(
          policy, slot.request, .waiting,
          "waits for its turn: \(full) are at work, which is the most")
      }
    }
  }

  private func hasPlace(_ policy: Int) -> Bool {
    working.count < ActionLimits.running && countAtWork(policy) < ActionLimits.runningPerPolicy
  }

  /// Those that their policy let go of and that have not ended are among them.
  private func countAtWork(_ policy: Int) -> Int {
    working.count { $0.policy == policies[policy].name }
  }

  /// The one that may begin; nil when none may.
  private func next() -> (policy: Int, key: String)? {
    guard working.count < ActionLimits.running else { return nil }
    var best: (policy: Int, key: String, rank: (Int, UInt64, UInt64))?
    for policy in policies.indices where !policies[policy].actions.isEmpty {
      guard let (key, number) = oldestTurn(policy), hasPlace(policy) else { continue }
      let rank = (min(countAtWork(policy), 1), policies[policy].lastServed, number)
      if best.map({ rank < $0.rank }) ?? true { best = (policy, key, rank) }
    }
    return best.map { ($0.policy, $0.key) }
  }

  private func oldestTurn(_ policy: Int) -> (key: String, number: UInt64)? {
    var oldest: (key: String, number: UInt64)?
    for (key, slot) in policies[policy].actions {
      guard let number = slot.turn?.number, number < oldest?.number ?? .max else { continue }
      oldest = (key, number)
    }
    return oldest
  }
}
