package import PathCore

/// What happened, for people who look for the moment at which it went wrong.
extension World {
  /// The last facts and what was said about them, about so many lines, the oldest first. Wake-ups
  /// that were asked for and states that were stored are left out.
  package func timeline(last count: Int) -> [String] {
    var blocks: [[String]] = []
    var total = 0
    for index in facts.indices.reversed() where total < count {
      var block = ["\(stamp(of: index)) \(facts[index].fact)"]
      for order in orders(after: index) where !order.isBookkeeping { block.append("  -> \(order)") }
      // A wake-up that nothing came of only takes room.
      if case .timer = facts[index].fact, block.count == 1, index + 1 < facts.count { continue }
      total += block.count
      blocks.append(block)
    }
    return blocks.reversed().flatMap { $0 }
  }

  /// The time since the first fact, sleep and restarts included.
  private func stamp(of index: Int) -> String {
    let start = facts[0].at.wall.unixNanoseconds
    let time = Duration.nanoseconds(facts[index].at.wall.unixNanoseconds - start)
    return Moment(awake: time, boot: time).stamp
  }
}

extension Order {
  /// Of no interest to people.
  package var isBookkeeping: Bool {
    switch self {
    case .setTimer, .clearTimer, .persist: true
    case .deliver, .alert, .publish, .log, .perform, .cancel, .action, .policy, .fault, .gap: false
    }
  }
}
