import PolicyTesting
import Testing

@Suite("running cases") struct RunnerTests {
  @Test func `the sketch of the design runs as it stands`() {
    let bench = Bench(
      """
      t.case("a drop within the five seconds keeps the banner, without a gap", function(sim)
        local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24",
          gateway = "192.0.2.1" } }
        net.drop "wlan0"; sim.advance "2s"
        sim.expect { alerts = { { key = "off", title = "Offline" } } }
        net.restore "wlan0"; sim.advance "300ms"
        sim.advance "1.9s"; sim.expect { alerts = {} }
        sim.expect_count("alert.raised", 1); sim.expect_count("alert.updated", 0)
      end)
      t.property("flapping never shows more banners than outages", { runs = 30 }, function(sim, gen)
        sim.play(gen.flaps { events = 40, max_gap = "30s" })
        t.check(sim.count "alert.raised" <= sim.count "path.unsatisfied")
      end)
      """)
    #expect(bench.messages == ["passed", "passed"])
    #expect(bench.outcomes[1].runs == 30)
  }

  @Test func `a failure names its line and only the fields that differ`() throws {
    let failure = try #require(
      Bench.onNetwork(
        """
        net.drop "wlan0"; sim.advance "5s"
        sim.expect { alerts = { { key = "off", title = "On", severity = "warning" } } }
        """))
    #expect(says(failure, 5, "not as expected"))
    #expect(
      failure.differences == [
        Difference(field: "alerts.title", wanted: "\"On\"", got: "\"Offline\"")
      ])
    #expect(failure.place == "p_test.lua:5")
    #expect(failure.timeline.contains { $0.contains("@2.000s timer settle") })
    #expect(failure.timeline.contains { $0.contains("-> alert p off raised") })
  }

  @Test func `a soft expectation that fails is listed, and the case goes on`() throws {
    let failure = try #require(
      Bench.onNetwork(
        """
        sim.expect_soft { published = { up = false } }
        net.drop "wlan0"; sim.advance "5s"
        sim.expect_soft { alerts = { { key = "off", title = "On", severity = "info" } } }
        sim.expect_soft { alerts = { { key = "off" } } }
        sim.expect { alerts = {} }
        error "this is not reached"
        """))
    #expect(says(failure, 4, "not as expected") && failure.place == "p_test.lua:4")
    #expect(failure.differences.map(\.field) == ["published.up"])
    #expect(failure.others.map(\.place) == ["p_test.lua:6", "p_test.lua:8"])
    #expect(failure.others[0].differences.map(\.field) == ["alerts.severity", "alerts.title"])
    #expect(failure.summary == "it is not as expected (and 2 more)")
    #expect(failure.timeline.contains { $0.contains("-> alert p off raised") })
    #expect(Bench.onNetwork("sim.expect_soft { alerts = {} }") == nil)
  }

  @Test func `a soft expectation alone fails its case, and so does an error after it`() throws {
    let alone = try #require(Bench.onNetwork("sim.expect_soft { published = { up = 1 } }"))
    #expect(says(alone, 4, "not as expected") && alone.others == [])
    let error = try #require(
      Bench.onNetwork("sim.expect_soft { published = { up = 1 } }\nlocal x = nil + 1"))
    #expect(says(error, 4, "not as expected"))
    #expect(error.others.map(\.line) == [5])
    #expect(error.others[0].message.contains("arithmetic on a nil value"), "\(error.others)")
  }

  @Test func `a soft expectation that is no expectation ends the case`() {
    let wrong = Bench.onNetwork("sim.expect_soft { alrts = {} }\nt.check(false, 'not reached')")
    #expect(says(wrong, 4, "sim.expect_soft has no 'alrts'", "alerts") && wrong?.others == [])
    #expect(says(Bench.onNetwork("sim.expect_soft {}"), 4, "sim.expect_soft {} checks nothing"))
  }

  @Test func `soft expectations that fail without an end do not go on without one`() {
    let failure = Bench.onNetwork(
      "for i = 1, 1000 do sim.expect_soft { published = { up = i } } end")
    #expect(failure?.others.count == 50)
  }

  @Test func `a property with soft expectations is shortened as others are`() throws {
    let bench = Bench(
      """
      t.property("it", { runs = 1 }, function(sim, gen)
        sim.play(gen.flaps { events = 9, max_gap = "5s" })
        sim.expect_soft { published = { up = 1 } }
        sim.expect_soft { published = { up = 2 } }
      end)
      """)
    let failure = try #require(bench.outcomes.first?.failure)
    #expect(failure.line == 4 && failure.others.map(\.line) == [5])
    #expect(failure.example.count == 3 && failure.seed == 1, "\(failure.example)")
  }

  @Test func `the next cases run after one that failed`() {
    let bench = Bench(
      """
      t.case("one", function(sim) t.check(false, "no good") end)
      t.case("two", function(sim) error("broken") end)
      t.case("three", function(sim) t.check(true) end)
      """)
    #expect(bench.messages == ["2: no good", "3: broken", "passed"])
  }

  @Test func `U-01 a case that checks nothing fails`() {
    #expect(says(Bench.body("sim.path { type = 'wifi' }"), 2, "checks nothing"))
    #expect(says(Bench.onNetwork("sim.expect {}"), 4, "checks nothing"))
    #expect(says(Bench.onNetwork("sim.expect { alerts = { {} } }"), 4, "checks nothing"))
  }

  @Test func `a test of a policy that is not there is a problem, with the one that was meant`() {
    let bench = Bench(["banner": Bench.policy], ["baner": "return 1"])
    #expect(
      bench.plan.problems == [
        "baner_test.lua:1: it tests baner.lua, which is not there; did you mean banner_test.lua?"
      ])
  }

  @Test func `an expectation with an unknown key is an error with its line and the word meant`() {
    #expect(
      says(Bench.onNetwork("sim.expect { alert = {} }"), 4, "'alert'", "did you mean 'alerts'?"))
    #expect(
      says(
        Bench.onNetwork("sim.expect {\nalerts = { { titel = 'x' } } }"), 4, "'titel'",
        "did you mean 'title'?"))
  }

  @Test func `a broken test file is a problem with its place, and the others run`() {
    let good = "local t = require 'policy.test'\nt.case('x', function(sim) t.check(true) end)"
    let bench = Bench(
      ["a": Bench.policy, "b": Bench.policy, "c": Bench.policy, "d": "return {"],
      ["a": "local t = \n= 1", "b": good, "c": "-- nothing", "d": good])
    #expect(bench.messages == ["passed"])
    #expect(bench.plan.problems.count == 3)
    #expect(bench.plan.problems[0].hasPrefix("a_test.lua:2: "))
    #expect(bench.plan.problems[1] == "c_test.lua:1: it holds no case, so it tests nothing")
    #expect(bench.plan.problems[2].hasPrefix("d.lua:1: "))
  }

  @Test func `a name that is used twice is a load error that names both lines`() {
    let bench = Bench("t.case('x', function() end)\nt.case('x', function() end)")
    #expect(
      bench.plan.problems == ["p_test.lua:3: 'x' is the name of the case in line 2 already"])
  }

  @Test func `what is misspelt at load is a problem with the word meant`() {
    let bench = Bench("t.cases('x', function() end)")
    #expect(bench.plan.problems == ["p_test.lua:2: t has no 'cases'; did you mean 'case'?"])
  }

  @Test func `U-02 what one case does to the libraries no other sees, in any order`() {
    let test = """
      local function untouched()
        return leftover == nil and string.foo == nil and table.insert ~= nil
          and type(math.random()) == "number"
      end
      t.case("spoils", function(sim)
        t.check(untouched())
        pcall(function() string.foo = 1 end)
        pcall(function() table.insert = nil end)
        pcall(function() math.random = function() return "no" end end)
        leftover = true
      end)
      t.case("checks", function(sim) t.check(untouched()) end)
      """
    #expect(Bench(test).messages == ["passed", "passed"])
    for seed in 1...6 {
      var choice = TestRunner.Choice()
      choice.shuffleSeed = UInt64(seed)
      #expect(Bench(test, choice: choice).messages == ["passed", "passed"])
    }
    var choice = TestRunner.Choice()
    choice.pattern = "checks"
    #expect(Bench(test, choice: choice).messages == ["passed"])
  }

  @Test func `rows are cases of their own, by name or by number`() {
    let bench = Bench(
      """
      t.table("rows", { { name = "first", n = 1 }, { n = 2 } }, function(sim, row)
        t.equal(row.n, 1, "n")
      end)
      """)
    #expect(bench.outcomes.map(\.test.name) == ["rows: first", "rows #2"])
    #expect(bench.messages == ["passed", "3: n"])
  }

  @Test func `a pattern takes a piece of a name, or with a star the whole`() {
    let test = """
      t.case("loss is told", function(sim) t.check(true) end)
      t.case("return is told", function(sim) t.check(true) end)
      """
    func ran(_ pattern: String) -> [String] {
      var choice = TestRunner.Choice()
      choice.pattern = pattern
      return Bench(test, choice: choice).outcomes.map(\.test.name)
    }
    #expect(ran("loss") == ["loss is told"])
    #expect(ran("p_test.lua") == ["loss is told", "return is told"])
    #expect(ran("*told") == ["loss is told", "return is told"])
    #expect(ran("return*") == ["return is told"])
    #expect(ran("los*x") == [])
    #expect(ran("told*") == [])
  }

  @Test func `the first failure ends it, where that is asked`() {
    var choice = TestRunner.Choice()
    choice.stopsAtFailure = true
    let bench = Bench(
      """
      t.case("one", function(sim) t.check(false) end)
      t.case("two", function(sim) t.check(true) end)
      """, choice: choice)
    #expect(bench.outcomes.count == 1)
  }

  @Test func `one seed gives one order, and not that of the file`() {
    let test = (1...20).map { "t.case('c\($0)', function(sim) t.check(true) end)" }
      .joined(separator: "\n")
    func order(_ seed: UInt64?) -> [String] {
      var choice = TestRunner.Choice()
      choice.shuffleSeed = seed
      return Bench(test, choice: choice).outcomes.map(\.test.name)
    }
    #expect(order(7) == order(7))
    #expect(order(7) != order(nil))
    #expect(order(7).sorted() == order(nil).sorted())
  }

  @Test func `a policy that fails fails the case, unless the test expects it`() {
    let policy = "local p = { api = 1 } function p.on_path() error('ouch') end return p"
    #expect(
      says(
        Bench.onNetwork("t.check(true)\nsim.advance '1s'", policy: policy), 5, "on_path",
        "p.lua:1: ouch"))
    #expect(says(Bench.onNetwork("t.check(true)", policy: policy), 4, "p.lua:1: ouch"))
    #expect(
      Bench.onNetwork("sim.expect_fault 'ouch'\nsim.advance '1s'", policy: policy) == nil)
    #expect(says(Bench.onNetwork("sim.expect_fault 'ouch'"), 4, "did not fail"))
  }

  @Test func `an expectation that failed counts, whatever the test makes of the error`() {
    #expect(says(Bench.onNetwork("pcall(sim.expect, { log = { 'x' } })"), 4, "not as expected"))
  }

  @Test func `a verb with a colon, a lost network and a late configuration are told apart`() {
    #expect(says(Bench.onNetwork("sim:advance '1s'"), 4, "call it with a dot: sim.advance"))
    #expect(says(Bench.body("sim.advance '1s'"), 3, "begin with sim.network"))
    #expect(says(Bench.onNetwork("sim.config {}"), 4, "before the policy starts"))
    #expect(says(Bench.onNetwork("sim.advence '1s'"), 4, "did you mean 'advance'?"))
    #expect(says(Bench.onNetwork("net.drp 'wlan0'"), 4, "did you mean 'drop'?"))
  }

  @Test func `exit codes tell what happened`() {
    var summary = TestSummary()
    #expect(summary.exitCode == 3)
    summary.passed = 1
    #expect(summary.exitCode == 0)
    summary.failed = 1
    #expect(summary.exitCode == 1)
    summary.problems = ["x_test.lua:1: broken"]
    #expect(summary.exitCode == 2)
  }

  @Test func `a policy cannot reach what tests can`() {
    let policy = "local t = require 'policy.test' return { api = 1 }"
    let bench = Bench("t.case('x', function() end)", policy: policy)
    #expect(bench.plan.problems == ["p.lua:1: module 'policy.test' not found in lib/"])
  }
}
