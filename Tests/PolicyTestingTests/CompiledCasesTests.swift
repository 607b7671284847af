import PolicyTesting
import Testing

/// Later cases of a file run in states that were given what the first one compiled.
@Suite("many cases of one file") struct CompiledCasesTests {
  @Test func `each case finds the file as if it were loaded for that case alone`() {
    let bench = Bench(
      """
      local seen = 0
      local function once() seen = seen + 1; t.equal(seen, 1) end
      t.case("first", function(sim) once() end)
      t.table("row", { { n = 1 }, { n = 2, name = "two" }, { n = 3 } }, function(sim, row)
        once(); t.check(row.n < 3, "three")
      end)
      t.property("drawn", { runs = 2 }, function(sim, gen)
        t.check(gen.integer(1, 3) <= 3)
      end)
      t.case("example", t.example("drawn", { 9 }))
      t.case("late", function(sim)
        once()
        error "here"
      end)
      """)
    #expect(bench.outcomes.map(\.test.name).contains("row: two"))
    #expect(
      bench.messages == [
        "passed", "passed", "passed", "6: three", "passed", "9: t.check: it does not hold",
        "14: here",
      ])
  }

  @Test func `a policy that fails says the same line in each case, and after each reload`() {
    let policy = """
      local p = { api = 1 }
      function p.on_path(ctx, ev)
        local none
        return none.field
      end
      return p
      """
    let body = "function(sim) sim.path {} sim.expect_fault 'p.lua:4:' sim.reload() end"
    let bench = Bench(
      (1...3).map { "t.case(\"\($0)\", \(body))" }.joined(separator: "\n"), policy: policy)
    #expect(bench.messages == ["passed", "passed", "passed"])
  }
}
