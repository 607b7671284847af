import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What holds for the shipped policies whatever the network does.
struct FlappingTests {
  /// A play of ups, downs, sleeps and people, from a seed.
  final class Play {
    let desk: Desk
    var dice: Dice
    var outages = 0
    var delivered: [String: PathStatus] = [:]
    var wrongs: [String] = []
    private var isUp = true
    private var seen = 0

    init(seed: UInt64, longestGap: Int) throws {
      desk = try Desk()
      dice = Dice(seed)
      desk.up()
      look()
      for _ in 0..<40 {
        step()
        // Looked at often: a wrong moment may be short.
        var rest = dice.roll(longestGap)
        while rest > 0 {
          let piece = min(rest, 1 + dice.roll(max(300, longestGap / 8)))
          desk.pass(piece)
          rest -= piece
          look()
        }
      }
    }

    private func step() {
      if dice.roll(2) == 0 { answerOne() }
      switch dice.roll(22) {
      case 0: desk.simulator.feed(.dismissed(policy: "reconnect-banner", key: "connection"))
      case 1: desk.simulator.feed(.dismissed(policy: "offline-popup", key: "offline"))
      case 2: desk.simulator.feed(.gap(detail: "x"))
      case 3:
        desk.simulator.feed(.asleep)
        desk.simulator.sleep(.seconds(dice.roll(10_000)))
        desk.simulator.feed(.resumed)
        feed(isUp)
      case 7: desk.press("web-error", "error", ["retry", "web"][dice.roll(2)])
      case 8: desk.press("launch-gate", "gate", ["quit", "settings"][dice.roll(2)])
      case 4...6:
        desk.simulator.feed(.snapshot(isUp ? .online("eth0", type: .wired, index: 9) : .offline()))
      default: feed(!isUp)
      }
      look()
    }

    /// One action ends somehow.
    private func answerOne() {
      let results: [ActionResult] = [.done, .failed("no answer"), .notGranted]
      guard let next = desk.atWork.first else { return }
      desk.answer(next.policy, next.key, results[dice.roll(3)])
    }

    private func feed(_ up: Bool) {
      if isUp, !up { outages += 1 }
      isUp = up
      up ? desk.up() : desk.down()
    }

    private func look() {
      for entry in desk.simulator.log[seen...] {
        if case .deliver(let policy, let event) = entry.order {
          delivered[policy] = event.path.status
        }
      }
      seen = desk.simulator.log.count
      let isLost = delivered["reconnect-banner"].map { $0 != .satisfied } ?? false
      if isLost, desk.banner?.title == "Back online" { wrongs.append("back online while lost") }
      if !isLost, desk.banner?.title == "Not connected" { wrongs.append("not connected while up") }
      if delivered["offline-popup"] == .satisfied, desk.popup != nil {
        wrongs.append("popup while up")
      }
      if let border = delivered["status-border"],
        desk.value("status-border", "connected") != "\(border == .satisfied)"
      {
        wrongs.append("border of another colour")
      }
      let isUnreachable = desk.alert("web-error", "error")?.title == "The page cannot be reached"
      if delivered["web-error"] == .satisfied, isUnreachable {
        wrongs.append("page error while up")
      }
      if delivered["launch-gate"] == .satisfied, desk.alert("launch-gate", "gate") != nil {
        wrongs.append("gate shut while up")
      }
    }

    func quiet() {
      feed(true)
      for _ in 0..<70 {
        desk.pass(1000)
        look()
        desk.press("web-error", "error", "retry")
        while let next = desk.atWork.first { desk.answer(next.policy, next.key, .done) }
      }
    }

    var story: [String] { desk.simulator.log.map { "\($0.at) \($0.order)" } }
  }

  @Test(arguments: 0..<60) func `no flapping breaks what the policies promise`(_ seed: Int) throws {
    let longest = [300, 1500, 4000, 30_000][seed % 4]
    let play = try Play(seed: UInt64(seed), longestGap: longest)
    play.quiet()
    #expect(play.wrongs == [], "seed \(seed)")
    #expect(play.desk.faults == [], "seed \(seed)")
    // The cable that was there for a while may be missed.
    let alerts = play.desk.simulator.alerts.keys.filter { $0 != "uplink-failover/uplink" }
    #expect(alerts == [], "seed \(seed)")
    #expect(play.desk.value("status-border", "color") == "green", "seed \(seed)")
    for policy in ["reconnect-banner", "offline-popup"] {
      let states = play.desk.states(policy)
      let dismissed = states.count { $0 == .dismissed }
      let raised = states.count { $0 == .raised }
      #expect(raised <= play.outages + dismissed, "seed \(seed)")
      #expect(
        raised == states.count { [.expired, .resolved, .dismissed].contains($0) }, "seed \(seed)")
    }
  }

  @Test(arguments: [3, 77]) func `the same play gives the same orders`(_ seed: UInt64) throws {
    let first = try Play(seed: seed, longestGap: 3000).story
    #expect(try first == Play(seed: seed, longestGap: 3000).story)
  }
}
