import PathCore
import Testing

@testable import PathDaemon

@Suite struct TimerTableTests {
  private func id(_ name: String) -> TimerID { TimerID(.named, policy: "p", name: name) }

  private func moment(awake: Int, boot: Int) -> Moment {
    Moment(awake: .seconds(awake), boot: .seconds(boot))
  }

  @Test("timers come due in the order of their times, and by name among equals")
  func order() {
    var table = TimerTable()
    table.set(id("c"), Deadline(.awake, .seconds(2)))
    table.set(id("b"), Deadline(.awake, .seconds(1)))
    table.set(id("a"), Deadline(.awake, .seconds(1)))
    var due: [String] = []
    while let id = table.takeDue(at: moment(awake: 5, boot: 5)) { due.append(id.name) }
    #expect(due == ["a", "b", "c"])
  }

  @Test("a second wish of one name replaces the first, on whatever clock")
  func replace() {
    var table = TimerTable()
    table.set(id("a"), Deadline(.awake, .seconds(1)))
    table.set(id("a"), Deadline(.boot, .seconds(9)))
    #expect(table.next(.awake) == nil)
    #expect(table.next(.boot) == .seconds(9))
    #expect(table.takeDue(at: moment(awake: 100, boot: 8)) == nil)
    #expect(table.takeDue(at: moment(awake: 0, boot: 9)) == id("a"))
    #expect(table.next(.boot) == nil)
  }

  @Test("clearing what is not there is nothing")
  func clear() {
    var table = TimerTable()
    table.clear(id("a"))
    table.set(id("a"), Deadline(.awake, .seconds(1)))
    table.clear(id("a"))
    #expect(table.next(.awake) == nil)
  }

  @Test("each clock runs its own timers: a sleep moves boot time only")
  func clocks() {
    var table = TimerTable()
    table.set(id("settle"), Deadline(.awake, .seconds(10)))
    table.set(id("named"), Deadline(.boot, .seconds(10)))
    let now = moment(awake: 5, boot: 500)
    #expect(table.takeDue(at: now) == id("named"))
    #expect(table.takeDue(at: now) == nil)
  }
}
