import PolicyTesting
import Testing

@Suite("properties") struct PropertyTests {
  /// Fails as soon as the alert was raised twice: two losses that last.
  private static let twice = """
    t.property("once", { runs = 50, seed = 5 }, function(sim, gen)
      sim.play(gen.flaps { events = 30, max_gap = "30s" })
      t.check(sim.count "alert.raised" < 2, "raised again")
    end)
    """

  @Test func `a failing run is shortened to what it takes, ready to paste`() throws {
    let failure = try #require(Bench(Self.twice).outcomes[0].failure)
    #expect(says(failure, 4, "raised again"))
    #expect(failure.seed == 5)
    let run = failure.example.joined(separator: "\n")
    #expect(run.hasPrefix("t.case(\"once: an example\", t.example(\"once\", {\n"))
    #expect(run.components("\"drop\"") == 2, "\(run)")
    #expect(run.components("\"restore\"") == 1, "\(run)")
    #expect(run.components("\"advance\"") <= 3, "\(run)")
  }

  @Test func `the pasted case fails in the same way, and passes once the policy is right`() throws {
    let failure = try #require(Bench(Self.twice).outcomes[0].failure)
    let pasted = Self.twice + "\n" + failure.example.joined(separator: "\n")
    var choice = TestRunner.Choice()
    choice.pattern = "an example"
    let again = Bench(pasted, choice: choice)
    #expect(says(again.outcomes[0].failure, 4, "raised again"))
    let calm = "local p = { api = 1 } function p.on_path() end return p"
    #expect(Bench(pasted, policy: calm, choice: choice).messages == ["passed"])
  }

  @Test func `the same seed draws the same, another one something else`() {
    let test = """
      t.property("draws", { runs = 1 }, function(sim, gen)
        local n, word = gen.integer(1, 1000000), gen.pick { "a", "b", "c" }
        t.check(false, n .. word .. gen.duration("1s", "9h") .. math.random(1000000))
      end)
      """
    func drawn(_ seed: UInt64) -> [String] {
      var choice = TestRunner.Choice()
      choice.seed = seed
      return Bench(test, choice: choice).messages
    }
    #expect(drawn(1) == drawn(1))
    #expect(drawn(9) == drawn(9))
    #expect(drawn(1) != drawn(9))
  }

  @Test func `numbers, choices and times go to their simple ends`() throws {
    let failure = try #require(
      Bench(
        """
        t.property("draws", { runs = 100 }, function(sim, gen)
          local n, w = gen.integer(3, 100000), gen.pick { "first", "second", "third" }
          local d = gen.duration("2s", "10h")
          t.check(n < 500)
        end)
        """
      ).outcomes[0].failure)
    #expect(
      failure.example == [
        "t.case(\"draws: an example\", t.example(\"draws\", {", "  500,", "  \"first\",",
        "  \"2s\",", "}))",
      ], "\(failure.example)")
  }

  @Test func `roaming and sleep are runs too`() {
    let bench = Bench(
      """
      t.property("roams", { runs = 5 }, function(sim, gen)
        sim.play(gen.roaming { moves = 5 })
        sim.play(gen.sleep { times = 3 })
        sim.advance "1m"
        sim.expect { path = { status = "satisfied" } }
      end)
      """)
    #expect(bench.messages == ["passed"])
  }

  @Test func `a generator outside of a property, and wrong options, are told`() {
    let bench = Bench(
      """
      local kept
      t.property("a", { runs = 1 }, function(sim, gen) gen.flaps { event = 5 } end)
      t.property("b", { runs = 1 }, function(sim, gen) gen.integer(5, 1) end)
      t.property("c", { runs = 1 }, function(sim, gen) gen.pick {} end)
      t.case("d", t.example("nothing", {}))
      """)
    #expect(bench.messages[0].contains("did you mean 'events'?"))
    #expect(bench.messages[1].contains("from 5 to"))
    #expect(bench.messages[2].contains("something in it"))
    #expect(bench.messages[3].contains("there is no property 'nothing'"))
  }

  @Test func `a failure that only earlier runs bring about is told as such`() throws {
    let failure = try #require(
      Bench(
        """
        local count = 0
        t.property("counts", { runs = 10 }, function(sim, gen)
          gen.integer(1, 5)
          count = count + 1
          t.check(count < 5)
        end)
        """
      ).outcomes[0].failure)
    #expect(failure.message.contains("keeps something between them"))
    #expect(failure.example.isEmpty)
  }
}

extension String {
  /// How often a piece occurs.
  fileprivate func components(_ piece: String) -> Int { split(separator: piece).count - 1 }
}
