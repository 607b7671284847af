import Glibc
import PolicyTesting
import Testing

@Suite("hostile tests") struct HostileTests {
  @Test func `a case without an end fails by its budget, and the others run`() {
    let bench = Bench(
      """
      t.case("endless", function(sim) while true do end end)
      t.case("caught", function(sim) while true do pcall(function() while true do end end) end end)
      t.case("asks", function(sim) while true do pcall(sim.count, "log") end end)
      t.case("strings", function(sim) local s = "x" while true do s = s .. s end end)
      t.case("good", function(sim) t.check(true) end)
      """)
    #expect(bench.outcomes.map(\.passed) == [false, false, false, false, true])
    #expect(bench.outcomes[0].failure?.message.contains("fuel") == true)
    #expect(bench.outcomes[0].failure?.isBudget == true)
    #expect(bench.outcomes[3].failure?.message.contains("memory") == true)
  }

  /// A timer of a millisecond would be a year of work, were there no end to it.
  private static let busy = """
    local p = { api = 1 }
    function p.on_path(ctx) ctx.timer.start("x", "1ms") end
    function p.on_timer(ctx) ctx.timer.start("x", "1ms") end
    return p
    """

  @Test func `a timer of a millisecond fails the case by the engine's own limit`() {
    #expect(
      says(
        Bench.onNetwork("t.check(true) sim.advance '100y'", policy: Self.busy), 4,
        "more than 600 timers fired in a minute"))
  }

  @Test func `a hundred years of a timer that comes back at once end by the budget`() throws {
    var budget = Budget()
    budget.steps = 20_000
    let policy = "return { api = 1, every = { x = '1s' }, on_timer = function() end }"
    let failure = try #require(
      Bench.body(
        Bench.online + "\nt.check(true) sim.advance '100y'", policy: policy, budget: budget))
    #expect(failure.isBudget)
    #expect(failure.message.contains("more than 20000 events"))
  }

  /// One call that reads tens of thousands of numerals of a megabyte.
  private static let numerals = """
    local s, l = ("0"):rep(1000000) .. "65", {}
    for i = 1, 32000 do l[i] = s end
    string.char(table.unpack(l))
    """

  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func `a call that reads thousands of long numerals ends by a fault, and the others run`() {
    let most: Duration = getenv("NETVANE_SANITIZER") == nil ? .milliseconds(1000) : .seconds(20)
    let before = processorTime()
    // Once in a case and once in the policy under test, half a second each.
    let bench = Bench(
      """
      t.case("in the case", function(sim) \(Self.numerals) end)
      t.case("in the policy", function(sim) \(Bench.online) t.check(true) end)
      t.case("good", function(sim) t.check(true) end)
      """,
      policy: "return { api = 1, on_path = function() \(Self.numerals) end }")
    let time = processorTime() - before
    #expect(time < most, "\(time)")
    #expect(bench.outcomes.map(\.passed) == [false, false, true], "\(bench.messages)")
    #expect(bench.outcomes[0].failure.map { $0.line >= 2 } == true)
  }

  @Test func `a million events end by the budget`() throws {
    var budget = Budget()
    budget.steps = 10_000
    let failure = try #require(
      Bench.body(
        Bench.online + "\nfor i = 1, 1000000 do net.drop 'wlan0' net.restore 'wlan0' end",
        budget: budget))
    #expect(failure.isBudget)
    #expect(failure.message.contains("events in one case"))
  }

  @Test func `comparing and counting without end, and a network of many links, end too`() {
    // A tenth, so that the test is quick; the bounds are the same code.
    var budget = Budget()
    budget.steps /= 10
    budget.work /= 10
    let bench = Bench(
      """
      local big = {}
      for i = 1, 16000 do big["k" .. i] = i end
      t.case("equal", function(sim) while true do t.equal(big, big) end end)
      t.case("count", function(sim)
        local net = sim.network { eth0 = { address = "192.0.2.2/24", gateway = "192.0.2.1" } }
        for i = 1, 2000 do net.drop "eth0" net.restore "eth0" end
        while true do sim.count "log" end
      end)
      t.case("links", function(sim)
        local links = {}
        for i = 1, 60 do links["e" .. i] = { address = "192.0.2." .. i .. "/24" } end
        local net = sim.network(links)
        while true do net.drop "e1" net.restore "e1" end
      end)
      """, budget: budget)
    #expect(bench.outcomes.map { $0.failure?.isBudget } == [true, true, true])
  }

  @Test func `a run with a million steps is refused`() {
    let bench = Bench(
      """
      t.property("many", function(sim, gen) sim.play(gen.flaps { events = 1000000 }) end)
      """)
    #expect(bench.messages == ["2: events is a whole number from 1 to 10000, not 1000000"])
  }

  @Test func `a policy that takes much fuel at each call ends by the budget`() throws {
    let policy = """
      local p = { api = 1, every = { x = "1s" } }
      function p.on_timer() for i = 1, 200000 do end end
      return p
      """
    var budget = Budget()
    budget.policyFuel = 10_000_000
    let failure = try #require(
      Bench.body(Bench.online + "\nt.check(true) sim.advance '1h'", policy: policy, budget: budget))
    #expect(failure.isBudget)
    #expect(failure.message.contains("the policy used up the 10000000 units"))
  }

  @Test func `errors of any kind and depth are told, not taken for a pass`() {
    let bench = Bench(
      """
      t.case("nil", function(sim) error(nil) end)
      t.case("table", function(sim) error({}) end)
      t.case("nested", function(sim)
        local function f(n) if n == 0 then error("deep") end return (f(n - 1)) end
        f(100)
      end)
      t.case("recursion", function(sim) local function f() return 1 + f() end f() end)
      t.case("twice", function(sim) pcall(error, "first") error("second", 0) end)
      """)
    #expect(bench.outcomes.allSatisfy { !$0.passed })
    #expect(bench.messages[2] == "5: deep")
    #expect(bench.outcomes[4].failure?.message == "second")
  }

  @Test func `a sim that was kept is of no use after its run`() {
    let bench = Bench(
      """
      local kept
      t.property("keeps", { runs = 2 }, function(sim)
        if kept then kept.advance "1s" end
        kept = sim
        t.check(true)
      end)
      t.case("has none", function(sim) t.check(kept == nil) end)
      """)
    #expect(bench.outcomes[0].failure?.message.hasPrefix("this sim is over") == true)
    #expect(bench.outcomes[1].passed)
  }

  @Test func `nothing of a case works at load, and no case within a case`() {
    #expect(
      Bench("t.check(true)").plan.problems == ["p_test.lua:2: this works inside a case only"])
    #expect(
      says(Bench.body("t.case('inner', function() end)"), 3, "t.case stands outside of cases"))
    #expect(
      Bench("while true do end").plan.problems.first?.hasPrefix("p_test.lua:2: it used up") == true)
  }

  @Test(arguments: [
    "t.case('', function() end)", "t.case(5, function() end)", "t.case('x')", "t.table('x', {})",
    "t.table('x', { 5 }, function() end)", "t.property('x', { runs = 0 }, function() end)",
    "t.property('x', { runs = 0/0 }, function() end)",
    "t.property('x', { run = 5 }, function() end)",
    "t.property('x', { seed = 'y' }, function() end)",
    "t.case = 5", "t.example('x', 5)", "t.case(('x'):rep(1000), function() end)",
  ])
  func `a declaration that cannot be meant so is a problem in its line`(_ code: String) {
    let problems = Bench(code).plan.problems
    #expect(problems.count == 1 && problems[0].hasPrefix("p_test.lua:2: "), "\(problems)")
  }

  @Test(arguments: [
    "sim.expect { alerts = { { key = 0/0 } } }", "sim.expect(nil)", "sim.expect { alerts = 5 }",
    "local t = {} t.t = t sim.expect { published = t }", "sim.expect_count('log', -1)",
    "sim.expect_count('log', 1e300)", "sim.count(sim)", "sim.press()", "sim.press({}, {})",
    "sim.finish_action('x', { exit = 1e99 })", "net.add('', {})", "net.add(nil, nil)",
    "net.add('a', { metric = -1 })", "net.add('a', { metric = 1e30 })", "sim.expect_order {}",
    "sim.expect_order { 5 }", "sim.expect_fuel('on_path', math.mininteger)", "sim.play(5)",
    "sim.play { 5 }", "sim.play { { 'play', {} } }", "net.join('wlan0', { address = {} , x = 1 })",
    "sim.restart(5)", "sim.expect_fault('')", "net.roam('wlan0', 5)", "net.captive('wlan0')",
  ])
  func `arguments that make no sense are errors in their line`(_ code: String) {
    let failure = Bench.onNetwork(code)
    #expect(failure?.line == 4, "\(failure.map { "\($0.line): \($0.message)" } ?? "passed")")
  }
}
