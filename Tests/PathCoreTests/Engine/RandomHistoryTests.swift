import PathTestKit
import Testing

@testable import PathCore

extension Engine {
  var policyNames: [String] { policies.map(\.name) }
}

/// Properties of any history, tried on random ones.
@Suite struct RandomHistoryTests {
  private func steps(_ seed: UInt64, _ count: Int) -> [RandomStep] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in .random(&generator) }
  }

  /// Takes away every step that the complaint does not need.
  private func shortened(
    _ steps: [RandomStep], _ complaint: ([RandomStep]) -> String?
  ) -> [RandomStep] {
    var steps = steps
    var size = max(steps.count / 2, 1)
    while true {
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if complaint(fewer) != nil { steps = fewer } else { start += size }
      }
      if size == 1 { return steps }
      size /= 2
    }
  }

  private func check(
    _ seeds: ClosedRange<UInt64>, count: Int = 60, _ complaint: ([RandomStep]) -> String?
  ) {
    for seed in seeds {
      let steps = steps(seed, count)
      guard let found = complaint(steps) else { continue }
      let short = shortened(steps, complaint)
      let why = complaint(short) ?? found
      Issue.record("seed \(seed): \(why)\n  [\(short.map(\.description).joined(separator: ", "))]")
      return
    }
  }

  @Test func `what must hold between facts holds, and the present path is told in the end`() {
    check(1...150) { RandomWorld().run($0) }
  }

  @Test func `the end of a rest in a sleep shows its change before an alert's time is over`() {
    #expect(
      RandomWorld().run([
        .sleep(seconds: 3600, shows: 2), .show(0), .show(3), .pass(milliseconds: 299),
        .pass(milliseconds: 50), .sleep(seconds: 3600, shows: 2),
      ]) == nil)
  }

  @Test func `nor do policies that never fail break it`() {
    check(1000...1100) { RandomWorld(faultsEvery: 0).run($0) }
  }

  @Test func `the same facts give the same orders`() {
    check(1...40) { steps in
      let first = RandomWorld(watches: false)
      _ = first.run(steps)
      let host = ScriptedHost()
      RandomWorld.script(host, faultsEvery: 3)
      var engine = Engine(host: host, seed: 7)
      var lines: [String] = []
      for entry in first.world.facts {
        lines += engine.handle(entry.fact, at: entry.at).map {
          "\(entry.at.awake.nanoseconds) \($0)"
        }
      }
      return lines == first.lines ? nil : "a replay decides otherwise"
    }
  }

  @Test func `hints that show nothing new change nothing`() {
    check(1...40) { steps in
      let plain = RandomWorld(watches: false)
      _ = plain.run(steps)
      let hinted = RandomWorld(watches: false)
      var more: [RandomStep] = []
      var isShown = false
      for step in steps {
        more.append(step)
        switch step {
        case .show, .sleep: isShown = true
        default: break
        }
        // A snapshot is what ends a gap; after one, a hint is news.
        if case .gap = step { continue }
        if isShown, !steps.contains(where: \.isGap) { more += [.again, .again] }
      }
      _ = hinted.run(more)
      return plain.lines == hinted.lines ? nil : "hints changed what was said"
    }
  }

  @Test func `a banner is raised at most once for each outage`() {
    check(1...60) { steps in
      let random = RandomWorld(faultsEvery: 0, watches: false)
      _ = random.run(steps)
      let lost = random.world.deliveries.count {
        $0.policy == "banner" && $0.event.path.status != .satisfied
      }
      // Sent away, or resolved with its policy, it is raised anew as "back online".
      let gone = random.world.notices.count {
        $0.notice.policy == "banner" && [.dismissed, .resolved].contains($0.notice.state)
      }
      let raised = random.world.notices.count {
        $0.notice.policy == "banner" && $0.notice.state == .raised
      }
      return raised <= lost + gone ? nil : "\(raised) banners for \(lost) outages"
    }
  }
}

extension RandomStep {
  var isGap: Bool { if case .gap = self { true } else { false } }
}
