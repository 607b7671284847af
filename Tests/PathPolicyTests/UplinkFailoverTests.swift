import PathCore
import PathTestKit
import Testing

/// uplink-failover, as it ships.
struct UplinkFailoverTests {
  private let name = "uplink-failover"
  private func alert(_ desk: Desk) -> AlertContent? { desk.alert("uplink-failover", "uplink") }

  @Test func `it says which uplink carries, at once`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.uplinks(.cellular)
    desk.uplinks()
    desk.pass(250)
    #expect(desk.values(name, "uplink") == ["wired", "wifi", "cellular", "none"])
    #expect(desk.values(name, "interface") == ["eth0", "wlan0", "wwan0", "none"])
    #expect(desk.faults == [])
  }

  @Test func `the preferred uplink has its grace, and is back when that lasts`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.pass(29_999)
    #expect(alert(desk) == nil)
    desk.pass(1)
    #expect(alert(desk)?.title == "Preferred uplink lost")
    #expect(alert(desk)?.body.contains("wlan0 (wifi) carries") == true)
    desk.uplinks(.wired, .wifi)
    desk.pass(9999)
    #expect(alert(desk) != nil)
    desk.pass(1)
    #expect(desk.states(name) == [.raised, .updated, .resolved])
    #expect(desk.values(name, "preferred") == ["true", "false", "true"])
  }

  @Test func `the alert follows what carries, and stays one`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.pass(30_000)
    desk.uplinks(.cellular)
    #expect(alert(desk)?.body.contains("wwan0") == true)
    desk.uplinks()
    desk.pass(250)
    #expect(alert(desk)?.body == "Nothing else carries.")
    #expect(desk.states(name) == [.raised, .updated, .updated])
  }

  @Test func `an uplink that was never there is not missed`() throws {
    let desk = try Desk()
    desk.uplinks(.wifi)
    desk.pass(minutes: 10)
    desk.uplinks()
    desk.pass(minutes: 10)
    #expect(desk.states(name) == [])
    #expect(desk.value(name, "preferred") == "false")
  }

  @Test func `a loss within the grace is nobody's business, nor a drop in the calm`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    for _ in 0..<2 {
      desk.uplinks(.wifi)
      desk.pass(29_000)
      desk.uplinks(.wired, .wifi)
      desk.pass(minutes: 11)
    }
    #expect(desk.states(name) == [])
    desk.uplinks(.wifi)
    desk.pass(30_000)
    desk.uplinks(.wired, .wifi)
    desk.pass(9000)
    desk.uplinks(.wifi)
    desk.pass(minutes: 2)
    #expect(desk.states(name).count { $0 == .raised } == 1)
    #expect(alert(desk) != nil)
  }

  @Test(arguments: [(40, 20), (35, 15), (10, 10), (60, 60), (2, 100)])
  func `an uplink that comes and goes for an hour makes no storm`(
    _ downFor: Int, _ upFor: Int
  ) throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    for _ in 0..<(3600 / (downFor + upFor)) {
      desk.uplinks(.wifi)
      desk.pass(downFor * 1000)
      desk.uplinks(.wired, .wifi)
      desk.pass(upFor * 1000)
    }
    let raised = desk.states(name).count { $0 == .raised }
    #expect(raised <= 8, "\(raised)")
    desk.pass(minutes: 15)
    #expect(alert(desk) == nil)
    #expect(desk.faults == [])
  }

  @Test func `closed, it stays closed until the uplink was back`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.pass(30_000)
    desk.close(name, "uplink")
    desk.uplinks(.cellular)
    desk.pass(minutes: 10)
    #expect(desk.states(name) == [.raised, .dismissed])
    desk.uplinks(.wired)
    desk.pass(10_000)
    desk.uplinks(.cellular)
    desk.pass(30_000)
    #expect(desk.states(name) == [.raised, .dismissed, .raised])
  }

  @Test func `another preference is a word in the configuration, a wrong one is named`() throws {
    let desk = try Desk(
      "return { policies = { ['uplink-failover'] = { preferred = 'fixed', grace = '5s' } } }")
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.pass(5000)
    #expect(alert(desk) != nil)
    #expect(desk.faults == [])
    let wrong = try Desk("return { policies = { ['uplink-failover'] = { preferred = 'wird' } } }")
    #expect(wrong.faults.count == 1)
    #expect(wrong.faults.first?.contains("did you mean 'wired'") == true)
  }

  @Test func `a reload in mid-grace keeps the count, and the alert is not doubled`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.uplinks(.wifi)
    desk.pass(20_000)
    try desk.reload("return { policies = { ['uplink-failover'] = { calm = '1s' } } }")
    desk.pass(10_000)
    #expect(desk.states(name) == [.raised])
    try desk.reload("return { policies = { ['uplink-failover'] = { calm = '2s' } } }")
    desk.pass(minutes: 5)
    #expect(desk.states(name) == [.raised])
    desk.uplinks(.wired)
    desk.pass(2000)
    #expect(alert(desk) == nil)
    #expect(desk.faults == [])
  }

  @Test func `a sleep is no loss, and one that it hid is told after its grace`() throws {
    let desk = try Desk()
    desk.uplinks(.wired, .wifi)
    desk.sleep(hours: 8)
    desk.uplinks(.wifi)
    desk.pass(20_000)
    desk.uplinks(.wired, .wifi)
    desk.pass(minutes: 5)
    #expect(desk.states(name) == [])
    desk.sleep(hours: 8)
    desk.uplinks(.wifi)
    desk.pass(30_000)
    #expect(desk.states(name) == [.raised])
  }
}
