import PathCore
import PathTestKit
import Testing

/// Timers that policies ask for.
@Suite struct TimerTests {
  let world = ScriptedWorld()

  /// A policy that does `body` when its path is lost, and notes its timers.
  private func start(
    every: [RecurringTimer] = [], _ body: @escaping (inout HandlerOutcome) -> Void
  ) -> () -> [String] {
    var heard: [String] = []
    let world = world
    world.host.on("p", .path) { request, outcome in
      if request.change?.path.status != .satisfied { body(&outcome) }
    }
    world.host.on("p", .timer) { request, _ in
      guard case .timer(let name, let late) = request.event else { return }
      heard.append("\(world.awake.nanoseconds / 1_000_000)ms \(name) \(late.shortText)")
    }
    world.start(world.host.declaration("p", settle: .fixed(.zero), every: every))
    world.up()
    return { heard }
  }

  @Test func `a timer fires once, at its time`() {
    let heard = start { $0.start("t", .seconds(3)) }
    world.down()
    world.wait(ms: 10_000)
    #expect(heard() == ["3000ms t 0s"])
    #expect(world.timers.isEmpty)
  }

  @Test func `starting it again moves it, start_once does not`() {
    let heard = start { outcome in
      outcome.start("again", .seconds(3))
      outcome.start("once", .seconds(3), once: true)
    }
    world.down()
    world.wait(ms: 1000)
    world.up()
    world.down()
    world.wait(ms: 10_000)
    #expect(heard() == ["3000ms once 0s", "4000ms again 0s"])
  }

  @Test func `a cancelled timer does not fire and stays no wake-up`() {
    var turn = 0
    let heard = start { outcome in
      turn += 1
      if turn == 1 { outcome.start("t", .seconds(3)) } else { outcome.cancel("t") }
    }
    world.down()
    world.up()
    world.down()
    #expect(world.timers.isEmpty)
    world.wait(ms: 10_000)
    #expect(heard() == [])
  }

  @Test func `until_change ends it when that monitor tells a change`() {
    let heard = start { $0.start("t", .seconds(3), untilChange: "internet") }
    world.down()
    #expect(world.timers.count == 1)
    world.wait(ms: 1000)
    world.up()
    #expect(world.timers.isEmpty)
    world.wait(ms: 10_000)
    #expect(heard() == [])
  }

  @Test func `the first verdict is no change for until_change`() {
    let world = world
    world.host.on("p", .start) { _, outcome in
      outcome.start("t", .seconds(3), untilChange: "internet")
    }
    let heard = start { _ in }
    world.wait(ms: 3000)
    #expect(heard() == ["3000ms t 0s"])
  }

  @Test func `a wake-up that comes late says how late`() {
    let heard = start { $0.start("t", .seconds(3)) }
    world.down()
    world.sleep(.seconds(10))
    world.wait(ms: 0)
    #expect(heard() == ["0ms t 7s"])
  }

  @Test func `a wake-up of another time is no turn`() {
    let heard = start { $0.start("t", .seconds(3)) }
    world.down()
    world.feed(.timer(TimerID(.named, policy: "p", name: "t")))
    world.feed(.timer(TimerID(.named, policy: "p", name: "other")))
    world.feed(.timer(TimerID(.named, policy: "q", name: "t")))
    #expect(heard() == [])
    world.wait(ms: 3000)
    #expect(heard() == ["3000ms t 0s"])
  }

  @Test func `every comes back in its rhythm`() {
    let heard = start(every: [RecurringTimer(name: "tick", period: .seconds(10))]) { _ in }
    world.wait(ms: 35_000)
    #expect(heard() == ["10000ms tick 0s", "20000ms tick 0s", "30000ms tick 0s"])
  }

  @Test func `missed turns are one late turn, and the rhythm stays`() {
    let heard = start(every: [RecurringTimer(name: "tick", period: .seconds(10))]) { _ in }
    world.wait(ms: 5000)
    world.sleep(.seconds(41))
    world.wait(ms: 0)
    #expect(heard() == ["5000ms tick 36s"])
    world.wait(ms: 4000)
    #expect(heard() == ["5000ms tick 36s", "9000ms tick 0s"])
  }

  @Test func `a chain of tiny timers is stopped by the minute's budget`() {
    let world = world
    var calls = 0
    world.host.on("p", .timer) { _, outcome in
      calls += 1
      outcome.start("again", .nanoseconds(1))
    }
    world.host.on("p", .start) { _, outcome in outcome.start("again", .nanoseconds(1)) }
    world.start(world.host.declaration("p"))
    world.wait(ms: 30_000)
    #expect(calls == EngineLimits.timerCallsPerMinute)
    #expect(world.faults.map(\.kind) == [.limit])
    #expect(world.timers.isEmpty)
  }

  @Test func `one timer too many is a fault, and none of the call took effect`() {
    _ = start { outcome in
      for index in 0..<60 { outcome.start("t\(index)", .seconds(60)) }
    }
    var turn = 0
    world.host.on("p", .path) { _, outcome in
      turn += 1
      for index in 0..<60 { outcome.start("\(turn)-\(index)", .seconds(600)) }
    }
    for _ in 0..<3 {
      world.down()
      world.up()
    }
    #expect(world.timers.count == 240)
    #expect(world.faults.first?.kind == .limit)
    #expect(world.faults.first?.message.contains("256 timers") == true)
  }
}
