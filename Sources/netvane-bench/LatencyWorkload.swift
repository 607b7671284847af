/// From the moment before the kernel is asked for a change until a policy's decision about it is
/// out, beside a bare reader of the same events.
///
/// The two take turns on the same cable, each alone in its process: both at once would queue for
/// the same processor.
enum LatencyWorkload: Workload {
  static let name = "latency"
  static let about = "from a change in the kernel to a policy's decision, beside a bare reader"
  static let needsNetwork = true

  /// What is changed back and forth, and what is to be heard of it.
  struct Kind {
    var name: String
    var gone: BenchNetwork.Change
    var back: BenchNetwork.Change
    var verdictGone: String
    var verdictBack: String
    var goal: Double
  }

  static let kinds = [
    Kind(
      name: "carrier", gone: .down, back: .up, verdictGone: "unsatisfied", verdictBack: "satisfied",
      goal: 1.5),
    Kind(
      name: "route", gone: .routeGone, back: .routeBack, verdictGone: "unsatisfied",
      verdictBack: "satisfied", goal: 3),
    // Without a default route, so that nothing but the address decides.
    Kind(
      name: "address", gone: .addressGone, back: .addressBack,
      verdictGone: "unsatisfied noAddress", verdictBack: "unsatisfied noRoute", goal: 3),
  ]

  struct Sample {
    /// Microseconds.
    var latencies: [Double] = []
    var missed = 0

    mutating func add(_ other: Sample) {
      latencies += other.latencies
      missed += other.missed
    }

    func quantile(_ part: Double) -> Double {
      let sorted = latencies.sorted()
      return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }
  }

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let (rounds, pairs) = size == .full ? (6, 50) : (1, 5)
    let network = try BenchNetwork()
    var figures: [Figure] = []
    for kind in kinds {
      var floor = Sample()
      var netvane = Sample()
      for round in 0..<rounds {
        for part in round % 2 == 0 ? [Part.floor, .daemon] : [.daemon, .floor] {
          let sample = try measure(kind, part, pairs, network)
          if part == .floor { floor.add(sample) } else { netvane.add(sample) }
        }
      }
      figures += try self.figures(kind, floor, netvane)
    }
    for kind in kinds.prefix(2) { figures += try withStore(kind, rounds, pairs, network) }
    return figures
  }

  /// The same decisions, kept in a file, beside decisions that are kept nowhere. Writing comes
  /// after telling, so nothing of it should be seen.
  private static func withStore(
    _ kind: Kind, _ rounds: Int, _ pairs: Int, _ network: BenchNetwork
  ) throws(WorkloadError) -> [Figure] {
    let place = try Scratch()
    var without = Sample()
    var with = Sample()
    for round in 0..<rounds * 2 {
      for keeps in round % 2 == 0 ? [false, true] : [true, false] {
        let sample = try measure(
          kind, .daemon, pairs, network, keeps ? "\(place.path)/state" : "none")
        if keeps { with.add(sample) } else { without.add(sample) }
      }
    }
    if with.missed > 0 || with.latencies.isEmpty {
      throw WorkloadError(message: "\(with.missed) changes of \(kind.name) were not reported")
    }
    func figure(_ name: String, _ part: Double, _ goal: Figure.Goal?, _ note: String) -> Figure {
      Figure(
        name: "\(kind.name) kept \(name)", value: with.quantile(part), unit: "µs",
        floor: without.quantile(part), goal: goal, note: note)
    }
    let note = "\(with.latencies.count) changes, each written; the floor is without a store"
    return [
      figure("median", 0.5, .ratioAtMost(1.05), note), figure("p99", 0.99, nil, ""),
    ]
  }

  private static func figures(
    _ kind: Kind, _ floor: Sample, _ netvane: Sample
  ) throws(WorkloadError) -> [Figure] {
    // On a busy machine a turn for the processor may come after the next change; that is no loss.
    if netvane.latencies.count < netvane.missed * 50 + 1 {
      throw WorkloadError(message: "\(netvane.missed) changes of \(kind.name) were not reported")
    }
    func figure(_ name: String, _ part: Double, _ goal: Figure.Goal?, _ note: String = "") -> Figure
    {
      Figure(
        name: "\(kind.name) \(name)", value: netvane.quantile(part), unit: "µs",
        floor: floor.quantile(part), goal: goal, note: note)
    }
    return [
      figure("min", 0, nil),
      figure(
        "median", 0.5, .ratioAtMost(kind.goal),
        "\(netvane.latencies.count) changes, \(netvane.missed) too late to tell apart; "
          + "the floor's \(floor.missed)"),
      figure("p99", 0.99, .atMost(1000)),
    ]
  }

  /// One turn of one program, which is given the argument.
  static func measure(
    _ kind: Kind, _ part: Part, _ pairs: Int, _ network: BenchNetwork, _ argument: String = "none"
  ) throws(WorkloadError) -> Sample {
    let child = try Child.part(part.rawValue, argument)
    guard child.await(milliseconds: 5000, { !$0.isEmpty }) != nil else {
      throw WorkloadError(message: "the \(part.rawValue) did not start")
    }
    if kind.gone == .addressGone { try network.make(.routeGone) }
    pass(milliseconds: 50)
    var changes: [(time: Int64, change: BenchNetwork.Change)] = []
    for _ in 0..<pairs {
      for change in [kind.gone, kind.back] {
        changes.append((try network.make(change), change))
        passAbout(milliseconds: 20)
      }
    }
    if kind.gone == .addressGone { try network.make(.routeBack) }
    child.end()
    let stamps = child.lines.compactMap(Stamp.init)
    return match(changes, stamps) { change in
      if part == .floor { return change.rawValue }
      return change == kind.gone ? kind.verdictGone : kind.verdictBack
    }
  }

  /// Pairs each change with the first stamp of its kind before the next change.
  private static func match(
    _ changes: [(time: Int64, change: BenchNetwork.Change)], _ stamps: [Stamp],
    _ expected: (BenchNetwork.Change) -> String
  ) -> Sample {
    var sample = Sample()
    for (number, change) in changes.enumerated() {
      let end = number + 1 < changes.count ? changes[number + 1].time : .max
      let word = expected(change.change)
      let heard = stamps.first {
        $0.time >= change.time && $0.time < end && $0.word.hasPrefix(word)
      }
      if let heard {
        sample.latencies.append(Double(heard.time - change.time) / 1000)
      } else {
        sample.missed += 1
      }
    }
    return sample
  }
}

/// A line that `stamp` printed.
struct Stamp {
  var time: Int64
  var word: String

  init?(_ line: String) {
    guard let space = line.firstIndex(of: " "), let time = Int64(line[..<space]) else { return nil }
    self.time = time
    word = String(line[line.index(after: space)...])
  }
}
