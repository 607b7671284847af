import Glibc
import PathCore
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
    let runtime = PolicyRuntime()
    var engine = Engine(host: runtime)
    var clock = VirtualClock()
    clock.perform(engine.handle(.policies(runtime.load(scripts, reason: .start)), at: clock.now))
    let networks = [SampleNetwork.online, SampleNetwork.offline]
    let changes = size == .full ? 200_000 : 2_000
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
    let took = Double(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start)
    return [
      Figure(
        name: "changes", value: Double(changes) / took * 1e9, unit: "/s",
        goal: .atLeast(50_000), note: "\(scripts.count) policies, \(changes) changes, of CPU time"),
      Figure(
        name: "told", value: Double(clock.delivered) / took * 1e9, unit: "/s",
        note: "paths delivered to policies, each with its handler"),
      Figure(name: "result", value: Double(hash.value >> 12), unit: "hash"),
    ]
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

/// Time that passes only when told to, with the wake-ups that were asked for.
struct VirtualClock {
  private var time: Duration = .seconds(1)
  private var timers: [TimerID: Deadline] = [:]
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
      case .setTimer(let id, let deadline): timers[id] = deadline
      case .clearTimer(let id): timers[id] = nil
      case .deliver: delivered += 1
      default: break
      }
    }
    return orders.count
  }

  mutating func advance(_ step: Duration, _ fire: (TimerID, Moment) -> [Order]) {
    let end = time + step
    while let next = timers.min(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }),
      next.value.at <= end
    {
      time = max(time, next.value.at)
      timers[next.key] = nil
      perform(fire(next.key, now))
    }
    time = end
  }
}
