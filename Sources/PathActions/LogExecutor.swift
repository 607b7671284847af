package import PathCore

/// Carries out `ctx.log`: the line becomes a report, which is written where all others are.
package struct LogExecutor: Sendable {
  /// Nothing is carried out, only told.
  package var isDryRun: Bool

  package init(isDryRun: Bool = false) { self.isDryRun = isDryRun }

  package func perform(policy: String, text: String) -> ActionReport {
    ActionReport(
      policy: policy, key: "log", kind: "log", state: isDryRun ? .dropped : .succeeded,
      detail: text)
  }
}
