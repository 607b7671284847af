import Glibc
import PathPolicy
import PolicyTesting

/// `netvane test`: runs the tests of policies.
struct TestCommand {
  let options: TestOptions
  let console: Console

  func perform() -> Int32 {
    guard let place = Places.policies(options.directory) else {
      console.complain("netvane: no directory of policies; name one: netvane test DIR")
      return 3
    }
    let directory: PolicyDirectory
    do throws(PolicyDirectory.Unreadable) {
      directory = try PolicyDirectory(reading: place, withTests: true)
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 2
    }
    let plan = TestPlan(directory)
    let runner = TestRunner(plan, options.choice, clock: Self.now)
    if options.lists { return list(runner) }
    return run(runner, place)
  }

  /// CLOCK_MONOTONIC.
  private static func now() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(Int64(time.tv_nsec))
  }

  private func list(_ runner: TestRunner) -> Int32 {
    for item in runner.items { console.print(visible(item.id)) }
    for problem in runner.plan.problems { console.complain("netvane: \(visible(problem))") }
    if !runner.plan.problems.isEmpty { return 2 }
    return runner.items.isEmpty ? 3 : 0
  }

  private func run(_ runner: TestRunner, _ place: String) -> Int32 {
    var report = options.format.report(style: mark)
    var summary = TestSummary(problems: runner.plan.problems)
    show(report.begin(runner.items.count))
    runner.run { outcome in
      summary.add(outcome)
      show(report.add(outcome))
    }
    show(report.end(summary))
    if summary.exitCode == 3 { console.complain("netvane: \(nothing(runner, place))") }
    return summary.exitCode
  }

  /// Why there was nothing to run.
  private func nothing(_ runner: TestRunner, _ place: String) -> String {
    if runner.plan.count > 0, let pattern = options.choice.pattern {
      return "none of the \(runner.plan.count) cases has \(quoted(pattern)) in its name"
    }
    return "\(visible(place)) holds no tests (files named *_test.lua beside the policies)"
  }

  private func show(_ lines: [String]) {
    for line in lines { console.print(line) }
  }

  private func mark(_ text: String, _ mark: TextReport.Mark) -> String {
    switch mark {
    case .good: console.styled(text, .green)
    case .bad: console.styled(text, .red, .bold)
    case .faint: console.styled(text, .faint)
    }
  }
}
