import PathCore
import PathPolicy
import PolicyTesting

/// A policy and its test, written in a test, and what became of the cases.
struct Bench {
  let plan: TestPlan
  private(set) var outcomes: [TestOutcome] = []
  private(set) var records: [String: PolicyRecord] = [:]

  /// Says what is offline and nothing else.
  static let policy = """
    local p = { api = 1, config = { grace = "2s" } }
    function p.settle(ctx, ev) return ctx.config.grace end
    function p.on_path(ctx, ev)
      if ev.status ~= "satisfied" then
        ctx.alert.raise { key = "off", title = "Offline", body = ev.why, severity = "warning",
          buttons = { { id = "again", label = "Try again" } } }
      else
        ctx.alert.resolve "off"
      end
      ctx.publish("up", ev.status == "satisfied")
    end
    function p.on_button(ctx, ev)
      ctx.http { key = "page", url = "https://www.example.com/" }
      ctx.log("pressed " .. ev.button)
    end
    function p.on_result(ctx, ev)
      ctx.publish("ok", ev.ok)
      ctx.publish("code", ev.status_code or 0)
    end
    return p
    """

  /// Begins each body that needs a network.
  static let online = """
    local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24", \
    gateway = "192.0.2.1" } }
    """

  /// `p_test.lua`, whose first line requires the API; the rest is given.
  init(
    _ test: String, policy: String = policy, choice: TestRunner.Choice = TestRunner.Choice(),
    budget: Budget = Budget(), notesLines: Bool = false
  ) {
    self.init(
      ["p": policy], ["p": "local t = require \"policy.test\"\n" + test], choice: choice,
      budget: budget, notesLines: notesLines)
  }

  init(
    _ policies: [String: String], _ tests: [String: String],
    choice: TestRunner.Choice = TestRunner.Choice(), budget: Budget = Budget(),
    notesLines: Bool = false
  ) {
    plan = TestPlan(
      scripts: policies.map { Self.script($0.key, $0.key + ".lua", $0.value) },
      tests: tests.map { Self.script($0.key, $0.key + "_test.lua", $0.value) })
    let runner = TestRunner(plan, choice, budget: budget, notesLines: notesLines)
    var outcomes: [TestOutcome] = []
    records = runner.run { outcomes.append($0) }
    self.outcomes = outcomes
  }

  private static func script(_ name: String, _ file: String, _ text: String) -> PolicyScript {
    PolicyScript(name: name, file: file, source: Array(text.utf8))
  }

  /// One case with this body, from the file's third line on.
  static func body(
    _ body: String, policy: String = policy, budget: Budget = Budget()
  ) -> TestFailure? {
    let bench = Bench(
      "t.case(\"it\", function(sim)\n\(body)\nend)", policy: policy, budget: budget)
    precondition(bench.outcomes.count == 1, "\(bench.plan.problems)")
    return bench.outcomes[0].failure
  }

  /// The same after a network was set up, from the fourth line on.
  static func onNetwork(_ body: String, policy: String = policy) -> TestFailure? {
    Bench.body(online + "\n" + body, policy: policy)
  }

  var messages: [String] {
    outcomes.map { $0.failure.map { "\($0.line): \($0.message)" } ?? "passed" }
  }
}

/// Whether a failure stands in this line and says all of these.
func says(_ failure: TestFailure?, _ line: Int, _ parts: String...) -> Bool {
  guard let failure, failure.line == line else { return false }
  return parts.allSatisfy { failure.message.contains($0) }
}
