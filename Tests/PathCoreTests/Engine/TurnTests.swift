import PathTestKit
import Testing

@testable import PathCore

/// A few actions at work at a time: the rest waits, and everybody gets a turn.
@Suite struct TurnTests {
  private func requests(_ count: Int, from first: Int = 0) -> [ActionRequest] {
    (first..<first + count).map { .exec("k\($0)") }
  }

  private func ask(_ rig: ActionRig, _ policy: String, _ requests: [ActionRequest]) {
    rig.act(policy) { outcome in outcome.intents += requests.map { .act($0) } }
  }

  private func started(_ rig: ActionRig) -> [String] { rig.ids.map { "\($0.policy) \($0.key)" } }

  @Test func `four of a policy are at work, and the others wait in the order they were asked for`()
  {
    let rig = ActionRig()
    ask(rig, "p", requests(6))
    #expect(rig.ids.map(\.key) == ["k0", "k1", "k2", "k3"])
    let why = "waits for its turn: 4 actions of this policy are at work, which is the most"
    #expect(
      rig.reports.filter { $0.contains("waiting") } == ["k4 waiting \(why)", "k5 waiting \(why)"])
    #expect(!rig.reports.contains("k4 started"))
    rig.end("k2", .succeeded)
    #expect(rig.ids.map(\.key) == ["k0", "k1", "k2", "k3", "k4"])
    rig.end("k4", .succeeded)
    #expect(rig.ids.map(\.key).last == "k5")
    for key in ["k0", "k1", "k3", "k5"] { rig.end(key, .succeeded) }
    #expect(rig.heard.count == 6 && rig.heard.allSatisfy { $0.hasSuffix("succeeded #1") })
    #expect(rig.world.engine.working.isEmpty)
  }

  @Test func `a policy that asks for sixteen delays no other policy`() {
    let rig = ActionRig("hog", "other")
    ask(rig, "hog", requests(16))
    ask(rig, "other", [.exec("true")])
    #expect(started(rig).last == "other true")
  }

  @Test func `of fifty policies with one action each all run in turn, and none fails`() {
    let names = (10..<60).map { "p\($0)" }
    let world = ScriptedWorld()
    for name in names {
      world.host.on(name, .path) { _, outcome in outcome.intents.append(.act(.exec())) }
    }
    world.start(names.map { world.host.declaration($0, settle: .fixed(.zero)) })
    world.up()
    #expect(world.starts.count == 32)
    #expect(world.reports.count { $0.state == .waiting } == 18)
    var ended = 0
    while ended < world.starts.count {
      world.feed(.result(world.starts[ended].id, ActionResult(.succeeded)))
      ended += 1
      #expect(world.engine.working.count == min(32, 50 - ended))
    }
    #expect(world.starts.map(\.id.policy) == names)
    #expect(world.reports.count { $0.state == .succeeded } == 50)
    #expect(world.reports.allSatisfy { [.started, .waiting, .succeeded].contains($0.state) })
  }

  @Test func `a free place goes to a policy that has none at work, then to who waited longest`() {
    let names = (0..<8).map { "hog\($0)" } + ["late"]
    let world = ScriptedWorld()
    for name in names {
      let count = name == "late" ? 2 : 6
      world.host.on(name, .start) { _, outcome in outcome.raise("b", "x", buttons: ["go"]) }
      world.host.on(name, .button) { _, outcome in
        outcome.intents += (0..<count).map { .act(.exec("k\($0)")) }
      }
    }
    world.start(names.map { world.host.declaration($0) })
    for name in names { world.feed(.button(policy: name, key: "b", button: "go")) }
    #expect(world.starts.count == 32)
    func free(_ policy: String) {
      world.end("k0", ActionResult(.succeeded), policy: policy)
    }
    // hog3 has a place for its own fifth, but late has none at all.
    free("hog3")
    #expect(world.starts.last?.id == ActionID(policy: "late", key: "k0", serial: 33))
    // Now hog3 is the only one below its four, beside late, which was served a moment ago.
    free("hog5")
    #expect(world.starts.last?.id.policy == "hog3")
    // hog1 was served before hog5 was.
    free("hog1")
    #expect(world.starts.last?.id.policy == "hog1")
    free("late")
    #expect(world.starts.last?.id == ActionID(policy: "late", key: "k1", serial: 36))
    free("hog6")
    #expect(world.starts.last?.id.policy == "hog5")
  }

  @Test func `what comes behind another of its key waits for its turn like all others`() {
    let rig = ActionRig()
    ask(rig, "p", requests(5))
    ask(rig, "p", [.exec("k0", "again")])
    rig.end("k0", .succeeded)
    #expect(rig.ids.last?.key == "k4")
    rig.end("k4", .succeeded)
    #expect(rig.ids.last?.key == "k0")
  }

  @Test func `who asks again while it waits keeps its turn, and the older one is told`() {
    let rig = ActionRig()
    ask(rig, "p", requests(6))
    ask(rig, "p", [.exec("k4", "newer")])
    #expect(rig.heard == ["0ms k4 dropped #0 a newer one took its place"])
    rig.end("k0", .succeeded)
    #expect(rig.ids.last?.key == "k4")
  }

  @Test func `cancel and another path drop what waits for its turn`() {
    let rig = ActionRig()
    ask(rig, "p", requests(4))
    ask(rig, "p", [.exec("gone"), .exec("online", onlyWhile: .satisfied), .exec("last")])
    rig.cancel("gone")
    rig.world.down()
    #expect(
      rig.heard == [
        "0ms gone dropped #0 it was cancelled",
        "0ms online dropped #0 the path became unsatisfied",
      ])
    rig.end("k0", .succeeded)
    #expect(rig.ids.last?.key == "last")
  }

  @Test func `whether the path is wanted is judged when the turn comes`() {
    let rig = ActionRig(monitors: [MonitorDeclaration(name: "internet")])
    ask(rig, "p", requests(4) + [.exec("online", onlyWhile: .satisfied)])
    // Nobody was told yet.
    rig.world.down()
    rig.end("k0", .succeeded)
    #expect(rig.heard.contains("0ms online dropped #0 the path is not satisfied"))
    #expect(rig.ids.count == 4)
  }

  @Test func `a limit counts what was begun, at the time when it was`() {
    let rig = ActionRig()
    let limited = ActionRequest.exec("l", limit: RateLimit(count: 1, per: .seconds(60)))
    ask(rig, "p", requests(4) + [limited])
    rig.cancel("l")
    ask(rig, "p", [limited])
    rig.world.wait(ms: 30_000)
    rig.end("k0", .succeeded)
    #expect(rig.starts.last == "30000ms l")
    rig.end("l", .succeeded)
    rig.world.wait(ms: 59_000)
    ask(rig, "p", [limited])
    #expect(rig.heard.last == "89000ms l refused #0 more than 1 in 1m")
  }

  @Test func `what is refused when it is to begin was no try, and counts against no limit`() {
    let rig = ActionRig()
    let limited = ActionRequest.exec("l", limit: RateLimit(count: 1, per: .seconds(60)))
    for _ in 0..<3 {
      ask(rig, "p", [limited])
      rig.end("l", .refused, "it is not granted")
    }
    #expect(rig.ids.count == 3)
    #expect(rig.heard.allSatisfy { $0 == "0ms l refused #0 it is not granted" })
  }

  @Test func `a retry that waits for its turn spends none of its time, and pauses with the path`() {
    let rig = ActionRig()
    let rule = RetryRule(within: .seconds(10), isNow: true)
    ask(rig, "p", requests(4) + [.exec("r", retry: rule)])
    rig.world.wait(ms: 60_000)
    #expect(rig.reports.last?.hasPrefix("r waiting waits for its turn") == true)
    rig.end("k0", .succeeded)
    #expect(rig.starts.last == "60000ms r")
    rig.end("r", .failed)
    #expect(rig.nextTry("r") != nil)
    ask(rig, "p", [.exec("k5")])
    rig.world.wait(ms: 2000)
    #expect(rig.nextTry("r") == nil)
    rig.world.down()
    #expect(rig.reports.contains("r waiting waits for the path"))
    rig.end("k1", .succeeded)
    #expect(rig.ids.last?.key != "r")
    rig.world.up()
    #expect(rig.nextTry("r") != nil)
  }

  @Test func `the places of a policy that is gone are free when what it began has ended`() {
    let rig = ActionRig("p", "q")
    ask(rig, "p", requests(6))
    rig.load(without: ["p"])
    #expect(rig.cancels.count == 4)
    rig.load()
    ask(rig, "p", [.exec("new")])
    #expect(rig.ids.last?.key == "k3")
    rig.end("k1", .dropped)
    #expect(rig.ids.last?.key == "new")
  }

  @Test func `the status tells what waits for its turn`() {
    let rig = ActionRig()
    ask(rig, "p", requests(5))
    let status = rig.world.engine.status(at: rig.world.now)
    #expect(status.policies[0].actions.map(\.state).last == .waitingForTurn)
    #expect(status.policies[0].actions.map(\.attempt) == [1, 1, 1, 1, 0])
  }
}
