package import PathSimulation

extension World {
  package func sleep(_ time: Duration) { suspend(for: time) }

  /// Lets time pass, firing what comes due on the way, unless that is told as facts. A test that
  /// needs more events than a world has is a mistake, and ends loudly.
  package func advance(_ time: Duration, firing: Bool = true) {
    guard firing else { return pass(time) }
    do throws(BudgetSpent) {
      try run(for: time)
    } catch {
      preconditionFailure("advancing by \(time): more than \(error.steps) facts were fed")
    }
  }
}
