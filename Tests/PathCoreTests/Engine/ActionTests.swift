import PathTestKit
import Testing

@testable import PathCore

/// One action at work and one behind it for each key.
@Suite struct ActionTests {
  let rig = ActionRig()
  var world: ScriptedWorld { rig.world }

  private func commands(_ orders: [Order]) -> [String] {
    orders.compactMap {
      if case .perform(_, .exec(let request), _) = $0 { request.command } else { nil }
    }
  }

  @Test func `one runs and one waits for each key, and the latest wins`() {
    #expect(commands(rig.ask(.exec("k", "1"))) == ["1"])
    #expect(commands(rig.ask(.exec("k", "2"))) == [])
    #expect(commands(rig.ask(.exec("k", "3"))) == [])
    #expect(rig.heard == ["0ms k dropped #0 a newer one took its place"])
    #expect(commands(rig.end("k", .succeeded)) == ["3"])
    #expect(rig.heard.dropFirst() == ["0ms k succeeded #1"])
    #expect(commands(rig.end("k", .succeeded)) == [])
    #expect(rig.heard.count == 3)
    #expect(world.engine.policies[0].actions.isEmpty)
  }

  @Test func `keys do not wait for each other, nor do policies`() {
    let rig = ActionRig("p", "q")
    rig.ask("p", .exec("a"), .exec("b"))
    rig.ask("q", .exec("a"))
    #expect(rig.starts == ["0ms a", "0ms b", "0ms a"])
    #expect(Set(rig.ids.map(\.serial)).count == 3)
  }

  @Test func `sequence alone drops nothing: a change of path leaves what waits`() {
    rig.ask(.exec("k", "1"))
    rig.ask(.exec("k", "2"))
    for _ in 0..<3 {
      world.down()
      world.wait(ms: 1000)
      world.up()
    }
    #expect(rig.heard == [])
    #expect(commands(rig.end("k")) == ["2"])
  }

  // MARK: Cancel

  @Test func `cancel ends what runs, once, and its own result tells it`() {
    rig.ask(.exec())
    rig.cancel("k")
    #expect(rig.cancels == rig.ids)
    #expect(rig.heard == [])
    rig.end("k", .dropped, "it was ended")
    #expect(rig.heard == ["0ms k dropped #1 it was ended"])
    rig.end("k", .dropped)
    #expect(rig.heard.count == 1)
  }

  @Test func `cancel drops what waits behind it too`() {
    rig.ask(.exec("k", "1"))
    rig.ask(.exec("k", "2"))
    rig.cancel("k")
    #expect(rig.heard == ["0ms k dropped #0 it was cancelled"])
    #expect(commands(rig.end("k", .dropped)) == [])
    #expect(rig.heard.count == 2)
  }

  @Test func `what is asked for after a cancel waits for the end of what was cancelled`() {
    rig.ask(.exec("k", "1"))
    rig.act { outcome in
      outcome.intents += [.cancelAction(key: "k"), .act(.exec("k", "2"))]
    }
    #expect(rig.ids.count == 1)
    #expect(commands(rig.end("k", .dropped)) == ["2"])
  }

  @Test func `cancel of a retry that waits ends its timer, and of one that runs the tries`() {
    rig.ask(.exec(retry: RetryRule(isNow: true)))
    rig.cancel("k")
    rig.end("k")
    #expect(rig.nextTry() == nil && rig.heard == ["0ms k failed #1 no"])
    rig.ask(.exec(retry: RetryRule()))
    #expect(rig.nextTry() != nil)
    rig.cancel("k")
    #expect(rig.nextTry() == nil)
    #expect(rig.heard.last == "0ms k dropped #0 it was cancelled")
    rig.cancel("nobody")
    world.wait(ms: 60_000)
    #expect(rig.ids.count == 1)
  }

  // MARK: only_while

  @Test func `what may happen in one status only is not begun in another`() {
    world.down()
    rig.ask(.exec("k", onlyWhile: .satisfied), .exec("l", onlyWhile: .unsatisfied))
    #expect(rig.starts == ["0ms l"])
    #expect(rig.heard == ["0ms k dropped #0 the path is not satisfied"])
  }

  @Test func `what waits for one status is dropped when it stops, what runs is not`() {
    rig.ask(.exec("k", "1", onlyWhile: .satisfied), .exec("l", "1"))
    rig.ask(.exec("k", "2", onlyWhile: .satisfied), .exec("l", "2"))
    rig.ask(.exec("r", onlyWhile: .satisfied, retry: RetryRule(during: .always)))
    let orders = world.feed(.snapshot(.offline()))
    #expect(
      rig.heard == [
        "0ms k dropped #0 the path became unsatisfied",
        "0ms r dropped #0 the path became unsatisfied",
      ])
    #expect(rig.cancels == [] && rig.nextTry("r") == nil)
    // Dropped because of what was told, so told first.
    let place = orders.firstIndex { if case .deliver = $0 { true } else { false } }
    let dropped = orders.firstIndex { if case .action = $0 { true } else { false } }
    #expect(place != nil && dropped != nil && place ?? 9 < dropped ?? 0)
    #expect(commands(rig.end("k")) == [])
    #expect(commands(rig.end("l")) == ["2"])
  }

  @Test func `a blip that no policy was told of drops nothing`() {
    let rig = ActionRig(monitors: [MonitorDeclaration(name: "internet")])
    rig.ask(.exec("k", "1", onlyWhile: .satisfied))
    rig.ask(.exec("k", "2", onlyWhile: .satisfied))
    rig.world.down()
    rig.world.wait(ms: 100)
    rig.world.up()
    rig.world.wait(ms: 1000)
    #expect(rig.heard == [])
  }

  @Test func `an action is not begun when the path is another, though nobody was told`() {
    let rig = ActionRig(monitors: [MonitorDeclaration(name: "internet")])
    rig.ask(.exec("k", "1", onlyWhile: .satisfied))
    rig.ask(.exec("k", "2", onlyWhile: .satisfied))
    rig.world.down()
    rig.ask(.exec("l", onlyWhile: .satisfied))
    rig.end("k", .succeeded)
    #expect(rig.starts == ["0ms k"])
    #expect(rig.heard.filter { $0.contains("dropped") }.count == 2)
  }

  // MARK: limit

  @Test func `beyond its limit a single action is refused and told, until time has passed`() {
    let limited = ActionRequest.exec("k", limit: RateLimit(count: 2, per: .seconds(60)))
    for second in [0, 10, 10, 49] {
      world.advance(.seconds(second))
      rig.ask(limited)
      rig.end("k", .succeeded)
    }
    // At 0, 10, 20 and 69 s: the third is one too many, the fourth is not.
    #expect(rig.starts == ["0ms k", "10000ms k", "69000ms k"])
    #expect(
      rig.heard.filter { $0.contains("refused") }
        == ["20000ms k refused #0 more than 2 in 1m"])
    #expect(rig.reports.contains("k refused more than 2 in 1m"))
  }

  @Test func `a refused run does not count against the limit`() {
    let limited = ActionRequest.exec("k", limit: RateLimit(count: 1, per: .seconds(10)))
    for _ in 0..<11 {
      rig.ask(limited)
      rig.end("k", .succeeded)
      world.wait(ms: 1000)
    }
    #expect(rig.starts == ["0ms k", "10000ms k"])
  }

  @Test func `the limit counts time asleep, and what waits behind another is held to it too`() {
    let limited = ActionRequest.exec("k", limit: RateLimit(count: 1, per: .seconds(3600)))
    rig.ask(limited)
    rig.ask(limited)
    rig.end("k", .succeeded)
    #expect(rig.starts == ["0ms k"])
    #expect(rig.heard == ["0ms k succeeded #1", "0ms k refused #0 more than 1 in 1h"])
    world.sleep(.seconds(3600))
    rig.ask(limited)
    #expect(rig.starts.count == 2)
  }

  @Test func `a limit that a reload meets is kept`() {
    let limited = ActionRequest.exec("k", limit: RateLimit(count: 1, per: .seconds(3600)))
    rig.ask(limited)
    rig.end("k", .succeeded)
    rig.load()
    rig.ask(limited)
    #expect(rig.starts.count == 1)
  }

  // MARK: Handlers

  @Test func `on_result comes once and after everything else of the fact`() {
    rig.ask(.exec("k", "1"))
    rig.ask(.exec("k", "2"))
    rig.answer = { _, _, outcome in outcome.log("heard") }
    let orders = rig.end("k", .succeeded)
    #expect(
      orders.map(\.description)
        == [
          "action p k exec succeeded", "action p k exec started",
          "perform p k #2 exec c within 30s",
          #"log p "heard""#,
        ].map { $0.replacing("exec c", with: "exec 2") })
    #expect(rig.heard.count == 1)
  }

  @Test func `a fact tells a few ends, the rest come one after the other at the same moment`() {
    let refused = { (place: Int) in ActionRequest.exec("k\(place)", onlyWhile: .unsatisfied) }
    rig.answer = { _, told, outcome in
      guard told.key.hasPrefix("k") else { return }
      outcome.act(.exec("again " + told.key, onlyWhile: .unsatisfied))
    }
    rig.act { outcome in outcome.intents += (0..<6).map { .act(refused($0)) } }
    #expect(rig.heard.count == EngineLimits.outcomesPerFact)
    #expect(rig.world.timers[TimerID(.outcome, policy: "p")] == Deadline(.awake, .zero))
    // Whatever comes next, a signal or the kernel, has its turn before them.
    rig.world.up()
    #expect(rig.heard.count == EngineLimits.outcomesPerFact)
    rig.world.advance(.zero)
    #expect(
      rig.heard.map { $0.split(separator: " ").dropFirst().prefix { $0 != "dropped" }.joined() }
        == (0..<6).map { "k\($0)" } + (0..<6).map { "againk\($0)" })
    #expect(rig.world.timers.keys.allSatisfy { $0.kind != .outcome })
  }

  @Test func `a policy without on_result is not asked`() {
    let world = ScriptedWorld()
    world.host.on("p", .start) { _, outcome in outcome.intents.append(.act(.exec())) }
    world.start(world.host.declaration("p"))
    world.up()
    world.feed(
      .result(ActionID(policy: "p", key: "k", serial: 1), ActionResult(.failed, error: "no")))
    #expect(world.host.requests.count == 1)
    #expect(world.engine.policies[0].actions.isEmpty)
  }

  @Test func `what a failed handler asked for is not done, nor is what it cancelled`() {
    rig.ask(.exec("k"))
    rig.act { outcome in
      outcome.intents += [.act(.exec("l")), .cancelAction(key: "k")]
      throw ScriptedHost.Failure("no")
    }
    #expect(rig.starts == ["0ms k"] && rig.cancels == [])
    #expect(world.faults.count == 1)
  }

  @Test func `of one key too many nothing takes effect`() {
    for turn in 0..<2 {
      rig.act { outcome in
        for index in 0..<32 { outcome.intents.append(.act(.exec("\(turn)-\(index)"))) }
      }
    }
    #expect(world.engine.policies[0].actions.count == 64 && world.faults == [])
    rig.act { outcome in
      outcome.log("never")
      outcome.intents.append(.act(.exec("one more")))
    }
    #expect(world.engine.policies[0].actions.count == 64)
    #expect(
      world.faults.map(\.message) == [
        "at most 64 actions at a time are allowed; nothing of this call took effect"
      ])
    // Room is made by what waits, not by what still has to end.
    rig.act { $0.intents += [.cancelAction(key: "0-0"), .act(.exec("x"))] }
    #expect(world.faults.count == 2 && world.engine.policies[0].actions.count == 64)
    rig.end("0-0", .succeeded)
    rig.ask(.exec("x", retry: RetryRule()))
    rig.act { $0.intents += [.cancelAction(key: "x"), .act(.exec("y"))] }
    #expect(world.faults.count == 2 && world.engine.policies[0].actions["y"] != nil)
  }

  @Test func `who asks again for what is refused ends at the minute's bound and harms nobody`() {
    let rig = ActionRig("p", "q")
    let limited = ActionRequest.exec("k", limit: RateLimit(count: 1, per: .seconds(3600)))
    rig.answer = { name, told, outcome in
      if name == "p", told.result.ending == .refused { outcome.intents.append(.act(limited)) }
    }
    rig.ask("p", limited)
    rig.end("k", .succeeded)
    rig.ask("p", limited)
    rig.world.advance(.zero)
    #expect(rig.heard.count == EngineLimits.actionsPerMinute)
    #expect(
      rig.reports.count { $0.hasSuffix("120 actions in a minute; the rest is left out") } == 1)
    rig.ask("p", .exec("other"))
    #expect(rig.starts == ["0ms k"])
    #expect(
      rig.reports.count { $0.hasSuffix("120 actions in a minute; the rest is left out") } == 1)
    rig.ask("q", .exec("k"))
    rig.end("k", .succeeded, policy: "q")
    #expect(rig.heard.last == "q: 0ms k succeeded #1")
    rig.world.wait(ms: 60_000)
    rig.ask("p", .exec("other"))
    #expect(rig.starts.last == "60000ms other")
    #expect(rig.world.faults == [])
  }

  @Test func `a command finds the event in its environment`() {
    rig.onPath = { _, outcome in outcome.intents.append(.act(.exec("lost"))) }
    let orders = world.feed(.snapshot(.offline()))
    var facts: [String: String] = [:]
    for case .perform(_, _, let given) in orders { facts = given }
    #expect(
      facts == [
        "NETVANE_POLICY": "p", "NETVANE_KEY": "lost", "NETVANE_HANDLER": "on_path",
        "NETVANE_MONITOR": "internet", "NETVANE_STATUS": "unsatisfied",
        "NETVANE_REASON": "noCarrier", "NETVANE_WHY": facts["NETVANE_WHY"] ?? "",
        "NETVANE_PREVIOUS_STATUS": "satisfied",
      ])
    #expect(facts["NETVANE_WHY"]?.isEmpty == false)
  }

  // MARK: Results

  @Test func `a result that nobody waits for changes nothing`() {
    rig.ask(.exec("k", "1"))
    let good = ActionResult(.succeeded)
    for id in [
      ActionID(policy: "p", key: "k", serial: 7), ActionID(policy: "p", key: "l", serial: 1),
      ActionID(policy: "q", key: "k", serial: 1),
    ] {
      #expect(world.feed(.result(id, good)).isEmpty)
    }
    rig.ask(.exec("k", "2"))
    let first = rig.ids[0]
    world.feed(.result(first, good))
    #expect(rig.ids.count == 2)
    // A second witness of the first one's end is no end of the second.
    #expect(world.feed(.result(first, good)).isEmpty)
    #expect(rig.heard == ["0ms k succeeded #1"])
  }

  @Test func `results in one burst are each taken once, in their order`() {
    rig.ask(.exec("a"), .exec("b"), .exec("c"))
    for key in ["c", "a", "b"] { rig.end(key, .succeeded) }
    #expect(rig.heard == ["0ms c succeeded #1", "0ms a succeeded #1", "0ms b succeeded #1"])
  }
}
