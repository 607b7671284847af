/// The release program at rest, with the policies in ./policies: wake-ups, memory, and how soon it
/// is ready.
enum IdleWorkload: Workload {
  static let name = "idle"
  static let about = "the release program at rest: wake-ups, memory, start"
  static let needsNetwork = true

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let (seconds, starts) = size == .full ? (60, 15) : (1, 3)
    let network = try BenchNetwork()
    let program = ownPath.prefix(upTo: ownPath.lastIndex(of: "/") ?? ownPath.endIndex) + "/netvane"
    let scratch = try Scratch()
    let arguments = [
      String(program), "run", "policies", "--json", "--state", "none", "--control",
      "\(scratch.path)/control",
    ]
    var ready: [Double] = []
    var decided: [Double] = []
    var bare: [Double] = []
    for _ in 0..<starts {
      let child = try Child(arguments)
      ready.append(try reach("\"event\":\"ready\"", child))
      decided.append(try reach("\"event\":\"publish\"", child))
      child.end()
      let floor = try Child.part(Part.floor.rawValue)
      bare.append(try reach("ready", floor))
    }
    let child = try Child(arguments)
    _ = try reach("\"event\":\"publish\"", child)
    // What follows a start is over then.
    pass(milliseconds: size == .full ? 5000 : 500)
    let before = ProcessFigures(child.process)
    pass(milliseconds: seconds * 1000)
    let after = ProcessFigures(child.process)
    child.end()
    _ = (network, scratch)
    let wakeups = after.voluntarySwitches - before.voluntarySwitches
    return [
      Figure(
        name: "start to ready", value: median(ready), unit: "ms", floor: median(bare),
        goal: .atMost(30), note: "the floor is a start of the bare reader"),
      Figure(name: "start to first decision", value: median(decided), unit: "ms"),
      Figure(
        name: "wake-ups", value: Double(wakeups), unit: "", goal: .atMost(0),
        note: "in \(seconds) s"),
      Figure(
        name: "CPU", value: Double(after.cpuNanoseconds - before.cpuNanoseconds) / 1e6, unit: "ms",
        note: "in \(seconds) s"),
      Figure(
        name: "resident", value: Double(after.residentKiB) / 1024, unit: "MiB", goal: .atMost(24)),
      Figure(
        name: "private dirty", value: Double(after.privateDirtyKiB) / 1024, unit: "MiB",
        goal: .atMost(6)),
    ]
  }

  /// Milliseconds from the start until a line that holds the word.
  private static func reach(_ word: String, _ child: Child) throws(WorkloadError) -> Double {
    guard let time = child.await(milliseconds: 10_000, { $0.contains(word) }) else {
      throw WorkloadError(
        message: "\(child.lines.last ?? "it said nothing"); is .build/release/netvane built, and "
          + "is ./policies there?")
    }
    return Double(time - child.startedAt) / 1e6
  }
}
