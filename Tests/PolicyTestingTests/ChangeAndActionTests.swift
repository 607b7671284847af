import PathPolicy
import PolicyTesting
import Testing

@Suite("settings that change, and actions in full") struct ChangeAndActionTests {
  private static let settled = """
    local p = { api = 1, config = { word = "one", grace = "1s" } }
    function p.on_start(ctx, ev)
      ctx.publish("word", ctx.config.word)
      ctx.publish("grace", ctx.config.grace)
    end
    return p
    """

  private static let active = """
    local p = { api = 1 }
    function p.on_path(ctx, ev)
      if not ev.initial then return end
      ctx.exec { key = "run", command = "reset", args = { "now" }, timeout = "1m30s",
        limit = "3/60m", disturbs = "20s" }
      ctx.exec { key = "plain", command = "reset" }
      ctx.open_url { key = "web", url = "https://www.example.com/",
        browser = { "chrome", "default" } }
      ctx.open_url { key = "any", url = "https://www.example.com/" }
      ctx.http { key = "page", url = "https://www.example.com/", timeout = "2s" }
    end
    return p
    """

  @Test func `a reload and a restart can bring other settings, which stay until the next`() {
    let failure = Bench.onNetwork(
      """
      sim.expect { published = { word = "one", grace = "1s" } }
      sim.reload { config = { word = "two" } }
      sim.expect { published = { word = "two", grace = "1s" } }
      sim.reload(); sim.expect { published = { word = "two", grace = "1s" } }
      sim.restart { after = "1m", config = { grace = "5s" } }
      sim.expect { published = { word = "one", grace = "5s" } }
      sim.restart(); sim.expect { published = { word = "one", grace = "5s" } }
      """, policy: Self.settled)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    ("sim.reload { config = { wrd = 1 } }", "sim.reload: config.wrd: the policy has no such"),
    ("sim.restart { config = { grace = 1 } }", "sim.restart: config.grace: expected a string"),
    ("sim.reload { config = 5 }", "sim.reload: config takes a table of settings, not 5"),
    ("sim.reload { confg = {} }", "did you mean 'config'?"),
    ("sim.reload 'now'", "sim.reload takes a table with names"),
  ]) func `wrong settings are told with the verb that brought them`(body: String, text: String) {
    let failure = Bench.onNetwork(body, policy: Self.settled)
    #expect(says(failure, 4, text), "\(failure.map { "\($0)" } ?? "passed")")
  }

  @Test func `an action is compared with all that was asked for, in whatever form`() {
    let failure = Bench.onNetwork(
      """
      sim.expect { actions = {
        { key = "run", timeout = "90s", limit = "3/1h", disturbs = "20000ms", args = { "now" } },
        { key = "plain", timeout = "30s" },
        { key = "web", browser = { "chrome", "default" } }, { key = "any", browser = {} } } }
      sim.expect { actions = { { key = "web", browser = "chrome" } } }
      -- The fifth waits until one of the four ends.
      sim.finish_action "plain"; sim.expect { actions = { { key = "page", timeout = "2s" } } }
      """, policy: Self.active)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    ("key = 'run', timeout = '91s'", ".timeout", "\"1m30s\""),
    ("key = 'run', disturbs = '19s'", ".disturbs", "\"20s\""),
    ("key = 'run', limit = '4/1h'", ".limit", "\"3/1h\""),
    ("key = 'plain', disturbs = '20s'", ".disturbs", "nothing"),
    ("key = 'plain', limit = '3/1h'", ".limit", "nothing"),
    ("key = 'any', browser = 'chrome'", ".browser", "nothing"),
  ]) func `an action that was asked for otherwise is a miss`(
    entry: String, field: String, got: String
  ) {
    let failure = Bench.onNetwork("sim.expect { actions = { { \(entry) } } }", policy: Self.active)
    let found = failure?.differences.first { $0.field.hasSuffix(field) }
    #expect(found?.got == got, "\(failure.map { "\($0)" } ?? "passed")")
  }

  @Test(arguments: [
    ("timeout = 'soon'", "'timeout': \"soon\" is no duration"),
    ("disturbs = 5", "'disturbs': 5 is no duration"), ("limit = '3'", "\"3\" is no limit such as"),
    ("limit = '3/'", "\"3/\" is no limit such as"), ("limit = '-3/1h'", "is no limit such as"),
    ("limit = '9999999999/1h'", "is no limit such as"), ("limts = '3/1h'", "did you mean 'limit'?"),
  ]) func `what can not be compared is told`(entry: String, text: String) {
    let failure = Bench.onNetwork("sim.expect { actions = { { \(entry) } } }", policy: Self.active)
    #expect(says(failure, 4, text), "\(failure.map { "\($0)" } ?? "passed")")
  }

  @Test func `a change that an action brought about is told from others`() {
    let failure = Bench.onNetwork(
      """
      sim.advance "1s"; net.drop "wlan0"; sim.advance "1s"
      sim.expect { path = { status = "unsatisfied", self_inflicted = true } }
      sim.advance "1m"; net.restore "wlan0"; sim.advance "1s"
      sim.expect { path = { status = "satisfied", self_inflicted = false } }
      """, policy: Self.active)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }
}
