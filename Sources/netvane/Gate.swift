import Glibc
import PathCore
import PathPolicy
import PolicyTesting

/// Before an edit goes live its own tests must pass, as far as a second of processor time goes: the
/// loop waits for them.
enum Gate {
  private static let most = Duration.seconds(1)

  @Sendable static func fault(of policy: PolicyScript, by test: PolicyScript) -> PolicyFault? {
    let end = processorTime() + most
    return TestGate.fault(of: policy, by: test) { processorTime() >= end }
  }

  private static func processorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(Int64(time.tv_nsec))
  }
}
