import PathTestKit
import Testing

@testable import PathCore

/// Actions while policies come and go and the machine sleeps, and what they do to the network.
@Suite struct ActionLifeTests {
  private func rest(_ rig: ActionRig) {
    for _ in 0..<3 { rig.act { _ in throw ScriptedHost.Failure("no") } }
  }

  // MARK: Policies that change

  @Test func `actions outlive a reload, changed or not`() {
    let rig = ActionRig()
    rig.ask(.exec("a"), .exec("b", retry: RetryRule(base: .seconds(10), cap: .seconds(10))))
    let due = rig.nextTry("b")
    rig.load()
    rig.load(changed: false)
    #expect(rig.nextTry("b") == due && rig.cancels == [])
    rig.end("a", .succeeded)
    #expect(rig.heard == ["0ms a succeeded #1"])
    rig.world.wait(ms: 10_000)
    #expect(rig.ids.map(\.key) == ["a", "b"])
  }

  @Test func `a policy that goes takes its actions with it, and a result after it is nothing`() {
    let rig = ActionRig("p", "q")
    rig.ask("p", .exec("run"), .exec("wait", retry: RetryRule()))
    rig.ask("p", .exec("run"))
    rig.ask("q", .exec("run"))
    rig.load(without: ["p"])
    #expect(rig.cancels.map(\.policy) == ["p"])
    #expect(rig.nextTry("wait") == nil)
    #expect(
      rig.reports.suffix(2) == [
        "run dropped the policy is gone", "wait dropped the policy is gone",
      ])
    #expect(rig.end("run", .dropped).isEmpty)
    // It comes back: the old one's end is still nobody's, and its key is free.
    let old = rig.ids[0]
    rig.load()
    rig.ask("p", .exec("run"))
    #expect(rig.ids.last?.policy == "p")
    #expect(rig.world.feed(.result(old, ActionResult(.dropped))).isEmpty)
    rig.end("run", .succeeded)
    #expect(rig.heard == ["p: 0ms run succeeded #1"])
  }

  @Test func `a policy that is switched off ends its actions too`() {
    let rig = ActionRig()
    rig.ask(.exec("run"), .exec("wait", retry: RetryRule()))
    rig.load(isEnabled: false)
    #expect(rig.cancels == rig.ids && rig.nextTry("wait") == nil)
    #expect(rig.end("run", .dropped).isEmpty)
    rig.world.wait(ms: 60_000)
    #expect(rig.heard == [] && rig.ids.count == 1)
  }

  @Test func `what a resting policy asked for goes on, but it hears nothing while it rests`() {
    let rig = ActionRig()
    rig.ask(.exec("a"), .exec("b", retry: RetryRule()))
    rest(rig)
    rig.end("a", .succeeded)
    rig.world.wait(ms: 1000)
    #expect(rig.ids.map(\.key) == ["a", "b"])
    #expect(rig.heard == [] && rig.reports.contains("a succeeded"))
    rig.world.wait(ms: 60_000)
    rig.end("b", .succeeded)
    #expect(rig.heard == ["61000ms b succeeded #1"])
    #expect(rig.world.host.complaints == [])
  }

  @Test func `a reload that takes away the monitor a retry waits for drops it, and says so`() {
    let cable = MonitorDeclaration(
      name: "cable", filter: PathFilter(required: .wired), settle: .fixed(.zero))
    let internet = MonitorDeclaration(name: "internet", settle: .fixed(.zero))
    let rig = ActionRig(monitors: [cable, internet])
    let rule = RetryRule(isNow: true)
    rig.ask(
      .exec("paused", retry: rule.during(.monitor("cable"))),
      .exec("waits", retry: RetryRule(during: .monitor("internet"))),
      .exec("runs", retry: rule.during(.monitor("internet"))))
    rig.load(monitors: [MonitorDeclaration(name: "other", settle: .fixed(.zero))])
    let gone = "dropped #0 the monitor it waits for is gone"
    #expect(rig.heard == ["0ms paused \(gone)", "0ms waits \(gone)"])
    #expect(rig.nextTry("waits") == nil)
    rig.end("runs")
    #expect(rig.heard.last == "0ms runs failed #1 no")
    #expect(rig.world.engine.policies[0].actions.isEmpty)
  }

  @Test func `a reload whose first monitor has no path pauses what waits for it`() {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule()))
    rig.load(monitors: [
      MonitorDeclaration(name: "cable", filter: PathFilter(required: .wired)),
      MonitorDeclaration(name: "internet"),
    ])
    #expect(rig.nextTry() == nil)
    rig.world.wait(ms: 60_000)
    #expect(rig.ids.isEmpty)
    rig.load()
    rig.world.wait(ms: 3000)
    #expect(rig.ids.count == 1)
  }

  @Test func `after the end nothing is begun or told`() {
    let rig = ActionRig()
    rig.ask(.exec("a"), .exec("b", retry: RetryRule()))
    #expect(rig.world.feed(.stop).isEmpty)
    #expect(rig.end("a", .succeeded).isEmpty)
    rig.world.wait(ms: 10_000)
    #expect(rig.ids.count == 1 && rig.heard == [])
  }

  // MARK: Sleep

  @Test func `nothing is tried in a sleep nor before the first snapshot after it`() {
    for during in [RetryRule.During.firstMonitor, .always] {
      let rig = ActionRig()
      rig.ask(.exec(retry: RetryRule(base: .seconds(10), cap: .seconds(10), during: during)))
      rig.world.wait(ms: 1000)
      rig.world.feed(.asleep)
      rig.world.wait(ms: 500)
      rig.world.sleep(.seconds(7200))
      rig.world.wait(ms: 500)
      #expect(rig.ids.isEmpty)
      rig.world.feed(.resumed)
      rig.world.wait(ms: 20_000)
      #expect(rig.ids.isEmpty, "\(during)")
      rig.world.up()
      rig.world.wait(ms: 10_000)
      #expect(rig.ids.count == 1, "\(during)")
    }
  }

  @Test func `a sleep that nobody announced counts likewise`() {
    let rig = ActionRig()
    rig.ask(.exec(retry: RetryRule(base: .seconds(10), cap: .seconds(10))))
    rig.world.sleep(.seconds(7200))
    rig.world.feed(.resumed)
    #expect(rig.nextTry() == nil)
    rig.world.wait(ms: 5000)
    rig.world.down()
    rig.world.wait(ms: 60_000)
    #expect(rig.ids.isEmpty)
    rig.world.up()
    rig.world.wait(ms: 10_000)
    #expect(rig.ids.count == 1)
  }

  @Test func `a try that fails in a sleep is tried again after it`() {
    for isUp in [true, false] {
      let rig = ActionRig()
      rig.ask(.exec(retry: RetryRule(isNow: true)))
      rig.world.feed(.asleep)
      rig.end("k")
      rig.world.sleep(.seconds(3600))
      rig.world.feed(.resumed)
      if !isUp {
        rig.world.down()
        rig.world.wait(ms: 60_000)
        #expect(rig.ids.count == 1)
      }
      rig.world.up()
      rig.world.wait(ms: 3000)
      #expect(rig.ids.count == 2, "up: \(isUp)")
    }
  }

  @Test func `a result that comes in a sleep is told`() {
    let rig = ActionRig()
    rig.ask(.exec())
    rig.world.feed(.asleep)
    rig.end("k", .succeeded)
    #expect(rig.heard == ["0ms k succeeded #1"])
  }

  // MARK: What an action does to the network

  /// How each change was marked: `1000ms unsatisfied own`.
  private func marks(_ rig: ActionRig) -> [String] {
    rig.world.deliveries.filter { !$0.event.isInitial }.map {
      "\($0.at.nanoseconds / 1_000_000)ms \($0.policy)"
        + ($0.event.isSelfInflicted ? " own" : "")
    }
  }

  @Test func `changes while an action disturbs are its own doing, before and after they are not`() {
    let rig = ActionRig("p", "q")
    rig.world.down()
    rig.ask("p", .exec(disturbs: .seconds(40)))
    rig.world.wait(ms: 1)
    rig.world.up()
    rig.world.wait(ms: 39_998)
    rig.world.down()
    rig.world.wait(ms: 1)
    rig.world.up()
    #expect(
      marks(rig) == [
        "0ms p", "0ms q", "1ms p own", "1ms q own", "39999ms p own", "39999ms q own", "40000ms p",
        "40000ms q",
      ])
  }

  @Test func `the change that led to the action is not the action's, for no policy`() {
    let rig = ActionRig("p", "q", "r")
    rig.onPath = { request, outcome in
      if request.policy == "q" { outcome.intents.append(.act(.exec(disturbs: .seconds(40)))) }
    }
    rig.world.down()
    #expect(marks(rig) == ["0ms p", "0ms q", "0ms r"])
  }

  @Test func `windows that overlap are one, others are not`() {
    let rig = ActionRig("p", "q")
    rig.ask("p", .exec(disturbs: .seconds(10)))
    rig.world.wait(ms: 5000)
    rig.ask("q", .exec(disturbs: .seconds(2)))
    rig.world.wait(ms: 4000)
    rig.world.down()
    rig.world.wait(ms: 1000)
    rig.world.up()
    rig.ask("q", .exec("l", disturbs: .seconds(2)))
    rig.world.wait(ms: 1000)
    rig.world.down()
    rig.world.wait(ms: 1000)
    rig.world.up()
    #expect(
      marks(rig).filter { $0.contains("p") }
        == ["9000ms p own", "10000ms p", "11000ms p own", "12000ms p"])
  }

  @Test func `what counts is when the change began, not when it was told`() {
    let rig = ActionRig(monitors: [MonitorDeclaration(name: "internet", settle: .function)])
    var asked: [Bool] = []
    rig.world.host.on("p", .settle) { request, outcome in
      asked.append(request.change?.isSelfInflicted == true)
      outcome.settle = .seconds(20)
    }
    rig.load(monitors: [MonitorDeclaration(name: "internet", settle: .function)])
    rig.ask(.exec("a", disturbs: .seconds(5)))
    rig.world.wait(ms: 4000)
    rig.world.down()
    rig.world.wait(ms: 6000)
    // Another window begins, and ends, before it is told.
    rig.ask(.exec("b", disturbs: .seconds(1)))
    rig.world.wait(ms: 14_000)
    rig.world.up()
    rig.world.wait(ms: 1000)
    rig.ask(.exec("c", disturbs: .seconds(60)))
    rig.world.wait(ms: 30_000)
    #expect(asked == [true, false])
    #expect(marks(rig) == ["24000ms p own", "44000ms p"])
  }

  @Test func `what was refused disturbs nothing, and leaves other windows alone`() {
    for others in [false, true] {
      let rig = ActionRig()
      if others { rig.ask(.exec("other", disturbs: .seconds(20))) }
      rig.ask(.exec(disturbs: .seconds(40)))
      rig.end("k", .refused, "no command is granted under that name")
      rig.world.wait(ms: 5000)
      rig.world.down()
      #expect(rig.world.deliveries.last?.event.isSelfInflicted == others)
    }
    let rig = ActionRig()
    rig.ask(.exec(disturbs: .seconds(40)))
    rig.end("k", .failed)
    rig.world.wait(ms: 5000)
    rig.world.down()
    #expect(rig.world.deliveries.last?.event.isSelfInflicted == true)
  }

  @Test func `windows that are remembered have a bound`() {
    let rig = ActionRig()
    for index in 0..<100 {
      rig.ask(.exec("k\(index)", disturbs: .seconds(100_000 + index)))
      rig.end("k\(index)", .succeeded)
    }
    #expect(rig.world.engine.disturbances.count == EngineLimits.disturbances)
    rig.world.advance(.seconds(100_099) - .milliseconds(1))
    rig.world.down()
    #expect(rig.world.deliveries.last?.event.isSelfInflicted == true)
  }

  @Test func `each try of a retry disturbs anew, and the awake clock counts`() {
    let rig = ActionRig()
    rig.ask(
      .exec(
        disturbs: .seconds(5),
        retry: RetryRule(base: .seconds(600), cap: .seconds(600), during: .always, isNow: true)))
    rig.end("k")
    rig.world.wait(ms: 1000)
    rig.world.sleep(.seconds(40))
    rig.world.down()
    rig.world.wait(ms: 6000)
    rig.world.up()
    rig.world.advance(rig.nextTry() ?? .zero)
    rig.world.wait(ms: 10)
    rig.world.down()
    #expect(rig.world.deliveries.map(\.event.isSelfInflicted) == [false, true, false, true])
  }

  // MARK: Bounds

  @Test func `keys that a policy makes up do not fill the memory`() {
    let rig = ActionRig()
    let hour = RateLimit(count: 1, per: .seconds(3600))
    for index in 0..<5000 {
      rig.world.wait(ms: 600)
      rig.ask(.exec("k\(index)", limit: hour))
      rig.end("k\(index)", .succeeded)
    }
    #expect(rig.ids.count == 5000)
    let policy = rig.world.engine.policies[0]
    #expect(policy.runs.count == EngineLimits.limitedKeysPerPolicy && policy.actions.isEmpty)
    // The newest are those that are remembered.
    rig.ask(.exec("k4999", limit: hour), .exec("k4800", limit: hour))
    #expect(rig.ids.count == 5000)
  }

  @Test func `a limit remembers runs as they are due, and none of the future`() {
    var log = RunLog(times: [.seconds(100), .seconds(9_000_000)])
    #expect(
      log.nextFree(RateLimit(count: 2, per: .seconds(60)), at: .seconds(120)) == .seconds(160))
    #expect(log.nextFree(RateLimit(count: 2, per: .seconds(60)), at: .seconds(160)) == nil)
    for second in 0..<2000 { log.note(at: .seconds(second)) }
    #expect(log.times.count == 1000)
    #expect(log.nextFree(RateLimit(count: 1000, per: .seconds(9000)), at: .seconds(2000)) != nil)
  }

  @Test func `thirty-two monitors, each with a retry of its own`() {
    let monitors = (0..<32).map { index in
      MonitorDeclaration(
        name: "m\(index < 10 ? "0" : "")\(index)",
        filter: PathFilter(interface: "wlan\(index)"), settle: .fixed(.zero))
    }
    let rig = ActionRig(isUp: false, monitors: monitors)
    rig.act { outcome in
      for monitor in monitors {
        let rule = RetryRule(during: .monitor(monitor.name), isNow: true)
        outcome.intents.append(.act(.exec(monitor.name, retry: rule)))
      }
    }
    #expect(rig.ids.isEmpty)
    for index in 0..<32 {
      rig.world.up("wlan\(index)")
      rig.world.wait(ms: 2000)
      rig.end(monitors[index].name, .succeeded)
    }
    #expect(rig.ids.map(\.key) == monitors.map(\.name))
    #expect(rig.world.engine.policies[0].actions.isEmpty)
  }
}
