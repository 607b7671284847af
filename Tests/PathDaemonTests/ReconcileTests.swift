import Glibc
import Testing

@testable import PathDaemon

/// When the daemon proves that it missed nothing.
@Suite struct ReconcileTests {
  @Test(arguments: zip([10, 60, 300, 86_400], [1, 6, 30, 30]))
  func `a reconcile is late by a tenth of its pause at most, and never by more than 30 s`(
    seconds: Int64, slack: Int64
  ) {
    let pause = ReconcilePause(seconds: seconds)
    #expect(pause.length == .seconds(seconds))
    #expect(pause.slack == .seconds(slack))
  }

  @Test func `the reconcile comes when the setting says, and comes again`() throws {
    let run = try EditedRun(["a": "return { api = 1 }"])
    var start = Duration.zero
    var dumps: UInt64 = 0
    func reconciles(_ which: String, after least: Duration) -> [Stage.Step] {
      [
        .poll("the \(which) reconcile") { run.daemon.kernel.counters.dumps > dumps },
        .act {
          let now = Clocks.read(CLOCK_BOOTTIME)
          // What a busy machine adds is in it; the slack that systemd takes by itself was minutes.
          #expect(now - start >= least, "\(which): \(now - start)")
          #expect(now - start < .seconds(3), "\(which): \(now - start)")
          start = now
          dumps = run.daemon.kernel.counters.dumps
        },
      ]
    }
    try run.play(
      [
        run.until("ready"), .pause(.milliseconds(200)),
        .act {
          // Less than a configuration may say.
          run.daemon.settings.configuration.limits.reconcileSeconds = 1
          dumps = run.daemon.kernel.counters.dumps
          start = Clocks.read(CLOCK_BOOTTIME)
          run.daemon.armReconcile()
        },
      ] + reconciles("first", after: .seconds(1)) + reconciles("second", after: .milliseconds(500)))
  }
}
