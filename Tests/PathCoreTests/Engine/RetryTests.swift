import PathTestKit
import Testing

@testable import PathCore

/// Trying again: how long it waits, how often it tries, and when trying makes sense.
@Suite struct RetryTests {
  private static let cable = MonitorDeclaration(
    name: "cable", filter: PathFilter(required: .wired), settle: .fixed(.zero))
  private static let internet = MonitorDeclaration(name: "internet", settle: .fixed(.zero))

  /// Whole milliseconds that each wait was long, while every try fails at once.
  private func waits(_ rule: RetryRule, tries: Int, seed: UInt64) -> [Duration] {
    let rig = ActionRig(seed: seed)
    rig.ask(.exec(retry: rule))
    var waits: [Duration] = []
    for _ in 0..<tries {
      guard let next = rig.nextTry() else { break }
      waits.append(next)
      rig.world.advance(next)
      rig.end("k")
    }
    return waits
  }

  // MARK: Backoff

  @Test func `each wait is between half and the whole of one that doubles up to its cap`() {
    let rule = RetryRule(base: .seconds(2), cap: .seconds(30))
    var shares: [Double] = []
    for seed in UInt64(1)...60 {
      let waits = waits(rule, tries: 8, seed: seed)
      #expect(waits.count == 8)
      for (wait, whole) in zip(waits, [2, 2, 4, 8, 16, 30, 30, 30]) {
        #expect(wait >= .seconds(whole) / 2 && wait <= .seconds(whole), "seed \(seed): \(waits)")
        shares.append(wait / .seconds(whole))
      }
    }
    // All of the range is used, and evenly.
    #expect(shares.min() ?? 1 < 0.52 && shares.max() ?? 0 > 0.98)
    let mean = shares.reduce(0, +) / Double(shares.count)
    #expect(mean > 0.72 && mean < 0.78)
  }

  @Test func `the same seed waits the same, another seed or another policy otherwise`() {
    let rule = RetryRule(base: .seconds(2), cap: .seconds(30))
    #expect(waits(rule, tries: 6, seed: 4) == waits(rule, tries: 6, seed: 4))
    #expect(waits(rule, tries: 6, seed: 4) != waits(rule, tries: 6, seed: 5))
    let rig = ActionRig("p", "q")
    rig.ask("p", .exec(retry: rule))
    rig.ask("q", .exec(retry: rule))
    #expect(rig.nextTry() != rig.nextTry(policy: "q"))
  }

  @Test func `extremes of the rule are no trap`() {
    let year = Duration.seconds(366 * 86_400)
    for (base, cap) in [
      (year, year), (.nanoseconds(1), .nanoseconds(1)), (.zero, .zero), (.seconds(5), .seconds(1)),
      (year, .zero),
    ] {
      let rule = RetryRule(base: base, cap: cap)
      for count in [0, 1, 2, 63, 64, 65, 1_000_000, Int.max] {
        let wait = rule.delay(afterFailures: count)
        #expect(wait >= min(base, cap) && wait <= max(base, cap))
      }
      let waits = waits(rule, tries: 3, seed: 1)
      #expect(waits.count == 3)
    }
    let rig = ActionRig()
    rig.ask(.exec(limit: RateLimit(count: 1, per: year), retry: RetryRule(isNow: true)))
    rig.end("k")
    rig.world.advance(.seconds(10))
    #expect(rig.nextTry() == year - .seconds(10))
    rig.world.sleep(year * 200)
    rig.world.wait(ms: 0)
    #expect(rig.ids.count == 2)
  }

  @Test func `it ends at the first success, and asked anew it counts anew`() {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule(isNow: true)))
    rig.end("k")
    rig.world.wait(ms: 1000)
    rig.end("k", .succeeded)
    #expect(rig.heard.map { $0.dropFirst($0.count - 14) } == ["k succeeded #2"])
    rig.world.wait(ms: 600_000)
    #expect(rig.ids.count == 2 && rig.world.timers.isEmpty)
    rig.ask(.exec(retry: RetryRule(isNow: true)))
    rig.end("k", .succeeded)
    #expect(rig.heard.last?.hasSuffix("k succeeded #1") == true)
  }

  @Test func `a path that comes and goes gives no new attempts`() {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule(base: .seconds(1), attempts: 4)))
    for _ in 0..<40 {
      rig.world.wait(ms: 4000)
      rig.end("k")
      rig.world.down()
      rig.world.wait(ms: 500)
      rig.world.up()
    }
    #expect(rig.ids.count == 4)
    #expect(rig.heard.count == 1 && rig.heard[0].hasSuffix("k failed #4 no"))
  }

  @Test func `now tries at once, otherwise the first try waits too`() {
    let rig = ActionRig()
    rig.ask(.exec("a", retry: RetryRule(isNow: true)), .exec("b", retry: RetryRule()))
    #expect(rig.starts == ["0ms a"])
    rig.world.wait(ms: 1000)
    #expect(rig.ids.map(\.key) == ["a", "b"])
  }

  @Test func `attempts is how often it tries at most, and the last failure is told`() {
    for most in [1, 2, 5] {
      let rig = ActionRig()
      rig.ask(.exec(retry: RetryRule(attempts: most, isNow: true)))
      for _ in 0..<10 {
        rig.end("k")
        rig.world.wait(ms: 200_000)
      }
      #expect(rig.ids.count == most)
      #expect(rig.heard.count == 1 && rig.heard[0].hasSuffix("failed #\(most) no"))
    }
  }

  @Test(arguments: [ActionResult.Ending.refused, .dropped])
  func `what is refused or dropped is not tried again`(_ ending: ActionResult.Ending) {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule(isNow: true)))
    rig.end("k", ending)
    // What was refused was never begun.
    #expect(rig.heard == ["0ms k \(ending.rawValue) #\(ending == .refused ? 0 : 1) no"])
    rig.world.wait(ms: 600_000)
    #expect(rig.ids.count == 1)
  }

  @Test func `a newer one takes the place of a retry, waiting or running`() {
    let rig = ActionRig()
    rig.ask(.exec("k", "1", retry: RetryRule(base: .seconds(60))))
    rig.ask(.exec("k", "2", retry: RetryRule(isNow: true)))
    #expect(rig.heard == ["0ms k dropped #0 a newer one took its place"])
    #expect(rig.nextTry() == nil)
    rig.ask(.exec("k", "3"))
    rig.end("k")
    // The second is not tried again: somebody waits behind it.
    #expect(rig.heard.last == "0ms k failed #1 no")
    #expect(rig.ids.count == 2 && rig.nextTry() == nil)
    rig.end("k", .succeeded)
    #expect(rig.world.engine.policies[0].actions.isEmpty)
  }

  // MARK: within

  @Test func `within bounds the time of trying`() {
    let rig = ActionRig()
    rig.ask(
      .exec(retry: RetryRule(base: .seconds(10), cap: .seconds(10), within: .seconds(60))))
    while rig.heard.isEmpty, rig.world.awake < .seconds(600) {
      rig.world.wait(ms: 100)
      rig.end("k")
    }
    #expect(rig.heard.count == 1 && rig.heard[0].contains("failed"))
    #expect(rig.startTimes.allSatisfy { $0.milliseconds <= 60_000 } && rig.ids.count >= 6)
  }

  @Test func `time in which trying made no sense does not count, nor does sleep`() {
    let rig = ActionRig()
    let rule = RetryRule(base: .seconds(10), cap: .seconds(10), within: .seconds(60))
    rig.ask(.exec(retry: rule), .exec("always", retry: rule.during(.always)))
    for _ in 0..<5 {
      rig.world.wait(ms: 5000)
      rig.end("k")
      rig.end("always")
      rig.world.down()
      rig.world.advance(.seconds(3600))
      rig.end("always")
      rig.world.feed(.asleep)
      rig.world.sleep(.seconds(36_000))
      rig.world.feed(.resumed)
      rig.world.up()
    }
    #expect(rig.heard.map { $0.contains("always failed") } == [true])
    #expect(rig.nextTry() != nil)
  }

  @Test func `a path that comes and goes uses the time up, and that is told`() {
    let rig = ActionRig()
    let rule = RetryRule(base: .seconds(40), cap: .seconds(40), within: .seconds(60), isNow: true)
    rig.ask(.exec(retry: rule))
    rig.end("k")
    for _ in 0..<12 {
      rig.world.wait(ms: 10_000)
      rig.world.down()
      rig.world.wait(ms: 10)
      rig.world.up()
    }
    rig.world.wait(ms: 40_000)
    rig.end("k")
    #expect(rig.heard.count == 1)
    #expect(rig.world.timers.isEmpty && rig.world.engine.policies[0].actions.isEmpty)
  }

  // MARK: during

  @Test func `trying waits for the policy's first monitor, or for the one it names, or for none`() {
    let rig = ActionRig(isUp: false, monitors: [Self.cable, Self.internet])
    rig.world.feed(.snapshot(.offline()))
    let now = RetryRule(isNow: true)
    rig.ask(
      .exec("first", retry: now), .exec("named", retry: now.during(.monitor("internet"))),
      .exec("always", retry: now.during(.always)))
    #expect(rig.starts == ["0ms always"])
    #expect(
      rig.reports.filter { $0.contains("waits") } == [
        "first waiting waits for the path", "named waiting waits for the path",
      ])
    rig.world.wait(ms: 60_000)
    rig.world.up()
    rig.world.wait(ms: 2000)
    #expect(rig.ids.map(\.key) == ["always", "named"])
    rig.world.feed(.snapshot(.online("eth0", type: .wired, index: 3)))
    rig.world.wait(ms: 2000)
    #expect(rig.ids.map(\.key) == ["always", "named", "first"])
  }

  @Test func `what is asked for before anything was read waits for it`() {
    let rig = ActionRig(isUp: false)
    rig.ask(.exec(retry: RetryRule(isNow: true)))
    #expect(rig.ids.isEmpty && rig.nextTry() == nil)
    rig.world.up()
    rig.world.wait(ms: 2000)
    #expect(rig.ids.count == 1)
  }

  @Test func `the loss of the path stops the waiting, not what runs`() {
    let rig = ActionRig()
    rig.ask(.exec("w", retry: RetryRule()), .exec("r", retry: RetryRule(isNow: true)))
    rig.world.down()
    #expect(rig.nextTry("w") == nil && rig.cancels == [])
    rig.end("r")
    #expect(rig.nextTry("r") == nil)
    #expect(rig.reports.last == "r failed no; the next try waits for the path")
    rig.world.wait(ms: 600_000)
    #expect(rig.ids.count == 1)
    rig.world.up()
    rig.world.wait(ms: 2000)
    #expect(rig.ids.map(\.key).sorted() == ["r", "r", "w"])
  }

  @Test func `when the path returns it tries within two seconds, and not everybody at once`() {
    var delays: Set<Int64> = []
    for seed in UInt64(1)...40 {
      let rig = ActionRig(seed: seed)
      rig.ask(.exec(retry: RetryRule(isNow: true)))
      rig.end("k")
      rig.world.down()
      rig.world.wait(ms: 60_000)
      rig.world.up()
      let delay = rig.nextTry() ?? .seconds(9)
      #expect(delay >= .zero && delay <= .seconds(2))
      delays.insert(delay.nanoseconds / 100_000_000)
    }
    #expect(delays.count > 10)
  }

  @Test func `but never sooner than a whole current delay after the last try`() {
    for seed in UInt64(1)...20 {
      let rig = ActionRig(seed: seed)
      rig.ask(.exec(retry: RetryRule(base: .seconds(8), cap: .seconds(60))))
      for _ in 0..<200 {
        rig.world.wait(ms: 700)
        rig.end("k")
        rig.world.down()
        rig.world.wait(ms: 100)
        rig.world.up()
      }
      let times = rig.startTimes.map(\.milliseconds)
      #expect(times.count >= 3)
      for (index, (first, second)) in zip(times, times.dropFirst()).enumerated() {
        let whole = min(8000 << index, 60_000)
        #expect(second - first >= whole, "seed \(seed): try \(index + 2) of \(times)")
      }
    }
  }

  @Test func `a path that is there for moments only gets its first try all the same`() {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule(base: .seconds(8))))
    for _ in 0..<60 {
      rig.world.wait(ms: 700)
      rig.world.down()
      rig.world.wait(ms: 100)
      rig.world.up()
    }
    #expect(rig.ids.count == 1)
    #expect(rig.startTimes.allSatisfy { (4000...20_000).contains($0.milliseconds) })
  }

  // MARK: limit

  @Test func `beyond its limit a retry waits until it is free, and is told nothing`() {
    let rig = ActionRig()
    let rule = RetryRule(base: .seconds(1), cap: .seconds(1), isNow: true)
    rig.ask(.exec(limit: RateLimit(count: 3, per: .seconds(60)), retry: rule))
    while rig.world.awake < .seconds(130) {
      rig.end("k")
      rig.world.wait(ms: 100)
    }
    let times = rig.startTimes.map(\.milliseconds)
    #expect(times.count == 9 || times.count == 8)
    for (first, fourth) in zip(times, times.dropFirst(3)) { #expect(fourth - first >= 60_000) }
    #expect(rig.heard == [])
    #expect(rig.reports.contains("k waiting more than 3 in 1m"))
  }

  @Test func `a limit that is free only after the time of trying ends it`() {
    let rig = ActionRig()
    let rule = RetryRule(base: .seconds(1), within: .seconds(30), isNow: true)
    rig.ask(.exec(limit: RateLimit(count: 1, per: .seconds(60)), retry: rule))
    rig.end("k")
    rig.world.wait(ms: 2000)
    #expect(rig.heard.count == 1 && rig.heard[0].hasSuffix("k refused #1 more than 1 in 1m"))
    #expect(rig.world.timers.isEmpty)
  }

  @Test func `a late result of an old start is not the new one's`() {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule(isNow: true)))
    let first = rig.ids[0]
    rig.end("k")
    rig.world.wait(ms: 1000)
    #expect(rig.ids.count == 2)
    #expect(rig.world.feed(.result(first, ActionResult(.succeeded))).isEmpty)
    #expect(rig.heard == [])
  }
}

extension RetryRule {
  func during(_ during: During) -> RetryRule {
    var rule = self
    rule.during = during
    return rule
  }
}
