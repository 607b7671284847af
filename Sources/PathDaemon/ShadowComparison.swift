import PathCore

/// What one side of a shadow run decided and the other did not.
package struct ShadowDifference: Hashable, Sendable {
  package enum Side: String, Hashable, Sendable {
    case live, shadow
  }

  /// Empty for what concerns the shadow run as a whole.
  package var policy: String
  package var only: Side
  /// The decision in the text form of orders, or what else there is to say.
  package var what: String
}

/// Pairs the decisions of two runs and finds those that stay alone.
///
/// Timers fire a moment apart, so each decision waits a second for its like.
struct ShadowComparison {
  static let patience = Duration.seconds(1)
  /// Decisions that wait; of more the oldest are told before their time.
  static let waitingMost = 1024
  /// Differences of one policy that are told in a minute.
  static let toldMost = 60

  private var waiting: [Waiting] = []
  private var minute = Duration.zero
  private var told: [String: Int] = [:]

  private struct Waiting {
    var difference: ShadowDifference
    var until: Duration
  }

  /// When the next one has waited long enough.
  var next: Duration? { waiting.first?.until }

  /// Takes what one side decided.
  mutating func note(_ order: Order, by side: ShadowDifference.Side, at now: Duration) {
    guard let (policy, what) = order.visibleDecision else { return }
    let other: ShadowDifference.Side = side == .live ? .shadow : .live
    let like = ShadowDifference(policy: policy, only: other, what: what)
    if let place = waiting.firstIndex(where: { $0.difference == like }) {
      waiting.remove(at: place)
    } else {
      waiting.append(
        Waiting(
          difference: ShadowDifference(policy: policy, only: side, what: what),
          until: now + Self.patience))
    }
  }

  /// What stayed alone until now, in order.
  mutating func takeDue(at now: Duration) -> [ShadowDifference] {
    var due: [ShadowDifference] = []
    while let first = waiting.first, first.until <= now || waiting.count > Self.waitingMost {
      waiting.removeFirst()
      due.append(contentsOf: admitted(first.difference, at: now))
    }
    return due
  }

  /// Within the minute's bound, or the word that it is reached, or nothing.
  private mutating func admitted(
    _ difference: ShadowDifference, at now: Duration
  ) -> [ShadowDifference] {
    if now - minute >= .seconds(60) {
      minute = now
      told = [:]
    }
    let count = told[difference.policy, default: 0]
    guard count <= Self.toldMost else { return [] }
    told[difference.policy] = count + 1
    if count < Self.toldMost { return [difference] }
    return [
      ShadowDifference(
        policy: difference.policy, only: difference.only,
        what: "more than \(Self.toldMost) differences a minute; the rest is left out")
    ]
  }
}

extension Order {
  /// What people or machines would notice of it, if they would of anything.
  fileprivate var visibleDecision: (policy: String, what: String)? {
    switch self {
    case .alert(let notice): (notice.policy, description)
    case .publish(let notice): (notice.policy, description)
    case .log(let policy, _): (policy, description)
    // Without the serial, which counts all that were started.
    case .perform(let id, let action, _):
      (id.policy, "perform \(LineText.word(id.policy)) \(LineText.word(id.key)) \(action)")
    case .policy(let name, let standing, _):
      switch standing {
      case .rejected, .disabled, .resting: (name, description)
      case .loaded, .removed: nil
      }
    case .fault(let fault): (fault.policy, description)
    case .deliver, .setTimer, .clearTimer, .persist, .cancel, .action, .gap: nil
    }
  }
}
