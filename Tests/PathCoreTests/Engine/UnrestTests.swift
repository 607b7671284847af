import PathCore
import PathSimulation
import PathTestKit
import Testing

/// Changes that follow each other without rest.
@Suite struct UnrestTests {
  /// Turns the path over every `period` until `time` has passed, down first.
  private func flap(_ world: World, down: Int, up: Int, seconds: Int) {
    let end = world.awake + .seconds(seconds)
    while world.awake < end {
      world.down()
      world.wait(ms: down)
      world.up()
      world.wait(ms: up)
    }
  }

  @Test func `flapping that never settles is told after 30 s as what held longest`() throws {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    flap(world, down: 1500, up: 500, seconds: 29)
    world.down()
    world.wait(ms: 5)
    #expect(world.told == ["0ms satisfied", "30000ms unsatisfied"])
    let event = try #require(world.deliveries.last?.event)
    #expect(event.causes.contains([.flapping, .status]))
    #expect(event.flaps.lastMinute == 30)
  }

  @Test func `once in each window, and the final state when it is over`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    flap(world, down: 1500, up: 500, seconds: 100)
    world.wait(ms: 60_000)
    #expect(world.flapping == [30_000, 60_000, 90_000])
    #expect(world.told.last == "101500ms satisfied")
    #expect(world.timers.isEmpty)
  }

  @Test func `unrest is told when the status told last held longest, once in each window`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    flap(world, down: 500, up: 1500, seconds: 100)
    world.wait(ms: 60_000)
    #expect(world.flapping == [30_000, 60_000, 90_000])
    #expect(world.told.allSatisfy { $0.hasSuffix(" satisfied") })
    #expect(world.deliveries.dropFirst().allSatisfy { $0.event.causes == [.flapping] })
    #expect(world.timers.isEmpty)
  }

  /// Down for the second, up for the first of two times, in milliseconds.
  @Test(arguments: [
    (1100, 1000), (2000, 1900), (4000, 1900), (1000, 1000), (1000, 1900), (300, 100),
  ])
  func `a connection that is up a little longer than down is told as flapping`(
    _ up: Int, _ down: Int
  ) throws {
    let world = ScriptedWorld()
    world.host.on("p", .settle) { request, outcome in
      guard case .settle(let event) = request.event else { return }
      outcome.settle = .milliseconds(event.path.status == .satisfied ? 300 : 2000)
    }
    world.host.on("p", .path) { _, _ in }
    world.start(world.host.declaration("p", settle: .function))
    world.up()
    flap(world, down: down, up: up, seconds: 300)
    let first = try #require(world.flapping.first)
    #expect(first <= 30_000)
    #expect(world.flapping.count >= 9, "\(world.flapping)")
  }

  @Test func `an outage that began before unrest was told is told when its time comes`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    flap(world, down: 500, up: 1500, seconds: 29)
    // Two seconds from here, though the unrest is told in between.
    world.down()
    world.wait(ms: 10_000)
    #expect(world.told == ["0ms satisfied", "30000ms satisfied", "32000ms unsatisfied"])
  }

  @Test func `a settle_max of its own sets the window`() {
    let world = listener(settle: .fixed(.seconds(2)), settleMax: .seconds(40))
    world.up()
    flap(world, down: 1500, up: 500, seconds: 38)
    #expect(world.told == ["0ms satisfied"])
    flap(world, down: 1500, up: 500, seconds: 2)
    #expect(world.told == ["0ms satisfied", "40000ms unsatisfied"])
  }

  @Test func `a long settle makes the window four times as long`() {
    let world = listener(settle: .fixed(.seconds(20)))
    world.up()
    flap(world, down: 15_000, up: 5000, seconds: 60)
    #expect(world.told == ["0ms satisfied"])
    flap(world, down: 15_000, up: 5000, seconds: 20)
    #expect(world.told == ["0ms satisfied", "80000ms unsatisfied"])
  }

  @Test func `rest for a quarter of the window ends the unrest`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    for _ in 0..<5 {
      flap(world, down: 1500, up: 500, seconds: 20)
      world.wait(ms: 7000)
    }
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 30_000)
    #expect(world.timers.isEmpty)
  }

  @Test func `a revert leaves no timer armed`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    #expect(world.timers.keys.map(\.kind) == [.settle])
    world.wait(ms: 1000)
    world.up()
    #expect(world.timers.isEmpty)
  }

  @Test func `an outage that simply lasts asks for one wake-up and no more`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 100_000)
    let wakeUps = world.facts.count { if case .timer = $0.fact { true } else { false } }
    #expect(wakeUps == 1)
    #expect(world.timers.isEmpty)
  }

  @Test func `three statuses that take turns are reported too`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    for _ in 0..<20 {
      world.down()
      world.wait(ms: 1000)
      world.dormant()
      world.wait(ms: 1900)
    }
    #expect(world.told.prefix(2) == ["0ms satisfied", "30000ms requiresConnection"])
  }

  @Test func `a loss that is told as flapping is not told before the hold after a sleep`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    flap(world, down: 1500, up: 500, seconds: 25)
    world.feed(.asleep)
    world.sleep(.seconds(100))
    world.feed(.resumed)
    world.up()
    flap(world, down: 1500, up: 500, seconds: 9)
    #expect(world.told == ["0ms satisfied"])
  }
}

/// Falling asleep and waking up.
@Suite struct ResumeTests {
  private func sleep(_ world: World, seconds: Int) {
    world.feed(.asleep)
    world.sleep(.seconds(seconds))
    world.feed(.resumed)
  }

  @Test func `a loss that is seen after a sleep is held ten seconds`() {
    let world = listener()
    world.up()
    sleep(world, seconds: 3600)
    world.down()
    world.wait(ms: 9999)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    #expect(world.told == ["0ms satisfied", "10000ms unsatisfied"])
    #expect(world.deliveries[1].event.causes.contains(.resumed))
  }

  @Test func `a loss that was pending before the sleep is held again`() {
    let world = listener(settle: .fixed(.seconds(2)))
    world.up()
    world.down()
    world.wait(ms: 1900)
    sleep(world, seconds: 3600)
    world.down()
    world.wait(ms: 9999)
    #expect(world.told == ["0ms satisfied"])
    world.wait(ms: 1)
    #expect(world.told == ["0ms satisfied", "11900ms unsatisfied"])
  }

  @Test func `a first verdict that is not satisfied is held after a sleep too`() {
    let world = listener()
    sleep(world, seconds: 60)
    world.down()
    world.wait(ms: 9999)
    #expect(world.told == [])
    world.wait(ms: 1)
    #expect(world.told == ["10000ms unsatisfied"])
  }

  @Test func `what is satisfied after a sleep is told at once`() {
    let world = listener()
    world.up("eth0")
    sleep(world, seconds: 60)
    world.up("wlan0")
    #expect(world.told == ["0ms satisfied", "0ms satisfied"])
    #expect(world.deliveries[1].event.causes == [.interface, .resumed])
  }

  @Test func `nothing is judged between falling asleep and the first snapshot after`() {
    let world = listener(settle: .fixed(.zero))
    world.up()
    world.feed(.asleep)
    world.down()
    world.sleep(.seconds(60))
    world.feed(.resumed)
    #expect(world.told == ["0ms satisfied"])
    world.up()
    world.wait(ms: 20_000)
    #expect(world.told == ["0ms satisfied"])
  }

  @Test func `a change long after the sleep is not blamed on it`() {
    let world = listener()
    world.up()
    sleep(world, seconds: 60)
    world.up()
    world.wait(ms: 3_600_000)
    world.down()
    world.wait(ms: 250)
    #expect(world.deliveries.last?.event.causes.isDisjoint(with: [.resumed, .resync]) == true)
  }

  @Test func `a gap marks what the next snapshot shows`() {
    let world = listener()
    world.up()
    let orders = world.feed(.gap(detail: "overrun"))
    #expect(orders.map(\.description) == ["gap \"overrun\""])
    world.down()
    world.wait(ms: 250)
    #expect(world.deliveries.last?.event.causes.contains(.resync) == true)
  }

  @Test func `a gap that hid nothing does not mark a later change`() {
    let world = listener()
    world.up()
    world.feed(.gap(detail: "overrun"))
    world.up()
    world.wait(ms: 1000)
    world.down()
    world.wait(ms: 250)
    #expect(world.deliveries.last?.event.causes.contains(.resync) == false)
  }

  @Test func `a gap is no change of state by itself`() {
    let world = listener()
    world.up()
    world.down()
    world.wait(ms: 250)
    world.feed(.gap(detail: "overrun"))
    world.down()
    world.wait(ms: 60_000)
    #expect(world.told == ["0ms satisfied", "250ms unsatisfied"])
  }

  @Test func `two witnesses of one sleep are one sleep`() {
    let world = ScriptedWorld()
    var heard: [String] = []
    world.host.on("p", .system) { request, _ in
      if case .system(let event) = request.event { heard.append(event.rawValue) }
    }
    world.start(world.host.declaration("p"))
    world.up()
    world.feed(.asleep)
    world.feed(.asleep)
    world.feed(.resumed)
    world.feed(.resumed)
    world.up()
    world.feed(.gap(detail: ""))
    #expect(heard == ["asleep", "resumed", "gap"])
  }

  @Test func `named timers run on in sleep, and fire after the first snapshot`() {
    let world = ScriptedWorld()
    var heard: [String] = []
    world.host.on("p", .start) { _, outcome in
      outcome.start("later", .seconds(600))
      outcome.start("sooner", .seconds(300))
    }
    world.host.on("p", .path) { request, _ in
      heard.append(request.change?.path.status.rawValue ?? "")
    }
    world.host.on("p", .timer) { request, _ in
      if case .timer(let name, let late) = request.event {
        heard.append("\(name) \(late.shortText)")
      }
    }
    world.start(world.host.declaration("p"))
    world.up("eth0")
    world.wait(ms: 100_000)
    world.feed(.asleep)
    world.sleep(.seconds(1000))
    world.wait(ms: 0)
    world.feed(.resumed)
    world.wait(ms: 50)
    #expect(heard == ["satisfied"])
    world.up("wlan0")
    #expect(heard == ["satisfied", "satisfied", "sooner 13m20s50ms", "later 8m20s50ms"])
    #expect(world.timers.isEmpty)
  }
}

extension World {
  /// When unrest was told, in milliseconds.
  fileprivate var flapping: [Int64] {
    deliveries.filter { $0.event.causes.contains(.flapping) }
      .map { $0.at.nanoseconds / 1_000_000 }
  }
}
