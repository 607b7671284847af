import Glibc
import PathCore
import PathDaemon
import PathPolicy

/// Facts to orders with the shipped policies: how many changes of path one core decides in a
/// second, the kernel and the waiting left out.
enum FactsWorkload: Workload {
  static let name = "facts"
  static let about = "path changes a second through the engine and the policies in ./policies"
  static let needsNetwork = false

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let scripts: [PolicyScript]
    do throws(PolicyDirectory.Unreadable) {
      scripts = try PolicyDirectory(reading: "policies").scripts
    } catch {
      throw WorkloadError(message: "\(error.message); run this where policies/ is")
    }
    let changes = size == .full ? 20_000 : 1_000
    let rounds = size == .full ? 7 : 2
    // What else a machine does only ever adds to a round, so the quickest of each says most.
    let all = (0..<rounds).map { _ in
      (shipped: measure(scripts, changes), empty: measure([Self.empty], changes))
    }.sorted { $0.shipped.nanoseconds < $1.shipped.nanoseconds }
    let shipped = all[0].shipped
    let empty = all.map(\.empty).min { $0.nanoseconds < $1.nanoseconds }!
    let typical = all[rounds / 2].shipped
    // What the same calls would take if no policy did anything in them.
    let floor = Double(shipped.calls) * empty.nanoseconds / Double(empty.calls)
    return [
      Figure(
        name: "changes", value: Double(changes) / shipped.nanoseconds * 1e9, unit: "/s",
        floor: Double(changes) / floor * 1e9,
        note: "of the network, for \(scripts.count) policies, of CPU time; best of \(rounds) "
          + "rounds of \(changes); the floor makes as many calls of a handler that does nothing"),
      Figure(
        name: "told", value: Double(shipped.told) / shipped.nanoseconds * 1e9, unit: "/s",
        goal: .atLeast(50_000),
        note: "path changes: each is one path line of one policy, with its handler's decisions; "
          + "\(Int(Double(typical.told) / typical.nanoseconds * 1e9)) in the middle round"),
      Figure(
        name: "calls", value: Double(shipped.calls) / Double(changes), unit: "a change",
        note: "of handlers and settle functions"),
      Figure(
        name: "call", value: shipped.nanoseconds / Double(shipped.calls) / 1000, unit: "µs",
        floor: empty.nanoseconds / Double(empty.calls) / 1000,
        note: "engine, encoding, Lua and decoding together"),
      Figure(name: "result", value: Double(shipped.hash >> 12), unit: "hash"),
    ]
  }

  private static let empty = PolicyScript(
    name: "empty", file: "empty.lua",
    source: Array("return { api = 1, settle = '0s', on_path = function() end }".utf8))

  private struct Measured {
    var nanoseconds: Double
    var told: Int
    var calls: Int
    var hash: UInt64
  }

  /// Counts the calls on their way to the policies.
  private final class Counter: PolicyHost {
    let runtime = PolicyRuntime()
    private(set) var calls = 0

    func call(_ request: HandlerRequest) -> HandlerReply {
      calls += 1
      return runtime.call(request)
    }

    func reset(_ policy: String, state: PlainData) { runtime.reset(policy, state: state) }
  }

  private static func measure(_ scripts: [PolicyScript], _ changes: Int) -> Measured {
    let host = Counter()
    var engine = Engine(host: host)
    var clock = VirtualClock()
    clock.perform(
      engine.handle(.policies(host.runtime.load(scripts, reason: .start)), at: clock.now))
    let networks = [SampleNetwork.online, SampleNetwork.offline]
    var hash = ResultHash()
    let start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    for change in 0..<changes {
      hash.add(clock.perform(engine.handle(.snapshot(networks[change & 1]), at: clock.now)))
      // Long enough for every settle and every banner.
      clock.advance(.seconds(10)) { id, now in
        let orders = engine.handle(.timer(id), at: now)
        hash.add(orders.count)
        return orders
      }
    }
    return Measured(
      nanoseconds: Double(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start), told: clock.delivered,
      calls: host.calls, hash: hash.value)
  }
}

/// Two networks to go back and forth between.
enum SampleNetwork {
  static let online: Snapshot = {
    var link = wlan(flags: [.up, .running, .lowerUp])
    link.operationalState = .up
    link.addresses = [InterfaceAddress(IPAddress(ipv4: 0xC000_020A), prefixLength: 24)]
    let route = Lookup.route(
      RouteAnswer(hops: [NextHop(interface: 2, gateway: IPAddress(ipv4: 0xC000_0201))]))
    link.ipv4 = route
    return Snapshot(interfaces: [link], ipv4: route)
  }()

  static let offline = Snapshot(interfaces: [wlan(flags: [.up])])

  private static func wlan(flags: LinkFlags) -> Interface {
    var link = Interface(index: 2, name: "wlan0", type: .wifi, flags: flags)
    link.isPhysical = true
    return link
  }
}

/// Time that passes only when told to, with the daemon's own table of wake-ups.
struct VirtualClock {
  private var time: Duration = .seconds(1)
  private var timers = TimerTable()
  /// Paths that the orders told policies of.
  private(set) var delivered = 0

  var now: Moment {
    Moment(awake: time, boot: time, wall: WallTime(unixNanoseconds: time.nanoseconds))
  }

  /// Notes the timers among the orders; how many orders there were.
  @discardableResult
  mutating func perform(_ orders: [Order]) -> Int {
    for order in orders {
      switch order {
      case .setTimer(let id, let deadline): timers.set(id, deadline)
      case .clearTimer(let id): timers.clear(id)
      case .deliver: delivered += 1
      default: break
      }
    }
    return orders.count
  }

  mutating func advance(_ step: Duration, _ fire: (TimerID, Moment) -> [Order]) {
    let end = time + step
    while let next = Self.earlier(timers.next(.awake), timers.next(.boot)), next <= end {
      time = max(time, next)
      guard let id = timers.takeDue(at: now) else { break }
      perform(fire(id, now))
    }
    time = end
  }

  private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
