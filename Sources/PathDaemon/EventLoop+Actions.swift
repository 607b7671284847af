import CSystemd
import Glibc
package import PathActions
package import PathCore

/// The loop as the executors of actions see it.
extension EventLoop: ActionLoop {
  package var awakeTime: Duration { Clocks.read(CLOCK_MONOTONIC) }

  package func watch(
    _ descriptor: Int32, for wanted: Readiness, _ body: @escaping (Readiness) -> Void
  ) throws(ActionRefusal) -> any LoopTicket {
    var events: UInt32 = 0
    if wanted.contains(.read) { events |= EPOLLIN.rawValue }
    if wanted.contains(.write) { events |= EPOLLOUT.rawValue }
    do throws(LoopError) {
      return try watch(descriptor: descriptor, events: events) { events in
        var ready: Readiness = []
        // Either way finds out what went wrong.
        let broken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        if broken || events & EPOLLIN.rawValue != 0 { ready.insert(.read) }
        if broken || events & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
        body(ready.intersection(wanted))
      }
    } catch {
      throw ActionRefusal("the loop takes no more: \(error.message)")
    }
  }

  package func after(
    _ delay: Duration, _ body: @escaping () -> Void
  ) throws(ActionRefusal) -> any LoopTicket {
    do throws(LoopError) {
      weak var held: Watch?
      let timer = try makeTimer(.awake) {
        held?.remove()
        body()
      }
      held = timer.watch
      timer.arm(at: awakeTime + delay)
      return timer
    } catch {
      throw ActionRefusal("the loop takes no more: \(error.message)")
    }
  }
}

extension EventLoop.Watch: LoopTicket {}
extension LoopTimer: LoopTicket {}
