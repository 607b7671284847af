import Dispatch
import Glibc
import NetworkPath

/// The Swift library: how soon the first path and a change reach a handler, and what very many
/// monitors cost.
enum LibraryWorkload: Workload {
  static let name = "library"
  static let about = "NWPathMonitor: first path, change to handler, memory of a thousand monitors"
  static let needsNetwork = true

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let (rounds, pairs) = size == .full ? (6, 50) : (1, 5)
    let network = try BenchNetwork()
    var figures = try start(rounds * 3)
    for kind in LatencyWorkload.kinds.prefix(2) {
      var floor = LatencyWorkload.Sample()
      var told = LatencyWorkload.Sample()
      for round in 0..<rounds {
        for part in round % 2 == 0 ? [Part.floor, .monitor] : [.monitor, .floor] {
          let sample = try LatencyWorkload.measure(kind, part, pairs, network, "1")
          if part == .floor { floor.add(sample) } else { told.add(sample) }
        }
      }
      if told.latencies.isEmpty { throw WorkloadError(message: "no \(kind.name) was told") }
      for (name, part) in [("median", 0.5), ("p99", 0.99)] {
        figures.append(
          Figure(
            name: "\(kind.name) \(name)", value: told.quantile(part), unit: "µs",
            floor: floor.quantile(part),
            note: "\(told.latencies.count) changes, to a handler on a serial queue"))
      }
    }
    return try figures + memory()
  }

  /// From the start of the process until the first path is in the handler.
  private static func start(_ starts: Int) throws(WorkloadError) -> [Figure] {
    var first: [Double] = []
    var bare: [Double] = []
    for _ in 0..<starts {
      first.append(try reach(try Child.part(Part.monitor.rawValue, "1"), "satisfied"))
      bare.append(try reach(try Child.part(Part.floor.rawValue, "none"), "ready"))
    }
    return [
      Figure(
        name: "start to first path", value: median(first), unit: "ms", floor: median(bare),
        note: "the floor is a start of the bare reader")
    ]
  }

  private static func reach(_ child: Child, _ word: String) throws(WorkloadError) -> Double {
    guard let time = child.await(milliseconds: 10_000, { $0.contains(word) }) else {
      throw WorkloadError(message: "no path was told: \(child.lines.last ?? "nothing was said")")
    }
    let taken = Double(time - child.startedAt) / 1e6
    child.end()
    return taken
  }

  private static func memory() throws(WorkloadError) -> [Figure] {
    var dirty: [Double] = []
    for count in [1, 1001] {
      let child = try Child.part(Part.monitor.rawValue, "\(count)")
      guard child.await(milliseconds: 10_000, { $0.contains("all") }) != nil else {
        throw WorkloadError(message: "\(count) monitors were not all told")
      }
      dirty.append(Double(ProcessFigures(child.process).privateDirtyKiB))
      child.end()
    }
    return [
      Figure(
        name: "a thousand monitors", value: dirty[1] - dirty[0], unit: "KiB",
        note: "of private memory beyond one monitor's")
    ]
  }
}

/// Monitors whose handlers say what they were told; the first of them stamps it.
enum MonitorUnderTest {
  static func run(_ count: String) -> Int32 {
    let monitors = (0..<(Int(count) ?? 1)).map { _ in NWPathMonitor() }
    let queue = DispatchQueue(label: "bench")
    let all = DispatchGroup()
    for (place, monitor) in monitors.enumerated() {
      all.enter()
      monitor.pathUpdateHandler = { path in
        if place == 0 { stamp("\(path.status)") }
        if path.sequence == 1 { all.leave() }
      }
      monitor.start(queue: queue)
    }
    all.notify(queue: queue) { stamp("all") }
    // Until the bench ends it.
    while !monitors.isEmpty { pause() }
    return 0
  }
}
