import Glibc
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

@Suite(.serialized) struct TimerStormTests {
  private final class Silence: DaemonDelegate {
    func report(_ report: Report, at time: WallTime) -> Bool { true }
    func input(_ line: String) -> [Fact] { [] }
  }

  @Test("a policy whose slow timers start each other leaves the loop its turns")
  func storm() throws {
    let text = """
      return {
        api = 1,
        on_start = function(ctx) for i = 1, 60 do ctx.timer.start("t" .. i, "1ms") end end,
        on_timer = function(ctx, ev)
          for _ = 1, 900000 do end
          ctx.timer.start(ev.name, "1ms")
        end,
      }
      """
    let script = PolicyScript(name: "storm", file: "storm.lua", source: Array(text.utf8))
    var settings = DaemonSettings(
      scripts: [script], configuration: Configuration(), version: "test")
    settings.state = "none"
    let delegate = Silence()
    let daemon = try Daemon(settings: settings, delegate: delegate)
    let end = try daemon.loop.makeTimer(.awake) { daemon.loop.stop(0) }
    let begin = Clocks.read(CLOCK_MONOTONIC)
    end.arm(at: begin + .milliseconds(300))
    #expect(try daemon.run() == 0)
    #expect(Clocks.read(CLOCK_MONOTONIC) - begin < .seconds(2))
  }
}
