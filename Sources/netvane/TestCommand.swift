import Glibc
import PathDaemon
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
    return options.watches ? watch(place) : once(place)
  }

  /// Runs them now, and again whenever a file changes, until somebody ends it.
  private func watch(_ place: String) -> Int32 {
    do throws(PolicyDirectory.Unreadable) {
      // A directory that is not there would be waited for without an end.
      _ = try PolicyDirectory(reading: place, withTests: true)
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 2
    }
    do throws(LoopError) {
      let loop = try EventLoop()
      let files = try TreeWatch(loop: loop, directory: place) {
        if console.print(console.styled("a file changed", .faint)) { _ = once(place) }
        // Nobody reads any more.
        if console.isBroken { loop.stop(1) }
      }
      _ = once(place)
      if console.isBroken { return 1 }
      if let problem = files.problem { console.complain("netvane: \(visible(problem))") }
      return try withExtendedLifetime(files) { () throws(LoopError) in try loop.run() }
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 2
    }
  }

  private func once(_ place: String) -> Int32 {
    let directory: PolicyDirectory
    do throws(PolicyDirectory.Unreadable) {
      directory = try PolicyDirectory(reading: place, withTests: true)
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 2
    }
    let plan = TestPlan(directory)
    let runner = TestRunner(
      plan, options.choice, notesLines: options.notesLines, clock: Self.now)
    if options.lists { return list(runner) }
    if options.mutates { return mutate(plan) }
    return run(runner, directory, place)
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

  private func run(_ runner: TestRunner, _ directory: PolicyDirectory, _ place: String) -> Int32 {
    var report = options.format.report(style: mark)
    var summary = TestSummary(problems: runner.plan.problems)
    show(report.begin(runner.items.count))
    let records = runner.run { outcome in
      summary.add(outcome)
      show(report.add(outcome))
    }
    show(report.end(summary))
    if summary.exitCode == 3 { console.complain("netvane: \(nothing(runner, place))") }
    if options.benches {
      for (policy, record) in records.sorted(by: { $0.key < $1.key }) {
        record.benchLines(policy).forEach(remark)
      }
    }
    let isCovered = !options.notesLines || cover(directory, records, place)
    return summary.exitCode == 0 && !isCovered ? 1 : summary.exitCode
  }

  /// What is no outcome: beside them for people, and apart from them where programs read.
  private func remark(_ line: String) {
    if options.format == .text {
      console.print(visible(line))
    } else {
      console.complain(visible(line))
    }
  }

  // MARK: Coverage

  /// Whether enough was reached, and what was could be written.
  private func cover(
    _ directory: PolicyDirectory, _ records: [String: PolicyRecord], _ place: String
  ) -> Bool {
    let all = directory.scripts.map { Coverage($0, records[$0.name] ?? PolicyRecord()) }
    if options.showsCoverage { all.flatMap(\.lines).forEach(remark) }
    var isGood = true
    if let least = options.coverageLeast {
      for one in all where one.percent < least {
        remark("\(one.file): \(one.percent) % of its lines were reached; \(least) % are asked for")
        isGood = false
      }
    }
    guard let path = options.lcov else { return isGood }
    let text = all.flatMap { $0.lcov(place) }.map { $0 + "\n" }.joined()
    return write(text, to: path) && isGood
  }

  private func write(_ text: String, to path: String) -> Bool {
    do throws(WriteFailure) {
      let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw .refused(errno) }
      try Writing.file(text, to: file)
      return true
    } catch {
      console.complain("netvane: \(visible(path)) cannot be written: \(error.message)")
      return false
    }
  }

  // MARK: Mutation

  private func mutate(_ plan: TestPlan) -> Int32 {
    for problem in plan.problems { console.complain("netvane: \(visible(problem))") }
    var code: Int32 = plan.problems.isEmpty ? plan.files.isEmpty ? 3 : 0 : 2
    for file in plan.files {
      let result = Mutation(seed: options.choice.seed).run(file)
      if result.isBroken {
        console.print("\(visible(result.file)): its tests fail as they are")
      } else {
        for survivor in result.survivors { console.print(visible(survivor.text)) }
        let noticed = result.tried - result.survivors.count
        console.print("\(visible(result.file)): \(noticed) of \(result.tried) changes noticed")
      }
      if code == 0, result.isBroken || !result.survivors.isEmpty { code = 1 }
    }
    return code
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
