import PathCore
import PathTestKit
import Testing

/// modem-reset, as it ships.
struct ModemResetTests {
  private let name = "modem-reset"
  private static let reset = "exec reset-modem"

  /// The modem was up and is down.
  private func lost(_ config: String = "return {}") throws -> Desk {
    let desk = try Desk(config)
    desk.uplinks(.cellular)
    desk.pass(60_000)
    desk.uplinks()
    desk.pass(250)
    return desk
  }

  @Test func `ten minutes down are one reset, which is told, and the return is calm`() throws {
    let desk = try lost()
    desk.pass(599_999)
    #expect(desk.acts(name) == [])
    desk.pass(1)
    #expect(desk.acts(name) == [Self.reset])
    #expect(desk.states(name) == [])
    desk.answer(name, "reset-modem", .done)
    #expect(desk.alert(name, "reset")?.title == "The modem was reset")
    #expect(desk.alert(name, "reset")?.body.contains("cellular uplink being down for 10m") == true)
    desk.uplinks(.cellular)
    desk.pass(minutes: 59)
    #expect(desk.alert(name, "reset") != nil)
    desk.pass(minutes: 1)
    #expect(desk.states(name) == [.raised, .expired])
    #expect(desk.acts(name) == [Self.reset])
    #expect(desk.faults == [])
  }

  @Test func `back before ten minutes are over, nothing is done, however often`() throws {
    let desk = try lost()
    for _ in 0..<12 {
      desk.pass(595_000)
      desk.uplinks(.cellular)
      desk.pass(1000)
      desk.uplinks()
    }
    #expect(desk.acts(name) == [] && desk.states(name) == [])
  }

  @Test func `while it does not help it is done three times an hour, no more`() throws {
    let desk = try lost()
    for _ in 0..<3 {
      desk.pass(minutes: 10)
      desk.answer(name, "reset-modem", .done)
    }
    desk.pass(minutes: 30)
    #expect(desk.acts(name).count == 3)
    #expect(desk.alert(name, "cellular")?.body.contains("more than 3 in 1h") == true)
    desk.pass(minutes: 10)
    #expect(desk.acts(name).count == 4)
    desk.answer(name, "reset-modem", .done)
    #expect(desk.alert(name, "cellular") == nil)
    // Told at each reset, since it says when.
    #expect(
      desk.states(name) == [.raised, .updated, .updated, .raised, .resolved, .updated])
  }

  @Test func `in a day of outage the limit holds in every hour`() throws {
    let desk = try lost()
    var times: [Duration] = []
    for _ in 0..<(24 * 60) {
      desk.pass(minutes: 1)
      if desk.isAtWork(name, "reset-modem") {
        times.append(desk.simulator.awake)
        desk.answer(name, "reset-modem", .done)
      }
    }
    #expect(times.count >= 60)
    for (first, fourth) in zip(times, times.dropFirst(3)) {
      #expect(fourth - first >= .seconds(3600))
    }
  }

  @Test func `the policies hear that what follows is the reset's own doing`() throws {
    let desk = try lost()
    desk.pass(minutes: 10)
    desk.pass(1000)
    desk.uplinks(.cellular)
    let last = desk.simulator.deliveries.last { $0.policy == "status-border" }
    #expect(last?.event.isSelfInflicted == true)
  }

  @Test func `not granted: said once, and not asked for again until it was up`() throws {
    let desk = try lost()
    desk.pass(minutes: 10)
    desk.answer(name, "reset-modem", .notGranted)
    #expect(desk.alert(name, "cellular")?.title == "The modem was not reset")
    #expect(desk.alert(name, "cellular")?.body.contains("it is not granted") == true)
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(minutes: 50)
    #expect(desk.acts(name).count == 1)
    #expect(desk.states(name) == [.raised])
    desk.uplinks(.cellular)
    #expect(desk.states(name) == [.raised, .resolved])
    desk.uplinks()
    desk.pass(minutes: 11)
    #expect(desk.acts(name).count == 2)
  }

  @Test func `a reset that fails is said and done again, and closed it stays quiet`() throws {
    let desk = try lost()
    desk.pass(minutes: 10)
    desk.answer(name, "reset-modem", .failed("it ended with 1"))
    #expect(desk.alert(name, "cellular")?.body.contains("it ended with 1") == true)
    desk.close(name, "cellular")
    desk.pass(minutes: 10)
    desk.answer(name, "reset-modem", .failed("it ended with 2"))
    #expect(desk.states(name) == [.raised, .dismissed])
    desk.pass(minutes: 10)
    desk.answer(name, "reset-modem", .done)
    #expect(desk.states(name) == [.raised, .dismissed, .raised])
  }

  @Test func `an uplink that was never up is left alone, unless it is wanted`() throws {
    let desk = try Desk()
    desk.uplinks(.wifi)
    desk.pass(minutes: 60)
    #expect(desk.acts(name) == [])
    let other = try Desk(
      "return { policies = { ['modem-reset'] = { unseen = true } } }")
    other.uplinks(.wifi)
    other.pass(minutes: 11)
    #expect(other.acts(name) == [Self.reset])
  }

  @Test func `two uplinks of one modem are one reset`() throws {
    let desk = try Desk("return { policies = { ['modem-reset'] = { wired = 'reset-modem' } } }")
    desk.uplinks(.wired, .cellular)
    desk.uplinks()
    desk.pass(minutes: 11)
    #expect(desk.acts(name) == [Self.reset])
    desk.answer(name, "reset-modem", .done)
    desk.pass(minutes: 10)
    #expect(desk.acts(name) == [Self.reset, Self.reset])
  }

  @Test func `a command for each uplink has a limit of its own`() throws {
    let desk = try Desk("return { policies = { ['modem-reset'] = { wired = 'reset-router' } } }")
    desk.uplinks(.wired, .cellular)
    desk.uplinks(.cellular)
    desk.pass(minutes: 11)
    #expect(desk.acts(name) == ["exec reset-router"])
    desk.answer(name, "reset-router", .done)
    #expect(desk.alert(name, "reset")?.body.contains("wired") == true)
  }

  @Test func `a sleep is no time down`() throws {
    let desk = try lost()
    desk.pass(minutes: 9)
    desk.sleep(hours: 8)
    desk.uplinks()
    desk.pass(599_999)
    #expect(desk.acts(name) == [])
    desk.pass(1)
    #expect(desk.acts(name) == [Self.reset])
    #expect(desk.faults == [])
  }

  @Test func `a reload in the middle keeps the count, also while the command runs`() throws {
    let desk = try lost()
    desk.pass(minutes: 9)
    try desk.reload("return { policies = { ['modem-reset'] = { shown = '2h' } } }")
    desk.pass(minutes: 1)
    #expect(desk.acts(name) == [Self.reset])
    try desk.reload("return { policies = { ['modem-reset'] = { shown = '3h' } } }")
    desk.answer(name, "reset-modem", .done)
    #expect(desk.states(name) == [.raised])
    desk.pass(minutes: 10)
    #expect(desk.acts(name).count == 2)
    try desk.reload("return { policies = { ['modem-reset'] = { cellular = '' } } }")
    desk.answer(name, "reset-modem", .done)
    desk.pass(minutes: 30)
    #expect(desk.acts(name).count == 2)
    #expect(desk.faults == [])
  }
}
