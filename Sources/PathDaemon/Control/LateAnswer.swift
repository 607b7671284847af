/// An answer that may come later: once, and then for good.
final class LateAnswer {
  typealias Outcome = Result<ControlAnswer, ControlRefusal>

  private(set) var outcome: Outcome?
  private var listener: (() -> Void)?

  init(_ outcome: Outcome? = nil) { self.outcome = outcome }

  /// The first one counts.
  func give(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    let listener = listener
    self.listener = nil
    listener?()
  }

  /// Who hears when it has come, if it has not come yet.
  func whenGiven(_ listener: @escaping () -> Void) { self.listener = listener }
}
