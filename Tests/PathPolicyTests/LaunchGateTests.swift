import PathCore
import PathTestKit
import Testing

/// launch-gate, as it ships.
struct LaunchGateTests {
  private let name = "launch-gate"
  private func routes(_ desk: Desk) -> [String] { desk.values("launch-gate", "route") }

  @Test func `with a connection the gate opens at once, to the introduction only once`() throws {
    let desk = try Desk()
    desk.up()
    #expect(routes(desk) == ["none", "onboarding"])
    #expect(desk.value(name, "type") == "wifi")
    desk.sleep(hours: 8)
    desk.up()
    desk.pass(12_000)
    #expect(routes(desk) == ["none", "onboarding", "main"])
    #expect(desk.states(name) == [])
    #expect(desk.faults == [])
  }

  @Test func `without a connection it asks, and the return opens`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(4999)
    #expect(desk.alert(name, "gate") == nil)
    desk.pass(1)
    let gate = try #require(desk.alert(name, "gate"))
    #expect(gate.buttons.map(\.label) == ["Quit", "Open settings"])
    #expect(!gate.body.isEmpty)
    #expect(desk.value(name, "type") == "none")
    desk.up()
    #expect(desk.states(name) == [.raised, .resolved])
    #expect(routes(desk) == ["none", "onboarding"])
  }

  @Test func `a login whose Wi-Fi associates is asked nothing`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(3000)
    desk.up()
    desk.pass(60_000)
    #expect(desk.states(name) == [])
    #expect(routes(desk) == ["none", "onboarding"])
  }

  @Test func `once open, an outage is none of its business`() throws {
    let desk = try Desk()
    desk.up()
    for _ in 0..<20 {
      desk.down()
      desk.pass(5000)
      desk.up()
      desk.pass(5000)
    }
    #expect(desk.states(name) == [])
    #expect(routes(desk) == ["none", "onboarding"])
  }

  @Test func `the type is what carries, none without a path`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.uplinks(.cellular)
    desk.uplinks()
    desk.pass(1000)
    #expect(desk.values(name, "type") == ["wired", "wifi", "cellular", "none"])
  }

  @Test func `the buttons run what is granted`() throws {
    let desk = try Desk("return { policies = { ['launch-gate'] = { quit = 'stop-kiosk' } } }")
    desk.down()
    desk.pass(5000)
    desk.press(name, "gate", "settings")
    desk.answer(name, "settings", .done)
    #expect(desk.alert(name, "gate") != nil)
    desk.press(name, "gate", "quit")
    desk.answer(name, "quit", .done)
    #expect(desk.acts(name) == ["exec settings", "exec stop-kiosk"])
    #expect(desk.states(name) == [.raised, .resolved])
    desk.pass(minutes: 10)
    #expect(desk.states(name) == [.raised, .resolved])
  }

  @Test func `what is not granted is said once, and the gate still works`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(5000)
    for _ in 0..<3 {
      desk.press(name, "gate", "settings")
      desk.answer(name, "settings", .notGranted)
    }
    #expect(desk.alert(name, "trouble")?.body == "it is not granted")
    #expect(desk.states(name) == [.raised, .raised])
    #expect(desk.acts(name).count == 3)
    desk.pass(30_000)
    #expect(desk.alert(name, "trouble") == nil)
    desk.up()
    #expect(desk.alert(name, "gate") == nil)
    #expect(desk.value(name, "route") == "onboarding")
  }

  @Test func `closed, it asks again only after news`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(5000)
    desk.close(name, "gate")
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(60_000)
    #expect(desk.states(name) == [.raised, .dismissed])
    desk.sleep(hours: 1)
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(12_000)
    #expect(desk.states(name) == [.raised, .dismissed, .raised])
  }

  @Test func `waking without a connection shuts the gate, even if nothing changed`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(10_000)
    #expect(desk.states(name) == [])
    desk.sleep(hours: 1)
    desk.down()
    desk.pass(11_999)
    #expect(desk.alert(name, "gate") == nil)
    desk.pass(1)
    #expect(desk.alert(name, "gate") != nil)
    desk.up()
    #expect(desk.alert(name, "gate") == nil)
    #expect(routes(desk) == ["none", "onboarding", "none", "main"])
  }

  @Test func `waking into a lost connection asks, and one that is found in time does not`() throws {
    let desk = try Desk()
    desk.up()
    desk.sleep(hours: 1)
    desk.down()
    desk.pass(9000)
    desk.up()
    desk.pass(60_000)
    #expect(desk.states(name) == [])
    desk.sleep(hours: 1)
    desk.down()
    desk.pass(10_000)
    #expect(desk.states(name) == [.raised])
    // The timer of the waking finds everything done.
    desk.pass(60_000)
    #expect(desk.states(name) == [.raised])
  }

  @Test func `a sleep in the middle of waking begins it anew`() throws {
    let desk = try Desk()
    desk.up()
    desk.sleep(hours: 1)
    desk.up()
    desk.pass(5000)
    desk.sleep(hours: 1)
    desk.down()
    desk.pass(60_000)
    #expect(desk.states(name) == [.raised])
    #expect(desk.faults == [])
  }

  @Test func `a reload in mid-question neither asks twice nor forgets`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(5000)
    try desk.reload("return { policies = { ['launch-gate'] = { main = 'home' } } }")
    desk.pass(10_000)
    #expect(desk.states(name) == [.raised])
    desk.up()
    desk.sleep(hours: 1)
    desk.up()
    desk.pass(12_000)
    #expect(routes(desk) == ["none", "onboarding", "home"])
  }

  @Test func `a gate that flaps asks once for each time it is shut`() throws {
    let desk = try Desk()
    for _ in 0..<20 {
      desk.down()
      desk.pass(400)
      desk.up()
      desk.pass(100)
    }
    desk.pass(60_000)
    #expect(desk.states(name) == [])
    #expect(desk.faults == [])
  }
}
