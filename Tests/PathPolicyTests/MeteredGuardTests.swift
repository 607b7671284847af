import PathCore
import PathTestKit
import Testing

/// metered-guard, as it ships.
struct MeteredGuardTests {
  private let name = "metered-guard"
  private func sync(_ desk: Desk) -> [String] { desk.values("metered-guard", "sync") }

  /// On a cheap path, with everything done that a start brings.
  private func calm(_ config: String = "return {}") throws -> Desk {
    let desk = try Desk(config)
    desk.uplinks(.wifi)
    desk.answer(name, "sync", .done)
    return desk
  }

  @Test func `an expensive path pauses at once, a cheap one that lasts resumes`() throws {
    let desk = try calm()
    desk.uplinks(.cellular)
    #expect(sync(desk) == ["running", "paused"])
    desk.answer(name, "sync", .done)
    desk.uplinks(.wifi)
    desk.pass(9999)
    #expect(sync(desk) == ["running", "paused"])
    desk.pass(1)
    #expect(sync(desk) == ["running", "paused", "running"])
    desk.answer(name, "sync", .done)
    #expect(desk.acts(name) == ["exec resume-sync", "exec pause-sync", "exec resume-sync"])
    #expect(desk.states(name) == [])
    #expect(desk.faults == [])
  }

  @Test func `a hotspot that drops and returns changes nothing`() throws {
    let desk = try calm()
    desk.uplinks(.wifi, expensive: true)
    desk.answer(name, "sync", .done)
    for _ in 0..<50 {
      desk.uplinks()
      desk.pass(30_000)
      desk.uplinks(.wifi, expensive: true)
      desk.pass(5000)
    }
    #expect(sync(desk) == ["running", "paused"])
    #expect(desk.acts(name).count == 2)
  }

  @Test func `a hotspot that is gone for hours and returns changes nothing either`() throws {
    let desk = try calm()
    desk.uplinks(.cellular)
    desk.answer(name, "sync", .done)
    desk.uplinks()
    desk.pass(minutes: 300)
    desk.uplinks(.cellular)
    desk.pass(minutes: 300)
    #expect(sync(desk) == ["running", "paused"])
  }

  @Test func `after a drop the next path decides, the expensive one without delay`() throws {
    let desk = try calm()
    desk.uplinks(.wired)
    desk.uplinks()
    desk.pass(3000)
    desk.uplinks(.wifi)
    desk.pass(1000)
    desk.uplinks(.cellular)
    #expect(desk.value(name, "sync") == "paused")
    desk.answer(name, "sync", .done)
    desk.uplinks()
    desk.pass(3000)
    desk.uplinks(.wifi)
    #expect(desk.value(name, "sync") == "paused")
    desk.pass(10_000)
    #expect(desk.value(name, "sync") == "running")
  }

  @Test(arguments: [500, 3000, 9000]) func `between cheap and expensive it does not flicker`(
    _ each: Int
  ) throws {
    let desk = try calm()
    for _ in 0..<100 {
      desk.uplinks(.cellular)
      desk.pass(each)
      desk.uplinks(.wifi)
      desk.pass(each)
    }
    desk.answer(name, "sync", .done)
    #expect(sync(desk) == ["running", "paused"])
    desk.pass(10_000)
    #expect(sync(desk) == ["running", "paused", "running"])
    #expect(desk.faults == [])
  }

  @Test func `a first path that is expensive pauses, without one nothing is said`() throws {
    let desk = try Desk()
    desk.uplinks()
    desk.pass(minutes: 1)
    #expect(sync(desk) == [] && desk.acts(name) == [])
    desk.uplinks(.cellular)
    #expect(sync(desk) == ["paused"])
    #expect(desk.acts(name) == ["exec pause-sync"])
  }

  @Test func `not granted: said once when it pauses, never at a start that costs nothing`() throws {
    let desk = try Desk()
    desk.uplinks(.wifi)
    desk.answer(name, "sync", .notGranted)
    desk.pass(minutes: 10)
    #expect(desk.states(name) == [])
    desk.uplinks(.cellular)
    desk.answer(name, "sync", .notGranted)
    #expect(desk.alert(name, "trouble")?.title == "Syncing could not be paused")
    desk.uplinks(.cellular, .wifi)
    desk.pass(60_000)
    #expect(desk.states(name) == [.raised])
    #expect(desk.value(name, "sync") == "paused")
    desk.pass(minutes: 10)
    #expect(desk.states(name) == [.raised, .expired])
    #expect(desk.acts(name).count == 2)
  }

  @Test func `a command that fails is tried three times, then said`() throws {
    let desk = try calm()
    desk.uplinks(.cellular)
    for _ in 0..<3 {
      #expect(desk.states(name) == [])
      desk.answer(name, "sync", .failed("it ended with 1"))
      desk.pass(10_000)
    }
    #expect(desk.alert(name, "trouble")?.body == "it ended with 1")
    desk.pass(minutes: 5)
    #expect(desk.acts(name).count == 4)
    desk.uplinks(.wifi)
    desk.pass(10_000)
    #expect(desk.states(name) == [.raised, .resolved])
  }

  @Test func `the cost changes while a command is at work: the latest word is the last`() throws {
    let desk = try calm()
    desk.uplinks(.cellular)
    desk.uplinks(.wifi)
    desk.pass(10_000)
    #expect(desk.acts(name).count == 2)
    desk.answer(name, "sync", .failed("it took too long"))
    #expect(desk.acts(name).last == "exec resume-sync")
    desk.answer(name, "sync", .done)
    desk.pass(minutes: 5)
    #expect(desk.acts(name).count == 3)
  }

  @Test func `a reload in mid-flight asks nothing twice, new settings count at once`() throws {
    let desk = try calm()
    desk.uplinks(.cellular)
    try desk.reload("return { policies = { ['metered-guard'] = { calm = '20s' } } }")
    desk.pass(5000)
    #expect(desk.acts(name).count == 2)
    desk.answer(name, "sync", .done)
    try desk.reload("return { policies = { ['metered-guard'] = { expensive = false } } }")
    #expect(desk.value(name, "sync") == "running")
    #expect(desk.acts(name).last == "exec resume-sync")
    #expect(desk.faults == [])
  }

  @Test func `without commands it only publishes`() throws {
    let desk = try Desk(
      "return { policies = { ['metered-guard'] = { paused = '', running = '' } } }")
    desk.uplinks(.wifi)
    desk.uplinks(.cellular)
    #expect(sync(desk) == ["running", "paused"])
    #expect(desk.acts(name) == [])
  }

  @Test func `a sleep changes nothing, and what is found after it counts`() throws {
    let desk = try calm()
    desk.uplinks(.cellular)
    desk.answer(name, "sync", .done)
    desk.sleep(hours: 8)
    desk.uplinks()
    desk.pass(20_000)
    desk.uplinks(.wifi)
    desk.pass(10_000)
    #expect(sync(desk) == ["running", "paused", "running"])
    #expect(desk.faults == [])
  }
}
