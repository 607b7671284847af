import PathCore
import PathTestKit
import Testing

/// web-error, as it ships.
struct WebErrorTests {
  private let name = "web-error"
  private static let page = "http GET https://www.example.com/"
  private static let two = """
    return { policies = { ['web-error'] = {
      pages = { 'https://a.example/', 'https://b.example/' }, attempts = 1 } } }
    """
  private static let a = "http GET https://a.example/"
  private static let b = "http GET https://b.example/"

  private func title(_ desk: Desk) -> String? { desk.alert("web-error", "error")?.title }

  private func outage(_ desk: Desk) {
    desk.up()
    desk.down()
    desk.pass(1000)
  }

  @Test func `an outage is one error with two buttons, and nothing is loaded at start`() throws {
    let desk = try Desk()
    desk.up()
    desk.down()
    desk.pass(999)
    #expect(title(desk) == nil)
    desk.pass(1)
    let error = try #require(desk.alert(name, "error"))
    #expect(error.title == "The page cannot be reached")
    #expect(error.buttons.map(\.label) == ["Try again", "View in browser"])
    desk.pass(minutes: 5)
    #expect(desk.states(name) == [.raised])
    #expect(desk.acts(name) == [])
  }

  @Test func `the return clears the error and loads the page once`() throws {
    let desk = try Desk()
    outage(desk)
    desk.up()
    #expect(desk.states(name) == [.raised, .resolved])
    #expect(desk.acts(name) == [Self.page])
    desk.answer(name, "page", .done)
    desk.simulator.feed(.snapshot(.online("eth0", type: .wired, index: 7)))
    desk.pass(minutes: 5)
    #expect(desk.acts(name) == [Self.page])
    #expect(desk.states(name) == [.raised, .resolved])
    #expect(desk.faults == [])
  }

  @Test func `Try again waits for the path, and is the one load after it`() throws {
    let desk = try Desk()
    outage(desk)
    for _ in 0..<5 { desk.press(name, "error", "retry") }
    desk.pass(minutes: 5)
    #expect(desk.acts(name) == [])
    #expect(desk.states(name) == [.raised])
    desk.up()
    #expect(title(desk) == nil)
    desk.pass(2000)
    #expect(desk.acts(name) == [Self.page])
    desk.answer(name, "page", .done)
    desk.pass(minutes: 5)
    #expect(desk.acts(name) == [Self.page])
    #expect(desk.states(name) == [.raised, .resolved])
  }

  @Test func `a page that does not answer is tried with backoff, then said once`() throws {
    let desk = try Desk()
    outage(desk)
    desk.up()
    for wait in [1, 2, 4] {
      desk.answer(name, "page", .failed("no answer"))
      let before = desk.acts(name).count
      desk.pass(wait * 500 - 1)
      #expect(desk.acts(name).count == before)
      desk.pass(wait * 500 + 1)
      #expect(desk.acts(name).count == before + 1)
      #expect(title(desk) == nil)
    }
    desk.answer(name, "page", .failed("no answer"))
    #expect(title(desk) == "The page does not answer")
    #expect(desk.alert(name, "error")?.body == "no answer")
    desk.pass(minutes: 60)
    #expect(desk.acts(name).count == 4)
    desk.press(name, "error", "retry")
    desk.press(name, "error", "retry")
    #expect(desk.acts(name).count == 5)
    desk.answer(name, "page", .done)
    #expect(desk.states(name) == [.raised, .resolved, .raised, .resolved])
  }

  @Test func `a silent page gives way to the next, and the one seen comes first`() throws {
    let desk = try Desk(Self.two)
    outage(desk)
    desk.up()
    desk.answer(name, "page", .failed("no answer"))
    desk.answer(name, "page", .done)
    #expect(desk.acts(name) == [Self.a, Self.b])
    desk.down()
    desk.pass(1000)
    desk.press(name, "error", "web")
    #expect(desk.acts(name).last == "open_url https://b.example/ in chrome default")
    desk.answer(name, "web", .done)
    desk.up()
    #expect(desk.acts(name).last == Self.b)
    desk.answer(name, "page", .failed("gone"))
    desk.answer(name, "page", .failed("no answer"))
    #expect(Array(desk.acts(name).suffix(2)) == [Self.b, Self.a])
    #expect(desk.alert(name, "error")?.body == "no answer")
    #expect(desk.faults == [])
  }

  @Test func `a page that is no longer configured is not asked for`() throws {
    let desk = try Desk(Self.two)
    outage(desk)
    desk.up()
    desk.answer(name, "page", .done)
    try desk.reload(
      "return { policies = { ['web-error'] = { pages = { 'https://b.example/' } } } }")
    desk.down()
    desk.pass(1000)
    desk.up()
    #expect(desk.acts(name) == [Self.a, Self.b])
    #expect(desk.faults == [])
  }

  @Test func `a drop in mid-load is an outage, and what was begun is not waited for`() throws {
    let desk = try Desk()
    outage(desk)
    desk.up()
    desk.down()
    desk.pass(1000)
    #expect(title(desk) == "The page cannot be reached")
    desk.press(name, "error", "retry")
    desk.answer(name, "page", .cancelled)
    #expect(desk.acts(name).count == 1)
    desk.up()
    desk.pass(2000)
    #expect(desk.acts(name).count == 2)
    desk.answer(name, "page", .done)
    desk.pass(minutes: 5)
    #expect(desk.acts(name).count == 2)
    #expect(desk.states(name) == [.raised, .resolved, .raised, .resolved])
  }

  @Test func `an answer that was on its way does not clear the error of the next outage`() throws {
    let desk = try Desk()
    outage(desk)
    desk.up()
    desk.down()
    desk.pass(1000)
    desk.answer(name, "page", .done)
    #expect(title(desk) == "The page cannot be reached")
    desk.up()
    #expect(desk.acts(name).count == 2)
  }

  @Test func `a failure in a drop too short to tell is not taken for a dead page`() throws {
    let desk = try Desk()
    outage(desk)
    desk.up()
    desk.down()
    desk.answer(name, "page", .failed("no route"))
    desk.pass(500)
    desk.up()
    desk.pass(5000)
    desk.answer(name, "page", .done)
    #expect(desk.states(name) == [.raised, .resolved])
    #expect(desk.acts(name).count == 2)
  }

  @Test(arguments: [(1500, 1500), (5000, 1000), (1000, 300), (400, 400)])
  func `ten minutes of flapping never show two errors, nor load twice for one return`(
    _ downFor: Int, _ upFor: Int
  ) throws {
    let desk = try Desk()
    desk.up()
    for _ in 0..<(600_000 / (downFor + upFor)) {
      desk.down()
      desk.pass(downFor)
      desk.up()
      let begun = desk.acts(name).count
      if desk.isAtWork(name, "page") { desk.answer(name, "page", .done) }
      desk.pass(upFor)
      #expect(desk.acts(name).count <= begun + 1)
    }
    let states = desk.states(name)
    #expect(states.count { $0 == .raised } - states.count { $0 == .resolved } == 0)
    #expect(desk.acts(name).count <= states.count { $0 == .resolved })
    #expect(desk.faults == [])
  }

  @Test func `closed, it is quiet until there is news, and the page is loaded still`() throws {
    let desk = try Desk()
    outage(desk)
    desk.close(name, "error")
    desk.simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    desk.pass(60_000)
    #expect(desk.states(name) == [.raised, .dismissed])
    desk.up()
    #expect(desk.acts(name) == [Self.page])
    desk.answer(name, "page", .notGranted)
    #expect(title(desk) == "The page does not answer")
  }

  @Test func `what is not granted is said once, and never asked for again by itself`() throws {
    let desk = try Desk()
    outage(desk)
    desk.press(name, "error", "web")
    desk.answer(name, "web", .notGranted)
    #expect(title(desk) == "No browser opened")
    desk.up()
    desk.answer(name, "page", .notGranted)
    #expect(title(desk) == "The page does not answer")
    desk.pass(minutes: 60)
    #expect(desk.acts(name).count == 2)
    desk.press(name, "error", "retry")
    desk.answer(name, "page", .notGranted)
    #expect(desk.states(name) == [.raised, .updated, .resolved, .raised])
    desk.down()
    desk.pass(1000)
    #expect(title(desk) == "The page cannot be reached")
  }

  @Test func `a reload while Try again waits still loads once`() throws {
    let desk = try Desk()
    outage(desk)
    desk.press(name, "error", "retry")
    try desk.reload("return { policies = { ['web-error'] = { grace = '2s' } } }")
    desk.pass(10_000)
    #expect(desk.states(name) == [.raised])
    desk.up()
    desk.pass(10_000)
    #expect(desk.acts(name) == [Self.page])
    desk.answer(name, "page", .done)
    desk.pass(minutes: 5)
    #expect(desk.acts(name) == [Self.page])
    #expect(desk.states(name) == [.raised, .resolved])
  }

  @Test func `a start without a path is told once, and its end loads the page`() throws {
    let desk = try Desk()
    desk.down()
    desk.pass(60_000)
    #expect(desk.states(name) == [.raised])
    desk.up()
    #expect(desk.states(name) == [.raised, .resolved])
    #expect(desk.acts(name) == [Self.page])
  }

  @Test func `a sleep is no outage, and Try again survives it`() throws {
    let desk = try Desk()
    desk.up()
    desk.sleep(hours: 1)
    desk.down()
    desk.pass(8000)
    desk.up()
    desk.pass(60_000)
    #expect(desk.states(name) == [] && desk.acts(name) == [])
    desk.down()
    desk.pass(1000)
    desk.press(name, "error", "retry")
    desk.sleep(hours: 1)
    desk.up()
    desk.pass(2000)
    #expect(desk.acts(name) == [Self.page])
    #expect(desk.states(name) == [.raised, .resolved])
  }
}
