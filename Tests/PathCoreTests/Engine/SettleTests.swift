import PathCore
import PathSimulation
import PathTestKit
import Testing

/// A world with one policy `p` that does nothing but listen.
func listener(
  settle: SettleRule = .standard, settleMax: Duration? = nil
) -> ScriptedWorld {
  let world = ScriptedWorld()
  world.host.on("p", .path) { _, _ in }
  world.start(world.host.declaration("p", settle: settle, settleMax: settleMax))
  return world
}

extension World {
  /// When which status was told: `0ms satisfied`.
  var told: [String] {
    deliveries.map { "\($0.at.nanoseconds / 1_000_000)ms \($0.event.path.status.rawValue)" }
  }

  func up(_ name: String = "wlan0") { feed(.snapshot(.online(name))) }
  func down(_ name: String = "wlan0") { feed(.snapshot(.offline(name))) }
  func dormant() { feed(.snapshot(.dormant())) }
  func wait(ms: Int) { advance(.milliseconds(ms)) }
}

/// How long a change must hold before a policy hears of it.
@Suite struct SettleTests {
  @Test func `without a rule a loss must hold 250 ms and a return is told at once`() {
    let world = listener()
    world.up()
    world.down()
    world.wait(ms: 249)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    world.wait(ms: 50)
    world.up()
    #expect(world.told == ["0ms satisfied", "250ms unsatisfied", "300ms satisfied"])
  }

  @Test func `a change back drops what was pending, and nothing happened`() {
    let world = listener()
    world.up()
    world.down()
    world.wait(ms: 100)
    world.up()
    #expect(world.timers.isEmpty)
    world.wait(ms: 10_000)
    #expect(world.told == ["0ms satisfied"])
  }

  @Test func `a settle of nothing tells at once`() {
    let world = listener(settle: .fixed(.zero))
    world.up()
    world.down()
    world.up()
    #expect(world.told == ["0ms satisfied", "0ms unsatisfied", "0ms satisfied"])
  }

  @Test func `the same status in another shape keeps the deadline and is what is told`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 1500)
    world.down("eth7")
    world.wait(ms: 499)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    #expect(world.told == ["0ms satisfied", "2000ms unsatisfied"])
    #expect(world.deliveries[1].event.path.why.contains("eth7"))
  }

  @Test func `another reason for the same status keeps the deadline too`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 1900)
    world.feed(.snapshot(Snapshot()))
    world.wait(ms: 100)
    #expect(world.told == ["0ms satisfied", "2000ms unsatisfied"])
    #expect(world.deliveries[1].event.path.reason == .noInterface)
  }

  @Test func `another status starts the deadline anew`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 1500)
    world.dormant()
    world.wait(ms: 1999)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    #expect(world.told == ["0ms satisfied", "3500ms requiresConnection"])
  }

  @Test func `a policy's own function is asked for each change of status`() {
    let world = ScriptedWorld()
    var asked: [String] = []
    world.host.on("p", .path) { _, _ in }
    world.host.on("p", .settle) { request, outcome in
      let status = request.change?.path.status
      asked.append(status?.rawValue ?? "")
      outcome.settle = status == .satisfied ? .milliseconds(300) : .seconds(2)
    }
    world.start(world.host.declaration("p", settle: .function))
    world.up()
    world.down()
    world.down("eth7")
    world.wait(ms: 2000)
    world.up()
    world.wait(ms: 300)
    #expect(asked == ["unsatisfied", "satisfied"])
    #expect(world.told == ["0ms satisfied", "2000ms unsatisfied", "2300ms satisfied"])
    #expect(world.host.complaints == [])
  }

  @Test func `a settle function that fails leaves the standard time`() {
    let world = ScriptedWorld()
    world.host.on("p", .path) { _, _ in }
    world.host.on("p", .settle) { _, _ in throw ScriptedHost.Failure("no") }
    world.start(world.host.declaration("p", settle: .function))
    world.up()
    world.down()
    world.wait(ms: 250)
    #expect(world.told == ["0ms satisfied", "250ms unsatisfied"])
    #expect(world.faults.count == 1)
    #expect(world.host.resets.count == 1)
  }

  @Test func `equal paths are never told twice, whatever came between`() {
    let world = listener(settle: .fixed(.zero))
    world.up()
    world.up()
    world.feed(.gap(detail: "overrun"))
    world.up()
    #expect(world.told == ["0ms satisfied"])
  }

  @Test func `settle counts awake time only`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 1000)
    world.sleep(.seconds(3600))
    world.wait(ms: 999)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    #expect(world.told == ["0ms satisfied", "2000ms unsatisfied"])
  }

  @Test func `a step of the clock on the wall is nothing`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 1000)
    world.wallOffset = .seconds(1_600_000_000)
    world.wait(ms: 500)
    world.wallOffset = .seconds(-1_000_000)
    world.wait(ms: 500)
    #expect(world.told == ["0ms satisfied", "2000ms unsatisfied"])
  }
}

/// What a policy hears first.
@Suite struct FirstVerdictTests {
  @Test func `a first verdict that is satisfied is told at once and is no change`() throws {
    let world = listener(settle: .fixed(.seconds(60)))
    world.up()
    let first = try #require(world.deliveries.first)
    #expect(world.told == ["0ms satisfied"])
    #expect(first.event.isInitial && first.event.causes == [] && first.event.since == nil)
    #expect(first.event.sequence == 1)
    #expect(world.timers.isEmpty)
  }

  @Test func `a first verdict that is not waits five seconds`() {
    let world = listener()
    world.down()
    world.wait(ms: 4999)
    #expect(world.told == [])
    world.wait(ms: 1)
    #expect(world.told == ["5000ms unsatisfied"])
    #expect(world.deliveries[0].event.isInitial)
  }

  @Test func `a longer settle makes the first verdict wait longer`() {
    let world = listener(settle: .fixed(.seconds(20)))
    world.down()
    world.wait(ms: 19_999)
    #expect(world.told == [])
    world.wait(ms: 1)
    #expect(world.told == ["20000ms unsatisfied"])
  }

  @Test func `a login whose network comes up within the patience hears of satisfied only`() {
    let world = listener()
    world.down()
    world.wait(ms: 3000)
    world.dormant()
    world.wait(ms: 1000)
    world.up()
    #expect(world.told == ["4000ms satisfied"])
    #expect(world.timers.isEmpty)
  }

  @Test func `another status within the first patience must hold its own settle`() {
    let world = listener(settle: .fixed(.seconds(8)))
    world.down()
    world.wait(ms: 7000)
    world.dormant()
    world.wait(ms: 7999)
    #expect(world.told == [])
    world.wait(ms: 1)
    #expect(world.told == ["15000ms requiresConnection"])
  }

  @Test func `statuses that take turns do not put the first verdict off for ever`() {
    let world = listener(settle: .fixed(.seconds(6)))
    for _ in 0..<20 {
      world.down()
      world.wait(ms: 1000)
      world.dormant()
      world.wait(ms: 1000)
    }
    #expect(world.deliveries.first?.at == .seconds(30))
  }

  @Test func `a faulty settle at the first verdict does not lose it`() {
    let world = ScriptedWorld()
    world.host.on("p", .path) { _, _ in }
    world.host.on("p", .start) { _, _ in throw ScriptedHost.Failure("no") }
    world.host.on("p", .system) { _, _ in throw ScriptedHost.Failure("no") }
    world.host.on("p", .settle) { _, _ in throw ScriptedHost.Failure("no") }
    world.start(world.host.declaration("p", settle: .function))
    world.feed(.gap(detail: "overrun"))
    world.down()
    #expect(world.faults.count == 3)
    #expect(world.timers.keys.map(\.kind) == [.rest])
    world.host.on("p", .settle) { _, outcome in outcome.settle = .seconds(1) }
    world.wait(ms: 61_000)
    #expect(world.told == ["60000ms unsatisfied"])
    #expect(world.host.complaints == [])
  }
}
