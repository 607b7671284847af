import Glibc
import Testing

@testable import PathDaemon

@Suite struct EventLoopTests {
  @Test("a timer fires within a few milliseconds of its time, not a quarter of a second late")
  func timer() throws {
    let loop = try EventLoop()
    let start = Clocks.read(CLOCK_MONOTONIC)
    let timer = try loop.makeTimer(.awake) { loop.stop(7) }
    timer.arm(at: start + .milliseconds(20))
    #expect(try loop.run() == 7)
    let took = Clocks.read(CLOCK_MONOTONIC) - start
    #expect(took >= .milliseconds(20))
    #expect(took < .milliseconds(150))
  }

  @Test("a time that is past fires at once, and a disarmed timer never")
  func past() throws {
    let loop = try EventLoop()
    var fired = 0
    let never = try loop.makeTimer(.boot) { fired += 100 }
    never.arm(at: .zero)
    never.disarm()
    let timer = try loop.makeTimer(.boot) {
      fired += 1
      loop.stop(0)
    }
    timer.arm(at: .zero)
    #expect(try loop.run() == 0)
    #expect(fired == 1)
  }

  @Test("a descriptor is heard when it can be read, and no more once its watch is removed")
  func descriptor() throws {
    let loop = try EventLoop()
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var heard = 0
    var watch: EventLoop.Watch?
    watch = try loop.watch(descriptor: ends[0]) {
      heard += 1
      watch?.remove()
    }
    #expect(write(ends[1], "x", 1) == 1)
    let timer = try loop.makeTimer(.awake) { loop.stop(0) }
    timer.arm(at: Clocks.read(CLOCK_MONOTONIC) + .milliseconds(30))
    #expect(try loop.run() == 0)
    #expect(heard == 1)
  }

  @Test("watching what cannot be watched is an error that names the call")
  func closed() throws {
    let loop = try EventLoop()
    let error = #expect(throws: LoopError.self) { try loop.watch(descriptor: 9999) {} }
    #expect(error?.message.hasPrefix("sd_event_add_io: ") == true)
  }
}
