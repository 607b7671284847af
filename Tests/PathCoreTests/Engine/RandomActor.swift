import PathTestKit

@testable import PathCore

/// A policy that acts in every way there is, by the seed of each call.
enum RandomActor {
  static func declaration(_ host: ScriptedHost) -> PolicyDeclaration {
    var declaration = host.declaration(
      "actor", every: [RecurringTimer(name: "act", period: .seconds(3))])
    declaration.monitors = [
      MonitorDeclaration(name: "internet", settle: .fixed(.milliseconds(100))),
      MonitorDeclaration(
        name: "wired", filter: PathFilter(required: .wired), settle: .fixed(.zero)),
    ]
    return declaration
  }

  static func script(_ host: ScriptedHost) {
    host.on("actor", .start) { request, outcome in decide(request, &outcome) }
    host.on("actor", .system) { request, outcome in decide(request, &outcome) }
    host.on("actor", .path) { request, outcome in decide(request, &outcome) }
    host.on("actor", .timer) { request, outcome in decide(request, &outcome) }
    host.on("actor", .result) { request, outcome in
      if request.seed % 3 > 0 { decide(request, &outcome) }
    }
  }

  /// By the seed, which counts the policy's calls: the same in a replay.
  private static func decide(_ request: HandlerRequest, _ outcome: inout HandlerOutcome) {
    var generator = SplitMix64(seed: request.seed &* 977)
    for _ in 0..<generator.number(0...2) {
      let key = generator.pick(["a", "b", "c", "d", "e", "f", "g"])
      let isCancel = generator.chance(15)
      outcome.intents.append(isCancel ? .cancelAction(key: key) : .act(action(key, &generator)))
    }
  }

  private static func action(_ key: String, _ generator: inout SplitMix64) -> ActionRequest {
    var request = ActionRequest(key: key, action: .exec(ExecRequest(command: "c")))
    if generator.chance(30) { request.limit = RateLimit(count: 2, per: .seconds(20)) }
    if generator.chance(20) { request.onlyWhile = generator.pick([.satisfied, .unsatisfied]) }
    if generator.chance(20) { request.disturbs = .seconds(5) }
    if generator.chance(60) {
      request.retry = RetryRule(
        base: .milliseconds(generator.pick([100, 900, 4000])), cap: .seconds(10),
        attempts: generator.pick([nil, 3]), within: generator.pick([nil, .seconds(30)]),
        during: generator.pick([.always, .firstMonitor, .monitor("wired")]),
        isNow: generator.chance(50))
    }
    return request
  }

  /// Ends one of the last actions that were begun; what is wrong with what follows.
  static func end(
    _ index: Int, _ ending: ActionResult.Ending, in world: ScriptedWorld
  ) -> String? {
    // Most of them have not ended, so that places are taken and get free.
    let working = world.engine.working
    let starts = working.isEmpty || index % 3 == 0 ? world.starts.suffix(10).map(\.id) : working
    guard !starts.isEmpty else { return nil }
    let id = starts[index % starts.count]
    let isRunning = runs(id, world)
    // The end of one that nobody waits for frees its place for another.
    let isWorking = working.contains(id)
    let orders = world.feed(.result(id, ActionResult(ending, error: "no")))
    if runs(id, world) { return "\(id) runs on after its end" }
    return isRunning || isWorking || orders.isEmpty ? nil : "\(id) ended twice"
  }

  private static func runs(_ id: ActionID, _ world: ScriptedWorld) -> Bool {
    world.engine.policies.contains {
      $0.name == id.policy && $0.actions[id.key]?.serial == id.serial
    }
  }
}
