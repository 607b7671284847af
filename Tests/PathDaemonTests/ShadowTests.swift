import Foundation
import Glibc
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

/// Policies that run in the shadow of the live ones.
@Suite(.serialized) struct ShadowTests {
  /// Longer than decisions wait for their like.
  private static var calm: Stage.Step { .pause(.milliseconds(1300)) }

  private static func text(title: String = "t", delay: String = "100ms", more: String = "")
    -> String
  {
    """
    local p = { api = 1, state = { n = 0 } }
    function p.on_start(ctx)
      ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
      ctx.timer.start("t", "\(delay)")
    end
    function p.on_button(ctx, ev)
      ctx.state.n = ctx.state.n + 1
      ctx.alert.raise { key = "pressed", title = "\(title)" .. ctx.state.n }
      \(more)
    end
    function p.on_timer(ctx, ev) ctx.publish("fired", ev.name) ctx.log("fired") end
    function p.on_result(ctx, ev)
      ctx.publish("result", tostring(ev.output) .. " " .. tostring(ev.dropped))
    end
    return p
    """
  }

  private func press(_ run: EditedRun) -> Stage.Step {
    .act { run.daemon.feed(.button(policy: "a", key: "k", button: "b")) }
  }

  private func differences(_ run: EditedRun) -> [String] {
    run.said.filter { $0.hasPrefix("shadow a ") }
  }

  @Test func `the same policy decides the same, and nothing is told twice`() throws {
    let run = try EditedRun(["a": Self.text()], shadow: ["a": Self.text()])
    try run.play([
      run.until("ready"), press(run), run.until("a.fired=t"), press(run), Self.calm,
    ])
    #expect(run.said.filter { $0.hasPrefix("shadow") } == ["shadow  shadow in the shadow: a"])
    #expect(run.count("alert a raised") == 2 && run.count("alert a updated") == 1)
    #expect(run.count("a.fired") == 1)
  }

  @Test func `what differs is told by its side, and only what differs`() throws {
    let run = try EditedRun(
      ["a": Self.text(), "b": Self.text()], shadow: ["a": Self.text(title: "other ")])
    try run.play([run.until("ready"), press(run), run.until("a.fired=t"), Self.calm])
    #expect(
      differences(run) == [
        #"shadow a live alert a pressed raised info "t1""#,
        #"shadow a shadow alert a pressed raised info "other 1""#,
      ])
    #expect(!run.said.contains { $0.hasPrefix("shadow b") })
    // Nothing of the shadow is kept.
    let kept = try #require(run.daemon.engine.memory(of: "a"))
    #expect(kept.alerts["pressed"]?.content.title == "t1")
  }

  @Test func `a timer that only the shadow has fires there`() throws {
    let run = try EditedRun(
      ["a": Self.text(delay: "1h")], shadow: ["a": Self.text(delay: "300ms")])
    try run.play([run.until("ready"), run.until("shadow a shadow log"), Self.calm])
    #expect(
      differences(run) == [
        #"shadow a shadow log a "fired""#, #"shadow a shadow publish a fired "t""#,
      ])
    #expect(!run.has("a.fired"))
  }

  private static let config = """
    return { grants = { exec = {
      say = { "/bin/echo", "hi" }, touch = { "/usr/bin/touch" } } } }
    """

  @Test func `an action that both begin is done once, and both hear its result`() throws {
    let text = Self.text(more: "ctx.exec { key = 'e', command = 'say' }")
    let run = try EditedRun(["a": text], config: Self.config, shadow: ["a": text])
    try run.play([run.until("ready"), press(run), run.until("a.result=hi"), Self.calm])
    #expect(differences(run) == [])
    #expect(run.count("action a") == 3, "\(run.said)")
  }

  @Test func `an action that only the shadow begins is not done`() throws {
    let file = NSTemporaryDirectory() + "netvane-shadow-\(UUID().uuidString)"
    let run = try EditedRun(
      ["a": Self.text()], config: Self.config,
      shadow: [
        "a": Self.text(more: "ctx.exec { key = 'e', command = 'touch', args = { '\(file)' } }")
      ])
    try run.play([run.until("ready"), press(run), Self.calm, Self.calm])
    #expect(access(file, F_OK) != 0)
    #expect(differences(run).contains { $0.hasPrefix("shadow a shadow perform a e exec touch") })
    // It is told that nothing was done.
    #expect(differences(run).contains { $0.hasPrefix("shadow a shadow publish a result") })
    #expect(!run.has("a.result") && run.count("action a e") == 0)
  }

  @Test func `a shadow that fails, or is no policy at all, disturbs nobody`() throws {
    let run = try EditedRun(
      ["a": Self.text(), "b": Self.text()],
      shadow: ["a": Self.text(more: "error 'x'"), "b": "return {"])
    try run.play([
      run.until("ready"), press(run), press(run), press(run), run.until("a.fired=t"), Self.calm,
    ])
    #expect(run.count("alert a updated") == 2)
    #expect(!run.has("fault") && !run.has("policy a resting") && !run.has("policy b rejected"))
    #expect(differences(run).contains { $0.hasPrefix("shadow a shadow fault a on_button") })
    #expect(run.said.contains { $0.hasPrefix("shadow b shadow policy b rejected") })
  }

  @Test func `a shadow is edited as the live ones are`() throws {
    let run = try EditedRun(["a": Self.text()], shadow: ["a": Self.text()])
    try run.play([
      run.until("a.fired"),
      .act { try run.folder.replace("shadow/a.lua", Self.text(title: "edited ")) },
      run.until("shadow  shadow the shadow was loaded again: a"), press(run),
      run.until("shadow a shadow alert"), Self.calm,
    ])
    #expect(
      differences(run).contains(#"shadow a shadow alert a pressed raised info "edited 1""#))
  }

  /// Loading it takes most of the fuel there is.
  private static var slow: [String: String] {
    let text = "for i = 1, 4000000 do end\n" + text(delay: "1h")
    return Dictionary(uniqueKeysWithValues: (10..<30).map { ("p\($0)", text) })
      .merging(["a": Self.text(delay: "300ms")]) { $1 }
  }

  @Test
  func `the loop runs while a shadow loads, and what happens meanwhile is compared after it`()
    throws
  {
    let run = try EditedRun(["a": Self.text(delay: "1h")], shadow: Self.slow)
    var turns = 0
    var timer: LoopTimer?
    timer = try run.daemon.loop.makeTimer(.awake) {
      if run.has("shadow  shadow in the shadow") { return }
      turns += 1
      if turns == 1 { run.daemon.feed(.button(policy: "a", key: "k", button: "b")) }
      timer?.arm(at: Clocks.read(CLOCK_MONOTONIC))
    }
    timer?.arm(at: Clocks.read(CLOCK_MONOTONIC))
    try run.play([
      .until("what was pressed is done") { run.count("alert a raised") == 2 },
      .act {
        #expect(!run.has("shadow  shadow in the shadow"), "the live ones do not wait for it")
      },
      run.until("shadow  shadow in the shadow"), run.until("shadow a shadow log"), Self.calm,
    ])
    #expect(turns >= 2)
    // Only the timer differs: the start and the button were heard late, and judged alike.
    #expect(
      differences(run) == [
        #"shadow a shadow log a "fired""#, #"shadow a shadow publish a fired "t""#,
      ])
    timer?.disarm()
  }

  @Test func `the loop runs while a shadow loads again, and all of it is replaced at once`() throws
  {
    let small = Self.slow.mapValues { _ in Self.text(delay: "1h") }
    let run = try EditedRun(["a": Self.text(delay: "1h")], shadow: small)
    var turns = 0
    var timer: LoopTimer?
    try run.play([
      run.until("ready"), run.until("shadow  shadow in the shadow"), Self.calm,
      .act {
        for (name, text) in Self.slow {
          try run.folder.replace(
            "shadow/\(name).lua", name == "a" ? Self.text(title: "e", delay: "1h") : text)
        }
        timer = try run.daemon.loop.makeTimer(.awake) {
          if run.has("shadow  shadow the shadow was loaded again") { return }
          if run.daemon.shadow?.isLoading == true { turns += 1 }
          if turns == 1 { run.daemon.feed(.button(policy: "a", key: "k", button: "b")) }
          timer?.arm(at: Clocks.read(CLOCK_MONOTONIC))
        }
        timer?.arm(at: Clocks.read(CLOCK_MONOTONIC))
      },
      run.until("shadow  shadow the shadow was loaded again"), Self.calm,
    ])
    #expect(turns >= 2)
    // What was pressed meanwhile was judged by the version before.
    #expect(differences(run) == [])
    timer?.disarm()
  }

  @Test func `a storm of differences is told as one`() {
    var comparison = ShadowComparison()
    for number in 0..<200 {
      comparison.note(.log(policy: "p", text: "\(number)"), by: .live, at: .zero)
    }
    comparison.note(.log(policy: "q", text: "x"), by: .shadow, at: .zero)
    #expect(comparison.takeDue(at: .milliseconds(999)).isEmpty)
    let told = comparison.takeDue(at: .seconds(1))
    #expect(told.count { $0.policy == "p" } == ShadowComparison.toldMost + 1)
    #expect(told.filter { $0.policy == "p" }.last?.what.contains("the rest is left out") == true)
    #expect(told.last == ShadowDifference(policy: "q", only: .shadow, what: #"log q "x""#))
    #expect(comparison.next == nil)
    for number in 0..<3000 {
      comparison.note(.log(policy: "p", text: "\(number)"), by: .live, at: .seconds(2))
    }
    _ = comparison.takeDue(at: .seconds(2))
    comparison.note(.log(policy: "p", text: "2999"), by: .shadow, at: .seconds(2))
    #expect(comparison.takeDue(at: .seconds(1000)).count <= ShadowComparison.toldMost + 1)
  }

  @Test func `a shadow that takes too long ends, once and for all`() throws {
    let folder = try Folder()
    try folder.write("s/a.lua", Self.text())
    let loop = try EventLoop()
    var told: [String] = []
    let settings = DaemonSettings(scripts: [], configuration: Configuration(), version: "test")
    let shadow = try ShadowRun(
      folder.at("s"), settings, loop: loop, seed: 1, timeMost: .zero
    ) { told.append($0.what) }
    let set = PolicySet(reason: .start, loaded: [])
    shadow.follow(.policies(set), [], at: Clocks.now())
    shadow.follow(.policies(set), [], at: Clocks.now())
    #expect(told.count == 2 && told.last?.hasPrefix("the shadow took more than") == true)
    #expect(shadow.next(.boot) == nil)
  }
}
