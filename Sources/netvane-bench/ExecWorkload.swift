import Glibc
import PathCore
import PathDaemon
import PathPolicy

/// From the moment before the kernel is asked for a change until the command that a policy runs for
/// it has begun, beside a bare reader that starts the same program. The program is this one; most
/// of the time of either is what the kernel and the linker take to begin it.
enum ExecWorkload: Workload {
  static let name = "exec"
  static let about = "from a change in the kernel to a command's first step, beside a bare spawner"
  static let needsNetwork = true

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let (rounds, pairs) = size == .full ? (6, 50) : (1, 5)
    let network = try BenchNetwork()
    var floor: [Double] = []
    var netvane: [Double] = []
    for round in 0..<rounds {
      for part in round % 2 == 0 ? [Part.floorSpawn, .daemonExec] : [.daemonExec, .floorSpawn] {
        let latencies = try measure(part, pairs, network)
        if part == .floorSpawn { floor += latencies } else { netvane += latencies }
      }
    }
    let wanted = rounds * pairs * 2
    guard netvane.count * 100 >= wanted * 98 else {
      throw WorkloadError(message: "\(wanted - netvane.count) commands of \(wanted) did not begin")
    }
    return [
      Figure(
        name: "median", value: median(netvane), unit: "µs", floor: median(floor),
        goal: .ratioAtMost(1.2),
        note: "\(netvane.count) commands; the floor began \(floor.count)"),
      Figure(name: "more than the floor", value: median(netvane) - median(floor), unit: "µs"),
    ]
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  /// One turn of one program: microseconds of each change that led to a command.
  private static func measure(
    _ part: Part, _ pairs: Int, _ network: BenchNetwork
  ) throws(WorkloadError) -> [Double] {
    let file = "/run/netvane-bench-\(getpid()).stamps"
    _ = unsafe unlink(file)
    let child = try Child.part(part.rawValue, file)
    guard child.await(milliseconds: 5000, { $0.contains("ready") }) != nil else {
      throw WorkloadError(message: "the \(part.rawValue) did not start")
    }
    pass(milliseconds: 100)
    var changes: [(time: Int64, word: String)] = []
    for _ in 0..<pairs {
      for change in [BenchNetwork.Change.routeGone, .routeBack] {
        changes.append((try network.make(change), change.rawValue))
        passAbout(milliseconds: 30)
      }
    }
    pass(milliseconds: 100)
    child.end()
    let stamps = (fileText(file) ?? "").split(separator: "\n").compactMap { Stamp(String($0)) }
    _ = unsafe unlink(file)
    var latencies: [Double] = []
    for (number, change) in changes.enumerated() {
      let end = number + 1 < changes.count ? changes[number + 1].time : .max
      let begun = stamps.first {
        $0.time >= change.time && $0.time < end && $0.word == change.word
      }
      if let begun { latencies.append(Double(begun.time - change.time) / 1000) }
    }
    return latencies
  }

  // MARK: The daemon

  private static let policy = """
    local policy = { api = 1, description = "runs a command for each change", settle = "0s" }
    function policy.on_path(ctx, ev)
      if ev.initial then return end
      local word = ev.status == "satisfied" and "routeBack" or "routeGone"
      ctx.exec { key = "stamp", command = "stamp", args = { word } }
    end
    return policy
    """

  static func runDaemon(_ file: String) -> Int32 {
    let text = """
      return { interfaces = { \(BenchNetwork.link) = { type = "wired" } },
        grants = { exec = { stamp = { "\(ownPath)", "\(Part.flag)", "\(Part.now.rawValue)", "\(file)" } } } }
      """
    guard
      let configuration = try? ConfigurationReader.parse(Array(text.utf8), file: "bench.lua")
    else { return 2 }
    let script = PolicyScript(name: "stamp", file: "stamp.lua", source: Array(policy.utf8))
    let settings = DaemonSettings(
      scripts: [script], configuration: configuration, version: "bench")
    let delegate = Quiet()
    do throws(LoopError) {
      return try Daemon(settings: settings, delegate: delegate).run()
    } catch {
      stamp(error.message)
      return 1
    }
  }

  /// Says only when it is ready, and what went wrong.
  private final class Quiet: DaemonDelegate {
    func report(_ report: Report, at time: WallTime) -> Bool {
      switch report {
      case .ready: stamp("ready")
      case .action(let action) where action.state == .failed || action.state == .refused:
        stamp("action \(action.detail)")
      case .fault(let fault): stamp("fault \(fault)")
      default: break
      }
      return true
    }

    func input(_ line: String) -> [Fact] { [] }
  }
}
