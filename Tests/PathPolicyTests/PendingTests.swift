import PathCore
import PathPolicy
import PathTestKit
import Testing

/// A timer must not believe a path that is about to be lost.
struct PendingTests {
  @Test func `a timer that fires while a loss waits to be told is told that it waits`() {
    let rig = Rig(
      """
      local p = { api = 1, settle = "5s" }
      function p.on_path(ctx, ev)
        ctx.log(ev.monitor .. " " .. ev.status .. " " .. tostring(ev.pending))
        ctx.timer.start("t", "3s", { until_change = "internet" })
      end
      function p.on_timer(ctx, ev)
        local path = ctx.path "internet"
        ctx.log("timer " .. path.status .. " " .. tostring(path.pending))
        ctx.exec { key = "k", command = "c", only_while = "satisfied" }
      end
      function p.on_result(ctx, ev) ctx.log(tostring(ev.dropped) .. " " .. ev.error) end
      return p
      """)
    rig.online()
    rig.simulator.advance(.seconds(1))
    rig.simulator.feed(.snapshot(.offline()))
    rig.simulator.advance(.seconds(2))
    #expect(
      rig.logged == [
        "internet satisfied nil", "timer satisfied unsatisfied",
        "true the path is not satisfied",
      ])
    rig.online()
    rig.simulator.advance(.seconds(10))
    #expect(rig.simulator.starts.isEmpty && rig.faults == [])
  }

  @Test func `what waits is gone once it is told, and no event before the last one has it`() {
    let rig = Rig(
      """
      local p = { api = 1, settle = "5s", every = { tick = "2s" } }
      function p.on_timer(ctx)
        local ev = ctx.path "internet"
        if not ev then return end
        local before = ev.previous and ev.previous.pending
        ctx.log(ev.status .. " " .. tostring(ev.pending) .. " " .. tostring(before))
      end
      return p
      """)
    rig.online()
    rig.simulator.advance(.seconds(3))
    rig.simulator.feed(.snapshot(.offline()))
    rig.simulator.advance(.seconds(5))
    rig.online()
    rig.simulator.advance(.seconds(5))
    #expect(
      rig.logged == [
        "satisfied nil nil", "satisfied unsatisfied nil", "satisfied unsatisfied nil",
        "unsatisfied nil nil", "unsatisfied satisfied nil", "unsatisfied satisfied nil",
      ])
    #expect(rig.faults == [])
  }

  @Test func `a settle function has no such thing`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.settle(ctx, ev)
        local last = ctx.path "internet"
        if ev.pending or last and last.pending then error("pending") end
        return "1s"
      end
      function p.on_path(ctx, ev) ctx.log(ev.status) end
      return p
      """)
    rig.online()
    rig.offline()
    rig.online()
    rig.simulator.advance(.seconds(2))
    #expect(rig.faults == [] && rig.logged.count == 3)
  }
}
