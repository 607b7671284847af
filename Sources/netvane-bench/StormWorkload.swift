/// What a burst of changes costs the daemon in processor time, whether it loses events in it, and
/// whether it knows the truth afterwards. Each storm leaves the cable without a carrier.
enum StormWorkload: Workload {
  static let name = "storm"
  static let about = "processor time in a burst of foreign routes, of new links, of carrier changes"
  static let needsNetwork = true

  private struct Storm {
    var name: String
    var goalMilliseconds: Double
    var note: String
    var run: (BenchNetwork) throws(WorkloadError) -> Void
  }

  private struct Outcome {
    var milliseconds: Double
    var gaps: Int
  }

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let network = try BenchNetwork()
    var figures: [Figure] = []
    for storm in storms(size) {
      let floor = try outcome(storm, .floor, network)
      let netvane = try outcome(storm, .daemon, network)
      figures.append(
        Figure(
          name: "\(storm.name) CPU", value: netvane.milliseconds, unit: "ms",
          floor: floor.milliseconds, goal: .atMost(storm.goalMilliseconds), note: storm.note))
      figures.append(
        Figure(
          name: "\(storm.name) overruns", value: Double(netvane.gaps), unit: "",
          floor: Double(floor.gaps), goal: storm.name == "s1" ? .atMost(0) : nil))
    }
    return figures
  }

  private static func storms(_ size: Size) -> [Storm] {
    let (routes, pairs, flaps) = size == .full ? (100_000, 500, 2000) : (1000, 5, 40)
    return [
      Storm(name: "s1", goalMilliseconds: 10, note: "\(2 * routes) changes of foreign host routes")
      {
        network throws(WorkloadError) in
        try network.near.setHostRoutes(0..<routes, exist: true)
        try network.make(.down)
        try network.near.setHostRoutes(0..<routes, exist: false)
      },
      Storm(name: "s2", goalMilliseconds: 250, note: "\(2 * pairs) veths made and removed") {
        network throws(WorkloadError) in
        for number in 0..<pairs { try network.near.addPair("s\(number)", "t\(number)") }
        try network.make(.down)
        for number in 0..<pairs { try network.near.removeLink("s\(number)") }
      },
      Storm(name: "s3", goalMilliseconds: 100, note: "\(flaps) carrier changes without a pause") {
        network throws(WorkloadError) in
        for number in 0..<flaps { try network.make(number % 2 == 0 ? .up : .down) }
      },
    ]
  }

  private static func outcome(
    _ storm: Storm, _ part: Part, _ network: BenchNetwork
  ) throws(WorkloadError) -> Outcome {
    let child = try Child.part(part.rawValue)
    guard child.await(milliseconds: 5000, { !$0.isEmpty }) != nil else {
      throw WorkloadError(message: "the \(part.rawValue) did not start")
    }
    let before = calm(child)
    try storm.run(network)
    let after = calm(child)
    child.drain()
    let last = child.lines.compactMap(Stamp.init).last { !$0.word.hasPrefix("gap") }?.word ?? ""
    let count = child.lines.count
    try network.make(.up)
    let isBack =
      child.await(milliseconds: 3000, from: count) { line in
        guard let word = Stamp(line)?.word else { return false }
        return word == "up" || word.hasPrefix("satisfied")
      } != nil
    child.end()
    // A bare reader may lose the last of it; the daemon may not.
    if part == .daemon {
      guard last.hasPrefix("unsatisfied") else {
        throw WorkloadError(message: "after \(storm.name) the last verdict was '\(last)'")
      }
      guard isBack else {
        throw WorkloadError(message: "after \(storm.name) the next change was not reported")
      }
    }
    let gaps = child.lines.count { Stamp($0)?.word.hasPrefix("gap") ?? false }
    return Outcome(milliseconds: Double(after - before) / 1e6, gaps: gaps)
  }

  /// Waits until the program has used no processor for a while; what it had used by then.
  private static func calm(_ child: Child) -> Int {
    var last = -1
    for _ in 0..<200 {
      child.drain()
      let now = ProcessFigures(child.process).cpuNanoseconds
      if now == last { return now }
      last = now
      pass(milliseconds: 100)
    }
    return last
  }
}
