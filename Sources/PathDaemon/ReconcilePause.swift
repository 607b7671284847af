/// Between two looks that prove that nothing was missed, as `limits.reconcile_s` says.
struct ReconcilePause: Hashable {
  let length: Duration

  init(seconds: Int64) { length = .seconds(seconds) }

  /// Later by a little where that saves a wake-up, and never by so much that the setting lies.
  var slack: Duration { min(length / 10, .seconds(30)) }
}
