import PathCore
import PathPolicy

/// Runs the cases of a plan, one after the other, and goes on after failures.
package struct TestRunner {
  /// Which cases, and in which order.
  package struct Choice: Hashable, Sendable {
    /// A piece of a case's name, or a pattern with `*` for the whole of it.
    package var pattern: String?
    package var shuffleSeed: UInt64?
    package var stopsAtFailure = false
    /// Of properties that do not say their own.
    package var seed: UInt64 = 1

    package init() {}
  }

  /// A case to run, and whose.
  package struct Item: Sendable {
    package var file: Int
    package var test: TestCase
    package var id: String
  }

  package let plan: TestPlan
  package let choice: Choice
  package let items: [Item]
  private let budget: Budget
  private let setting: Simulation.Setting

  /// `clock`, where given, measures each case and handler; lines are noted for coverage.
  package init(
    _ plan: TestPlan, _ choice: Choice = Choice(), budget: Budget = Budget(),
    notesLines: Bool = false, clock: (() -> Duration)? = nil
  ) {
    self.plan = plan
    self.choice = choice
    self.budget = budget
    setting = Simulation.Setting(seed: choice.seed, notesLines: notesLines, clock: clock)
    var items: [Item] = []
    for (index, file) in plan.files.enumerated() {
      for test in file.cases {
        let id = "\(file.test.file): \(test.name)"
        if choice.takes(name: test.name, id: id) {
          items.append(Item(file: index, test: test, id: id))
        }
      }
    }
    if let seed = choice.shuffleSeed {
      var mixer = Mixer(seed: seed)
      mixer.shuffle(&items)
    }
    self.items = items
  }

  /// Runs them; each outcome is told as it comes. What each policy did is returned.
  @discardableResult
  package func run(_ tell: (TestOutcome) -> Void) -> [String: PolicyRecord] {
    var runners = plan.files.map {
      CaseRunner(
        policy: $0.policy, test: $0.test, budget: budget, setting: setting, seed: choice.seed)
    }
    for item in items {
      let began = setting.clock?()
      var outcome = runners[item.file].run(item.test)
      if let began, let clock = setting.clock { outcome.time = clock() - began }
      tell(outcome)
      if choice.stopsAtFailure, !outcome.passed { break }
    }
    var records: [String: PolicyRecord] = [:]
    for runner in runners { records[runner.policy.name] = runner.record }
    return records
  }
}

extension TestRunner.Choice {
  /// Without a star a piece of the name is enough.
  func takes(name: String, id: String) -> Bool {
    guard let pattern else { return true }
    let wanted = Array(pattern.utf8)
    if !pattern.contains("*") { return Self.fits(Array("*\(pattern)*".utf8), Array(id.utf8)) }
    return Self.fits(wanted, Array(name.utf8)) || Self.fits(wanted, Array(id.utf8))
  }

  /// Whether a pattern fits the whole text; only `*` has a meaning.
  private static func fits(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    let star = UInt8(ascii: "*")
    var (place, at) = (0, 0)
    var retry: (place: Int, at: Int)?
    while at < text.count {
      if place < pattern.count, pattern[place] == star {
        retry = (place, at)
        place += 1
      } else if place < pattern.count, pattern[place] == text[at] {
        place += 1
        at += 1
      } else if let last = retry {
        retry = (last.place, last.at + 1)
        place = last.place + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == star }
  }
}
