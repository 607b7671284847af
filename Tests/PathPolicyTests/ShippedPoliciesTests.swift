import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The policies that people get, driven through the real engine.
struct ShippedPoliciesTests {
  @Test func `an outage that ends while nobody watches is over at the next start`() throws {
    let before = try Desk()
    before.up()
    before.down()
    before.pass(2000)
    #expect(before.banner?.title == "Not connected" && before.popup != nil)
    let after = try Desk(after: before)
    #expect(after.banner?.title == "Not connected" && after.popup != nil)
    after.up()
    #expect(after.banner?.title == "Back online" && after.popup == nil)
    after.pass(5000)
    #expect(after.banner == nil)
    #expect(after.states("reconnect-banner") == [.raised, .updated, .expired])
    #expect(after.faults == [])
  }

  @Test func `an outage that goes on over a restart is told of once`() throws {
    let before = try Desk()
    before.up()
    before.down()
    before.pass(2000)
    let after = try Desk(after: before)
    after.down()
    after.pass(60_000)
    #expect(after.states("reconnect-banner") == [.raised])
    #expect(after.states("offline-popup") == [.raised])
    let causes = after.simulator.notices.map(\.notice).filter {
      ["reconnect-banner", "offline-popup"].contains($0.policy)
    }.map(\.cause)
    #expect(causes == [.restored, .restored])
  }

  @Test func `what ships is what the documents name, each a screenful`() throws {
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    #expect(
      directory.scripts.map(\.name) == [
        "launch-gate", "metered-guard", "modem-reset", "offline-popup", "reconnect-banner",
        "status-border", "uplink-failover", "web-error",
      ])
    for script in directory.scripts {
      let lines = script.source.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      ).dropLast()
      #expect(lines.count <= 90, "\(script.name)")
      #expect(lines[0].starts(with: Array("-- ".utf8)), "\(script.name)")
      #expect(lines.allSatisfy { $0.count <= 110 }, "\(script.name)")
    }
  }

  // MARK: status-border

  @Test func `the border shows the first state, good or bad, and unknown before`() throws {
    let good = try Desk()
    good.up()
    #expect(good.value("status-border", "connected") == "true")
    #expect(good.value("status-border", "color") == "green")
    let bad = try Desk()
    bad.down()
    bad.pass(4999)
    #expect(bad.value("status-border", "connected") == "false")
    #expect(bad.value("status-border", "color") == "gray")
    bad.pass(1)
    #expect(bad.value("status-border", "connected") == "false")
    #expect(bad.value("status-border", "color") == "red")
  }

  @Test func `the border says something only when it changes`() throws {
    let desk = try Desk()
    for _ in 0..<5 { desk.up() }
    desk.simulator.feed(.snapshot(.online("eth0", type: .wired, index: 7)))
    desk.pass(1000)
    #expect(desk.values("status-border", "color") == ["gray", "green"])
    for _ in 0..<3 {
      desk.down()
      desk.pass(1000)
      desk.up()
      desk.pass(1000)
    }
    #expect(
      desk.values("status-border", "color") == [
        "gray", "green", "red", "green", "red", "green", "red", "green",
      ])
    #expect(desk.values("status-border", "connected").count == 8)
    #expect(desk.faults == [])
  }

  @Test func `the border's colours are the operator's`() throws {
    let desk = try Desk(
      "return { policies = { ['status-border'] = { connected = 'blue' } } }")
    desk.up()
    #expect(desk.value("status-border", "color") == "blue")
  }

  // MARK: offline-popup

  @Test func `the popup works again after fifty outages`() throws {
    let desk = try Desk()
    desk.up()
    for _ in 0..<50 {
      desk.down()
      desk.pass(2000)
      #expect(desk.popup?.title == "No connection")
      desk.up()
      #expect(desk.popup == nil)
      desk.pass(60_000)
    }
    let states = desk.states("offline-popup")
    #expect(states.count == 100)
    #expect(states.count { $0 == .raised } == 50 && states.count { $0 == .resolved } == 50)
    #expect(desk.faults == [])
  }

  @Test func `the popup follows the reason and is never doubled`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(2000)
    let first = desk.popup?.body
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(2000)
    #expect(desk.popup != nil && desk.popup?.body != first)
    #expect(desk.states("offline-popup") == [.raised, .updated])
  }

  @Test func `a closed popup stays closed until the next outage`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(2000)
    desk.simulator.feed(.dismissed(policy: "offline-popup", key: "offline"))
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(10_000)
    #expect(desk.popup == nil)
    desk.up()
    desk.down()
    desk.pass(2000)
    #expect(desk.popup != nil)
    #expect(desk.states("offline-popup") == [.raised, .dismissed, .raised])
  }

  @Test func `an outage shorter than the grace is nobody's business`() throws {
    let desk = try Desk()
    desk.up()
    for _ in 0..<10 {
      desk.down()
      desk.pass(1999)
      desk.up()
      desk.pass(10_000)
    }
    #expect(desk.states("offline-popup") == [])
    #expect(desk.states("reconnect-banner") == [])
  }

  // MARK: reconnect-banner

  @Test func `the banner goes from lost to back and away again`() throws {
    let desk = try Desk()
    desk.up()
    #expect(desk.banner == nil)
    desk.down()
    desk.pass(1999)
    #expect(desk.banner == nil)
    desk.pass(1)
    #expect(desk.banner?.title == "Not connected")
    desk.up()
    desk.pass(299)
    #expect(desk.banner?.title == "Not connected")
    desk.pass(1)
    #expect(desk.banner?.title == "Back online")
    desk.pass(4999)
    #expect(desk.banner?.title == "Back online")
    desk.pass(1)
    #expect(desk.banner == nil)
    #expect(desk.states("reconnect-banner") == [.raised, .updated, .expired])
  }

  @Test func `a drop within the five seconds keeps the banner, without a gap`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(2000)
    desk.up()
    desk.pass(4300)
    desk.down()
    desk.pass(1900)
    #expect(desk.banner?.title == "Back online")
    desk.pass(100)
    #expect(desk.banner?.title == "Not connected")
    #expect(desk.states("reconnect-banner") == [.raised, .updated, .updated])
  }

  @Test func `a drop within the five seconds that reverts lets the banner end`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(2000)
    desk.up()
    desk.pass(4800)
    desk.down()
    desk.pass(1000)
    #expect(desk.banner?.title == "Back online")
    desk.up()
    #expect(desk.banner == nil)
    #expect(desk.states("reconnect-banner") == [.raised, .updated, .expired])
  }

  @Test func `a login without a network is told once, and one that associates is calm`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(4999)
    #expect(desk.banner == nil)
    desk.pass(1)
    #expect(desk.banner?.title == "Not connected")
    desk.up()
    desk.pass(300)
    #expect(desk.banner?.title == "Back online")
    let calm = try Desk()
    calm.down()
    calm.pass(4000)
    calm.up()
    calm.pass(60_000)
    #expect(calm.states("reconnect-banner") == [])
    #expect(calm.states("offline-popup") == [])
  }

  @Test(arguments: [
    (1000, 1000), (3000, 1000), (2500, 2500), (2100, 400), (300, 300), (5000, 4000),
  ])
  func `ten minutes of flapping show one calm banner`(_ downFor: Int, _ upFor: Int) throws {
    let desk = try Desk()
    desk.up()
    desk.pass(10_000)
    var outages = 0
    for _ in 0..<(600_000 / (downFor + upFor)) {
      desk.down()
      outages += 1
      desk.pass(downFor)
      desk.up()
      desk.pass(upFor)
    }
    let states = desk.states("reconnect-banner")
    // Once when the connection is lost, once more when it turns out to be restless.
    #expect(states.count { $0 == .raised } <= 2)
    #expect(states.count { $0 == .expired } <= 2)
    // After the first minute nobody is told of each turn.
    #expect(states.count <= 12, "\(states.count) for \(outages) outages")
    desk.pass(70_000)
    #expect(desk.banner == nil)
    #expect(desk.popup == nil)
    #expect(desk.value("status-border", "color") == "green")
    #expect(desk.faults == [])
  }

  /// Up for the first, down for the second of two times, in milliseconds.
  @Test(arguments: [
    (1100, 1000), (2000, 1900), (4000, 1900), (4000, 3900), (4900, 4800), (4900, 4950),
    (1000, 1000), (1000, 1900),
  ])
  func `a connection that comes and goes is called unstable, once`(_ up: Int, _ down: Int) throws {
    let desk = try Desk()
    desk.up()
    desk.pass(10_000)
    for _ in 0..<(300_000 / (up + down)) {
      desk.down()
      desk.pass(down)
      desk.up()
      desk.pass(up)
    }
    let unstable = desk.simulator.log.filter { entry in
      guard case .alert(let notice) = entry.order else { return false }
      return notice.policy == "reconnect-banner" && notice.content.title == "Unstable connection"
        && [.raised, .updated].contains(notice.state)
    }
    #expect(unstable.count == 1)
    #expect(desk.banner?.title == "Unstable connection")
  }

  @Test func `a longer grace in the configuration is all it takes`() throws {
    let desk = try Desk(
      "return { policies = { ['reconnect-banner'] = { grace = '10s', shown = '1m' } } }")
    desk.up()
    desk.down()
    desk.pass(9999)
    #expect(desk.banner == nil)
    #expect(desk.popup != nil)
    desk.pass(1)
    #expect(desk.banner?.title == "Not connected")
    desk.up()
    desk.pass(59_000)
    #expect(desk.banner?.title == "Back online")
    desk.pass(2000)
    #expect(desk.banner == nil)
  }

  @Test func `a closed banner comes back with news only`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(2000)
    desk.simulator.feed(.dismissed(policy: "reconnect-banner", key: "connection"))
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(5000)
    #expect(desk.banner == nil)
    desk.up()
    desk.pass(300)
    #expect(desk.banner?.title == "Back online")
    desk.simulator.feed(.dismissed(policy: "reconnect-banner", key: "connection"))
    desk.down()
    desk.pass(2000)
    #expect(desk.banner?.title == "Not connected")
  }

  @Test func `a change of network while connected is no news`() throws {
    let desk = try Desk()
    desk.up()
    for index in Int32(5)..<25 {
      desk.simulator.feed(.snapshot(.online("eth\(index)", type: .wired, index: index)))
      desk.pass(500)
    }
    #expect(desk.states("reconnect-banner") == [] && desk.states("offline-popup") == [])
  }

  @Test func `a sleep is no outage`() throws {
    let desk = try Desk()
    desk.up()
    desk.pass(10_000)
    desk.simulator.feed(.asleep)
    desk.simulator.sleep(.seconds(3600))
    desk.simulator.feed(.resumed)
    desk.down()
    desk.pass(8000)
    desk.up()
    desk.pass(60_000)
    #expect(desk.states("reconnect-banner") == [] && desk.states("offline-popup") == [])
    #expect(desk.faults == [])
  }
}
