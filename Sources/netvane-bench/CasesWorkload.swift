import Glibc
import PathPolicy
import PolicyTesting

/// How many simple cases of a policy's tests run in a second, each in states of its own: a network,
/// a loss that lasts, an expectation.
enum CasesWorkload: Workload {
  static let name = "cases"
  static let about = "cases of a policy's tests in a second of processor time"
  static let needsNetwork = false

  private static let perFile = 20
  private static let perLargeFile = 500

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let isFull = size == .full
    let small = try measure(files: isFull ? 100 : 2, cases: perFile)
    let large = try measure(files: isFull ? 2 : 1, cases: isFull ? perLargeFile : perFile)
    return [
      Figure(
        name: "cases", value: small.rate, unit: "/s", goal: .atLeast(1000),
        note: "\(small.count) cases in files of \(perFile), each in fresh Lua states"),
      Figure(
        name: "large", value: large.rate, unit: "/s",
        note: "\(large.count) cases, all of a policy in one file"),
    ]
  }

  /// How many cases ran, and how many of them in a second.
  private static func measure(
    files: Int, cases: Int
  ) throws(WorkloadError) -> (count: Int, rate: Double) {
    let names = (0..<files).map { "p\($0)" }
    let plan = TestPlan(
      scripts: names.map { script($0, "\($0).lua", policy) },
      tests: names.map { script($0, "\($0)_test.lua", test(cases)) })
    if let problem = plan.problems.first { throw WorkloadError(message: problem) }
    var failed: String?
    var count = 0
    let start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    TestRunner(plan).run { outcome in
      count += 1
      if let failure = outcome.failure { failed = "\(failure.place): \(failure.message)" }
    }
    let seconds = Double(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e9
    if let failed { throw WorkloadError(message: failed) }
    return (count, Double(count) / seconds)
  }

  private static func script(_ name: String, _ file: String, _ text: String) -> PolicyScript {
    PolicyScript(name: name, file: file, source: Array(text.utf8))
  }

  private static let policy = """
    local policy = { api = 1, config = { grace = "2s" } }
    function policy.settle(ctx, ev)
      return ev.status == "satisfied" and "300ms" or ctx.config.grace
    end
    function policy.on_path(ctx, ev)
      if ev.status ~= "satisfied" then
        ctx.alert.raise { key = "connection", title = "Not connected", body = ev.why }
      elseif ev.changed.status and not ev.initial then
        ctx.alert.raise { key = "connection", title = "Back online", expires = "5s" }
      end
    end
    return policy
    """

  private static func test(_ cases: Int) -> String {
    "local t = require \"policy.test\"\n"
      + (0..<cases).map { number in
        """
        t.case("case \(number)", function(sim)
          local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24",
            gateway = "192.0.2.1" } }
          net.drop "wlan0"; sim.advance "2s"
          sim.expect { alerts = { { key = "connection", title = "Not connected" } } }
        end)

        """
      }.joined()
  }
}
