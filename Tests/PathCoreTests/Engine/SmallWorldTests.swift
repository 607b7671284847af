import PathTestKit
import Testing

@testable import PathCore

/// Every short sequence of steps, against a model that works by looking again each 100 ms.
@Suite struct SmallWorldTests {
  enum Step: CaseIterable { case up, other, down, dormant, tick, pause, sleep }

  /// How many steps deep all sequences go.
  static let depth = 6

  /// A policy that asks for two settle times, and tells nobody anything.
  final class TwoSettles: PolicyHost {
    let satisfied: Duration
    let lost: Duration

    init(satisfied: Int, lost: Int) {
      self.satisfied = .milliseconds(satisfied)
      self.lost = .milliseconds(lost)
    }

    func call(_ request: HandlerRequest) -> HandlerReply {
      guard case .settle(let event) = request.event else { return .done(HandlerOutcome()) }
      return .done(HandlerOutcome(settle: settle(event.path.status)))
    }

    func reset(_ policy: String, state: PlainData) {}

    func settle(_ status: PathStatus) -> Duration { status == .satisfied ? satisfied : lost }
  }

  /// The rule said another way: look each 100 ms, tell what has held its status long enough.
  struct Model {
    var host: TwoSettles
    var delivered: PathStatusAndName?
    var firstSeen: Duration?
    var heldStatus: PathStatus?
    var heldSince: Duration = .zero
    var hold: Duration = .zero
    var told: [String] = []

    mutating func look(_ path: PathStatusAndName, at now: Duration) {
      firstSeen = firstSeen ?? now
      if path == delivered {
        heldStatus = nil
        return
      }
      if heldStatus != path.status {
        heldStatus = path.status
        heldSince = now
      }
      var least = heldSince + host.settle(path.status)
      if delivered == nil {
        least = path.status == .satisfied ? now : max(least, (firstSeen ?? now) + .seconds(5))
      }
      if path.status != .satisfied { least = max(least, hold) }
      guard now >= least else { return }
      delivered = path
      heldStatus = nil
      told.append("\(now.shortText) \(path.status.rawValue) \(path.name)")
    }
  }

  struct PathStatusAndName: Equatable {
    var status: PathStatus
    var name: String
  }

  /// The engine with its timers; a value, so that each branch continues from the same past.
  struct Branch {
    var engine: Engine
    var model: Model
    var timers: [TimerID: Deadline] = [:]
    var awake: Duration = .zero
    var ahead: Duration = .zero
    var present: (snapshot: Snapshot, path: PathStatusAndName)?
    var told: [String] = []
    var last: Path?
    var complaint: String?

    mutating func feed(_ fact: Fact) {
      let moment = Moment(awake: awake, boot: awake + ahead)
      for order in engine.handle(fact, at: moment) {
        switch order {
        case .setTimer(let id, let deadline): timers[id] = deadline
        case .clearTimer(let id): timers[id] = nil
        case .deliver(_, let event):
          // Unrest is news even when the path is the one told last.
          if event.path == last, !event.causes.contains(.flapping) { complaint = "told twice" }
          last = event.path
          told.append(
            "\(awake.shortText) \(event.path.status.rawValue) \(event.path.primary?.name ?? "-")")
        default: break
        }
      }
      complaint = complaint ?? Invariants.complaint(engine, timers)
    }

    mutating func show(_ snapshot: Snapshot, _ status: PathStatus, _ name: String) {
      present = (snapshot, PathStatusAndName(status: status, name: name))
      feed(.snapshot(snapshot))
      look()
    }

    mutating func look() { if let present { model.look(present.path, at: awake) } }

    mutating func advance(_ ticks: Int) {
      for _ in 0..<ticks {
        awake += .milliseconds(100)
        while let due = timers.filter({ at($0.value) <= awake }).min(by: { $0.key < $1.key }) {
          timers[due.key] = nil
          feed(.timer(due.key))
        }
        look()
      }
    }

    private func at(_ deadline: Deadline) -> Duration {
      deadline.clock == .awake ? deadline.at : deadline.at - ahead
    }

    mutating func take(_ step: Step) {
      switch step {
      case .up: show(Worlds.up, .satisfied, "wlan0")
      case .other: show(Worlds.other, .satisfied, "eth0")
      case .down: show(Worlds.down, .unsatisfied, "-")
      case .dormant: show(Worlds.dormant, .requiresConnection, "wlan0")
      case .tick: advance(1)
      case .pause: advance(4)
      case .sleep:
        feed(.asleep)
        ahead += .seconds(3600)
        feed(.resumed)
        model.hold = awake + .seconds(10)
        if let present { feed(.snapshot(present.snapshot)) }
      }
    }
  }

  enum Worlds {
    static let up = Snapshot.online("wlan0")
    static let other = Snapshot.online("eth0", type: .wired, index: 3)
    static let down = Snapshot.offline("wlan0")
    static let dormant = Snapshot.dormant("wlan0")
  }

  private func root(_ host: TwoSettles, settleMax: Duration? = nil) -> Branch {
    var branch = Branch(engine: Engine(host: host), model: Model(host: host))
    let policy = PolicyDeclaration(
      name: "p",
      monitors: [MonitorDeclaration(name: "m", settle: .function, settleMax: settleMax)],
      handlers: [.settle, .path])
    branch.feed(.policies(PolicySet(reason: .start, loaded: [policy], changed: ["p"])))
    return branch
  }

  /// Visits every sequence; the complaint names the first that went wrong.
  private func explore(
    _ branch: Branch, _ steps: [Step], depth: Int, checksModel: Bool, _ count: inout Int
  ) -> String? {
    count += 1
    if let complaint = branch.complaint { return "\(steps): \(complaint)" }
    if checksModel, branch.told != branch.model.told {
      return "\(steps): told \(branch.told), the model \(branch.model.told)"
    }
    if depth == 0 { return quiet(branch, steps) }
    for step in Step.allCases {
      var next = branch
      next.take(step)
      if let found = explore(
        next, steps + [step], depth: depth - 1, checksModel: checksModel, &count)
      {
        return found
      }
    }
    return nil
  }

  /// After a long quiet the policy knows the present path, and nothing is armed any more.
  private func quiet(_ branch: Branch, _ steps: [Step]) -> String? {
    var branch = branch
    while let id = branch.timers.min(by: { $0.value.at < $1.value.at }) {
      branch.awake = max(branch.awake, id.value.at)
      branch.timers[id.key] = nil
      branch.feed(.timer(id.key))
      if branch.awake > .seconds(60) { return "\(steps): no quiet" }
    }
    if let complaint = branch.complaint { return "\(steps), then quiet: \(complaint)" }
    let present =
      branch.engine.awaitsSnapshot ? branch.last : branch.engine.filters[0].path?.wrappedValue
    if branch.last != present { return "\(steps), then quiet: the present path was not told" }
    return nil
  }

  @Test(arguments: [(0, 300), (300, 0), (200, 500), (0, 0)])
  func `every short sequence is told as the model says`(satisfied: Int, lost: Int) {
    var count = 0
    let host = TwoSettles(satisfied: satisfied, lost: lost)
    let found = explore(root(host), [], depth: Self.depth - 1, checksModel: true, &count)
    #expect(found == nil)
    #expect(count > 19_000)
  }

  @Test func `with a small settle_max every short sequence ends in the present path`() {
    var count = 0
    let host = TwoSettles(satisfied: 300, lost: 300)
    let branch = root(host, settleMax: .milliseconds(500))
    let found = explore(branch, [], depth: Self.depth - 1, checksModel: false, &count)
    #expect(found == nil)
  }
}
