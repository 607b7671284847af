/// What one case may use before it is ended.
package struct Budget: Hashable, Sendable {
  /// Of the test's own Lua state, for one run.
  package var fuel: Int64 = 20_000_000
  /// Facts of one run.
  package var steps = 100_000
  /// Of all handlers of the policy in one run.
  package var policyFuel: Int64 = 400_000_000
  /// Comparing and counting, in entries looked at.
  package var work = 20_000_000

  package init() {}
}
