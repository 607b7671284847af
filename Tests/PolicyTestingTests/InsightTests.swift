import PathCore
import PathPolicy
import Testing

@testable import PolicyTesting

@Suite("coverage, bench and mutation") struct InsightTests {
  private static let policy = """
    local p = { api = 1 }

    function p.on_path(ctx, ev)
      if ev.status == "satisfied" then
        ctx.log "up"
      else
        ctx.alert.raise { key = "off",
          title = "Offline" }
      end
    end

    function p.on_button(ctx)
      ctx.log "pressed"
    end

    return p
    """
  private static let test = """
    t.case("up", function(sim)
      sim.path { type = "wifi" }
      sim.expect { log = { "up" } }
    end)
    t.case("fails", function(sim) sim.path {} t.check(false) end)
    """

  private static func script(_ text: String) -> PolicyScript {
    PolicyScript(name: "p", file: "p.lua", source: Array(text.utf8))
  }

  @Test func `coverage tells lines, handlers and verbs that no case reached, even when one fails`()
  {
    let bench = Bench(Self.test, policy: Self.policy, notesLines: true)
    let coverage = Coverage(Self.script(Self.policy), bench.records["p"] ?? PolicyRecord())
    #expect(coverage.missed == [7, 8, 13])
    #expect(coverage.code.contains(5) && !coverage.code.contains(2) && !coverage.code.contains(6))
    #expect(coverage.unusedHandlers == ["on_button"])
    #expect(coverage.unusedVerbs == ["alert.raise"])
    #expect(coverage.lines[1] == "  not reached: 7-8, 13")
    #expect(coverage.lcov("dir").contains("DA:5,1") && coverage.lcov("dir").contains("DA:7,0"))
  }

  @Test func `lines that run after a fault and after a reload are not lost`() {
    let policy = """
      local p = { api = 1 }
      function p.on_start(ctx)
        ctx.log "started"
      end
      function p.on_path(ctx, ev)
        error("always")
      end
      return p
      """
    let bench = Bench(
      """
      t.case("x", function(sim)
        sim.path {} sim.expect_fault "always" sim.reload() sim.restart() sim.expect_fault "always"
      end)
      """, policy: policy, notesLines: true)
    #expect(bench.messages == ["passed"])
    let coverage = Coverage(Self.script(policy), bench.records["p"] ?? PolicyRecord())
    #expect(coverage.missed == [])
    #expect(coverage.percent == 100)
  }

  @Test func `fuel is counted by handler`() {
    let bench = Bench(Self.test, policy: Self.policy)
    let use = bench.records["p"]?.uses[.path]
    #expect(use?.calls == 2)
    #expect((use?.mostFuel ?? 0) > 0)
  }

  @Test func `the lines of a long text are those that Lua itself knows`() throws {
    // Steps too long for a byte, and functions in functions.
    var text = "local x = 1\n" + String(repeating: "\n", count: 300) + "x = x + 1\n"
    text +=
      "local function f(...)\n  local g = function()\n    return x\n  end\n  return g, ...\nend\n"
    text += "return f\n"
    let lines = try LuaState.codeLines(file: "x.lua", source: Array(text.utf8))
    #expect(lines.lines == [1, 302, 305, 306, 307, 308, 309])
  }

  @Test func `a change that no test notices is named with its place`() {
    let test = """
      t.case("offline", function(sim)
        local net = sim.network { eth0 = { address = "192.0.2.2/24", gateway = "192.0.2.1" } }
        net.drop "eth0" sim.advance "1m"
        sim.expect { alerts = { { key = "off" } } }
      end)
      """
    let bench = Bench(test, policy: Self.policy)
    let result = Mutation().run(bench.plan.files[0])
    #expect(!result.isBroken)
    #expect(result.survivors.map(\.line) == [4, 5, 13])
    #expect(result.survivors[1].text == "p.lua:5: ctx.log … is left out, and no test noticed")
    #expect(result.tried == 4)
  }

  @Test func `tests that fail as they are tell nothing of changes`() {
    let bench = Bench(Self.test, policy: Self.policy)
    #expect(Mutation().run(bench.plan.files[0]).isBroken)
  }

  @Test func `changes keep to code`() {
    let text = """
      -- a == b and 5
      local s = "a == b" --[[ 7
      true ]] local d = "5s"
      if a < 3 and b then f(1).g { x } end
      x = f(2)
      return g(true)
      """
    let changes = Mutant.all(of: Self.script(text)).map { "\($0.line): \($0.change)" }
    #expect(
      changes == [
        "3: \"5s\" becomes \"10s\"", "3: \"5s\" becomes \"2s500ms\"", "4: < becomes <=",
        "4: 3 becomes 4", "4: 3 becomes 2", "4: and becomes or", "4: f … is left out",
        "4: 1 becomes 2", "4: 1 becomes 0", "5: x = … is left out", "5: 2 becomes 3",
        "5: 2 becomes 1", "6: true becomes false",
      ])
  }

  @Test func `conditions, assignments and early returns are left out, limits are changed`() {
    let text = """
      if not a then return end
      if b then return f {
      } end
      s.x[i], y = a
        and b
      z = { k = 1, l = not c } w = "3/1h"
      g = function() v = 5 end
      if d then u = "1d" else u = ... end
      for n = 1, 2 do end
      """
    let changes = Mutant.all(of: Self.script(text)).map { "\($0.line): \($0.change)" }
    let wanted = [
      "1: if … return … end is left out", "1: not is left out", "4: s.x = … is left out",
      "5: and becomes or", "6: z = … is left out", "6: 1 becomes 2", "6: 1 becomes 0",
      "6: not is left out", "6: \"3/1h\" becomes \"4/1h\"",
      "6: \"3/1h\" becomes \"2/1h\"", "6: \"3/1h\" becomes \"3/2h\"",
      "6: \"3/1h\" becomes \"3/30m\"", "7: 5 becomes 6", "7: 5 becomes 4",
      "8: u = … is left out", "8: \"1d\" becomes \"2d\"", "8: \"1d\" becomes \"12h\"",
      "8: u = … is left out", "9: 1 becomes 2", "9: 1 becomes 0", "9: 2 becomes 3",
      "9: 2 becomes 1",
    ]
    #expect(changes == wanted)
  }

  @Test func `a statement that is left out leaves the lines behind it where they were`() {
    let script = Self.script("a.b = {\n  1,\n}\nreturn a")
    let mutant = Mutant.all(of: script).first { $0.change == "a.b = … is left out" }
    #expect(mutant?.applied(to: script).source == Array("\n\n\nreturn a".utf8))
  }

  @Test func `a duration is read as policies read it, and years with it`() {
    #expect(TestDuration.read("1m30s") == .seconds(90))
    #expect(TestDuration.read("1.5s") == .milliseconds(1500))
    #expect(TestDuration.read("100y") == TestDuration.longest)
    for wrong in ["", "5", "s", "1s1m", "1.s", "-1s", "1e9s", "101y", "9999999999s", "1s ", "1S"] {
      #expect(TestDuration.read(wrong) == nil, "\(wrong)")
    }
  }

  @Test func `each wanted element has one of its own`() {
    func list(_ texts: [[String]]) -> [PlainValue] {
      texts.map { .table($0.map { ($0, .bool(true)) }) }
    }
    // The first could take either, the second only the first's choice.
    #expect(
      Match.list(wanted: list([["a"], ["a", "b"]]), got: list([["a", "b"], ["a"]]), "x") == [])
    #expect(Match.list(wanted: list([["a"], ["a"]]), got: list([["a"]]), "x").count == 1)
    #expect(Match.list(wanted: [], got: list([["a"]]), "x").count == 1)
  }
}

@Suite("reports") struct ReportTests {
  private static let bench = Bench(
    """
    t.case("good", function(sim) t.check(true) end)
    t.case("bad <&> \\"#\\" \\27", function(sim) t.equal({ a = 1 }, { a = 2 }) end)
    """)

  private func lines(_ format: TestFormat) -> [String] {
    var report = format.report()
    var summary = TestSummary(problems: ["x_test.lua:1: broken"])
    var lines = report.begin(2)
    for outcome in Self.bench.outcomes {
      summary.add(outcome)
      lines += report.add(outcome)
    }
    return lines + report.end(summary)
  }

  @Test(arguments: TestFormat.allCases) func `each format lists all that failed in a case`(
    _ format: TestFormat
  ) throws {
    let soft = (1...3).map { "sim.expect_soft { published = { up = \($0) } }" }
    let bench = Bench(
      "t.case('it', function(sim)\n\(Bench.online)\n\(soft.joined(separator: "\n"))\nend)")
    var report = format.report()
    let outcome = try #require(bench.outcomes.first)
    var lines = report.begin(1) + report.add(outcome)
    lines += report.end(TestSummary())
    let text = lines.joined(separator: "\n")
    for (line, wanted) in [(4, 1), (5, 2), (6, 3)] {
      let isPlaced =
        text.contains("p_test.lua:\(line)") || text.contains("\"line\":\(line),\"message\"")
      #expect(isPlaced, "\(text)")
      let shown = ["wanted  \(wanted)", "wanted: \"\(wanted)\"", "\"wanted\":\"\(wanted)\""]
      #expect(shown.contains { text.contains($0) }, "\(text)")
    }
  }

  @Test func `text for people shows wanted and got`() {
    let text = lines(.text)
    #expect(text[0] == "pass  p_test.lua: good")
    #expect(text[1] == "FAIL  p_test.lua: bad <&> \"#\" \\u{1b}")
    #expect(
      text[2...5] == [
        "      p_test.lua:3: t.equal: they differ", "      value.a", "        wanted  2",
        "        got     1",
      ])
    #expect(text.suffix(2) == ["bad   x_test.lua:1: broken", "1 passed, 1 failed, 1 not run"])
  }

  @Test func `TAP has a plan, numbers and no word that could be taken for a directive`() {
    let text = lines(.tap)
    #expect(text[..<3] == ["TAP version 14", "1..2", "ok 1 - p_test.lua: good"])
    #expect(text[3] == "not ok 2 - p_test.lua: bad <&> \"\\#\" \\\\u{1b}")
    #expect(text.contains("  message: \"t.equal: they differ\""))
    #expect(text.contains("Bail out! x_test.lua:1: broken"))
  }

  @Test func `JUnit is escaped, each case by its own name`() {
    let text = lines(.junit)
    #expect(text[1].contains("tests=\"3\" failures=\"1\" errors=\"1\""))
    #expect(text.contains { $0.contains("name=\"bad &lt;&amp;&gt; &quot;#&quot; \\u{1b}\"") })
    #expect(text.contains { $0.contains("<error message=\"x_test.lua:1: broken\"/>") })
    #expect(text.last == "</testsuites>")
  }

  @Test func `JSON is an object a line`() {
    let text = lines(.json)
    #expect(text.count == 3)
    #expect(
      text[1].contains("\"differences\":[{\"field\":\"value.a\",\"wanted\":\"2\",\"got\":\"1\"}]"))
    #expect(text[2].contains("\"event\":\"summary\""))
  }
}
