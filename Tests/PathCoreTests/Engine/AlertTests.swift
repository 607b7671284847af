import PathCore
import PathTestKit
import Testing

/// The life of alerts.
@Suite struct AlertTests {
  let world = ScriptedWorld()

  /// A policy that does `lost` or `back`, told at once, except that a loss must hold two seconds.
  private func start(
    lost: @escaping (inout HandlerOutcome) -> Void = { _ in },
    back: @escaping (inout HandlerOutcome) -> Void = { _ in }
  ) {
    world.host.on("p", .settle) { request, outcome in
      outcome.settle = request.change?.path.status == .satisfied ? .zero : .seconds(2)
    }
    world.host.on("p", .path) { request, outcome in
      guard request.change?.isInitial == false else { return }
      if request.change?.path.status == .satisfied { back(&outcome) } else { lost(&outcome) }
    }
    world.start(world.host.declaration("p", settle: .function))
    world.up()
  }

  private var states: [String] {
    world.notices.map {
      "\($0.at.nanoseconds / 1_000_000)ms \($0.notice.content.key) \($0.notice.state.rawValue)"
    }
  }

  private func outage(ms: Int = 2000) {
    world.down()
    world.wait(ms: ms)
    world.up()
  }

  @Test func `raised, updated with other content, resolved`() {
    start(lost: { $0.raise("a", "lost") }, back: { $0.raise("a", "back") })
    outage()
    #expect(states == ["2000ms a raised", "2000ms a updated"])
    world.host.on("p", .path) { _, outcome in outcome.resolve("a") }
    outage()
    #expect(states.last == "4000ms a resolved")
    #expect(world.notices.last?.notice.cause == .handler)
    #expect(world.alerts.isEmpty)
  }

  @Test func `a raise of equal content says nothing, nor does the end of an unknown key`() {
    start(lost: { $0.raise("a", "same") }, back: { $0.resolve("b") })
    outage()
    outage()
    #expect(states == ["2000ms a raised"])
  }

  @Test func `within one handler only the net effect is told`() {
    start(
      lost: { outcome in
        outcome.raise("a", "one")
        outcome.raise("a", "two")
        outcome.raise("b", "never")
        outcome.resolve("b")
      },
      back: { outcome in
        outcome.resolve("a")
        outcome.raise("a", "two")
      })
    outage()
    #expect(states == ["2000ms a raised"])
    #expect(world.alerts["p/a"]?.title == "two")
  }

  @Test func `an alert ends when its time is over`() {
    start(back: { $0.raise("a", "back", expires: .seconds(5)) })
    outage()
    world.wait(ms: 10_000)
    #expect(states == ["2000ms a raised", "7000ms a expired"])
    #expect(world.timers.isEmpty)
  }

  @Test func `a silent raise replaces the end`() {
    start(
      lost: { $0.raise("a", "same", expires: .seconds(5)) },
      back: { $0.raise("a", "same", expires: .seconds(20)) })
    outage(ms: 4000)
    world.wait(ms: 60_000)
    #expect(states == ["2000ms a raised", "24000ms a expired"])
  }

  @Test func `a raise without an end takes the end away`() {
    start(lost: { $0.raise("a", "same", expires: .seconds(5)) }, back: { $0.raise("a", "same") })
    outage()
    #expect(world.timers.isEmpty)
    world.wait(ms: 60_000)
    #expect(states == ["2000ms a raised"])
  }

  @Test func `its end waits while a change is pending, and comes when that is dropped`() {
    start(back: { $0.raise("a", "back", expires: .seconds(5)) })
    outage()
    world.wait(ms: 4000)
    world.down()
    world.wait(ms: 1500)
    #expect(states == ["2000ms a raised"])
    world.up()
    #expect(states == ["2000ms a raised", "7500ms a expired"])
  }

  @Test func `when the change is told, the handler decides`() {
    start(
      lost: { $0.raise("a", "lost") }, back: { $0.raise("a", "back", expires: .seconds(5)) })
    outage()
    world.wait(ms: 4000)
    world.down()
    world.wait(ms: 60_000)
    #expect(states == ["2000ms a raised", "2000ms a updated", "8000ms a updated"])
    #expect(world.alerts["p/a"]?.title == "lost")
  }

  @Test func `a handler that leaves it alone lets it end then`() {
    start(back: { $0.raise("a", "back", expires: .seconds(5)) })
    outage()
    world.wait(ms: 4000)
    world.down()
    world.wait(ms: 2000)
    #expect(states == ["2000ms a raised", "8000ms a expired"])
  }

  @Test func `an end of no time, raised while another change waits, still comes`() {
    world.host.on("p", .dismissed) { _, outcome in
      outcome.raise("a", "now", expires: .zero)
    }
    start(back: { $0.raise("b", "up") })
    outage()
    world.down()
    world.feed(.dismissed(policy: "p", key: "b"))
    world.wait(ms: 0)
    world.feed(.timer(TimerID(.expiry, policy: "p", name: "a")))
    #expect(states == ["2000ms b raised", "2000ms b dismissed", "2000ms a raised"])
    world.up()
    #expect(states.last == "2000ms a expired")
  }

  @Test func `a person sends it away, and the policy hears of it`() {
    var heard: [String] = []
    world.host.on("p", .dismissed) { request, _ in
      if case .dismissed(let key) = request.event { heard.append(key) }
    }
    start(back: { $0.raise("a", "back", expires: .seconds(5)) })
    outage()
    world.feed(.dismissed(policy: "p", key: "a"))
    world.feed(.dismissed(policy: "p", key: "a"))
    #expect(heard == ["a"])
    #expect(states == ["2000ms a raised", "2000ms a dismissed"])
    #expect(world.timers.isEmpty)
  }

  @Test func `only a button that an active alert has can be pressed`() {
    var heard: [String] = []
    world.host.on("p", .button) { request, outcome in
      if case .button(let key, let button) = request.event { heard.append("\(key) \(button)") }
      outcome.resolve("a")
    }
    start(lost: { $0.raise("a", "lost", buttons: ["retry"]) })
    world.down()
    world.wait(ms: 2000)
    world.feed(.button(policy: "p", key: "a", button: "other"))
    world.feed(.button(policy: "p", key: "b", button: "retry"))
    world.feed(.button(policy: "q", key: "a", button: "retry"))
    #expect(heard == [])
    world.feed(.button(policy: "p", key: "a", button: "retry"))
    world.feed(.button(policy: "p", key: "a", button: "retry"))
    #expect(heard == ["a retry"])
  }

  @Test func `a value is published only when it differs`() {
    start(
      lost: { outcome in
        outcome.publish("color", "green")
        outcome.publish("color", "red")
      }, back: { $0.publish("color", "red") })
    outage()
    outage()
    let published = world.log.filter {
      if case .publish = $0.order { true } else { false }
    }
    #expect(published.map(\.order.description) == ["publish p color \"red\""])
  }

  @Test func `a value that ends a handler as it began is not published`() {
    start(
      lost: { $0.publish("x", "a") },
      back: { outcome in
        outcome.publish("x", "b")
        outcome.publish("x", "a")
      })
    outage()
    let published = world.log.filter {
      if case .publish = $0.order { true } else { false }
    }
    #expect(published.count == 1)
  }

  @Test func `too many log lines in a minute are left out, and that is said once`() {
    world.host.on("p", .system) { _, outcome in
      for _ in 0..<50 { outcome.log("x") }
    }
    start()
    for _ in 0..<5 { world.feed(.gap(detail: "")) }
    let lines = world.log.compactMap {
      if case .log(_, let text) = $0.order { text } else { nil }
    }
    #expect(lines.count == EngineLimits.logLinesPerMinute + 1)
    #expect(lines.last?.contains("left out") == true)
  }

  @Test func `the key of the engine's own alert cannot be taken`() {
    start(lost: { $0.raise("policy-fault", "mine") })
    outage()
    #expect(world.faults.first?.kind == .limit)
    #expect(states == [])
  }
}
