import PathCore
import PathPolicy
import PathTestKit
import Testing

/// A reload at any moment of a network that flaps: nothing is told twice, nothing is lost.
struct ReloadEverywhereTests {
  private static func text(_ edit: Int) -> String {
    """
    -- edit \(edit)
    local p = { api = 1, every = { often = "7s" }, state = { seen = 0 } }
    function p.settle(ctx, ev) return ev.status == "satisfied" and "300ms" or "2s" end
    function p.on_path(ctx, ev)
      ctx.state.seen = ctx.state.seen + 1
      ctx.publish("seen", ctx.state.seen)
      if ev.status ~= "satisfied" then
        ctx.alert.raise { key = "connection", title = "Not connected", body = ev.why }
        ctx.timer.start("long", "10s")
      else
        ctx.alert.raise { key = "connection", title = "Back online", expires = "5s" }
        ctx.timer.cancel("long")
      end
      ctx.retry { key = "page", http = { url = "https://www.example.com/" } }
    end
    function p.on_timer(ctx, ev) ctx.publish("fired", ev.name .. tostring(ctx.state.seen)) end
    function p.on_result(ctx, ev) ctx.publish("result", ev.attempt) end
    return p
    """
  }

  /// What happens: pauses in hundredths of a second and states of the network, which come and go
  /// within, at and beyond the settle times.
  private static func history(seed: UInt64) -> [(pause: Int64, isOnline: Bool)] {
    var dice = Dice(seed)
    let pauses: [Int64] = [5, 29, 30, 31, 120, 199, 200, 201, 499, 700, 1100]
    var isOnline = false
    return (0..<24).map { _ in
      isOnline.toggle()
      return (pauses[dice.roll(pauses.count)], isOnline)
    }
  }

  /// All that is told and done, but for what a reload tells of itself.
  private func play(seed: UInt64, reloadAt point: Int?) -> [String] {
    let simulator = Simulator()
    simulator.load([PolicyScript("p", Self.text(0))])
    func step(_ place: Int) {
      guard place == point else { return }
      simulator.load([PolicyScript("p", Self.text(1))], reason: .reload)
    }
    simulator.feed(.snapshot(.online()))
    var place = 0
    for (pause, isOnline) in Self.history(seed: seed) {
      simulator.feed(.snapshot(isOnline ? .online() : .offline()))
      step(place)
      // In halves, so that a reload also comes while something is pending.
      simulator.advance(.milliseconds(pause * 5))
      step(place + 1)
      simulator.advance(.milliseconds(pause * 5))
      place += 2
      if let last = simulator.begun.last, place % 6 == 0 {
        simulator.feed(.result(last.id, ActionResult(.failed, error: "no answer")))
      }
    }
    simulator.advance(.seconds(60))
    #expect(simulator.faults.isEmpty)
    return simulator.story.filter { !$0.contains(" policy p loaded") }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `a reload at any point changes nothing of what is told and done`(_ seed: UInt64) {
    let undisturbed = play(seed: seed, reloadAt: nil)
    #expect(undisturbed.count { $0.contains(" deliver ") } > 3)
    for point in 0..<48 {
      let disturbed = play(seed: seed, reloadAt: point)
      let at = zip(disturbed, undisturbed).first { $0 != $1 }
      #expect(disturbed == undisturbed, "reload at \(point): \(String(describing: at))")
    }
  }

  @Test func `after a reload the path is known and is not told again`() {
    let text = { (edit: Int) in
      """
      -- \(edit)
      return { api = 1, on_path = function(ctx) ctx.log "path" end, on_start = function(ctx, ev)
        local path = ctx.path "internet"
        ctx.log(ev.reason .. " " .. (path and path.status or "nothing"))
      end }
      """
    }
    let rig = Rig(text(1))
    rig.online()
    rig.load(["p": text(2)], reason: .reload)
    #expect(rig.logged == ["start nothing", "path", "reload satisfied"])
    rig.offline()
    rig.load(["p": text(3), "new": text(0)], reason: .reload)
    let after = rig.logged.dropFirst(3)
    #expect(after == ["path", "start nothing", "reload unsatisfied"])
  }
}
