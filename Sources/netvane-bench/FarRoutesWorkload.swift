import Glibc

/// What a full table of foreign routes costs the reader while a tunnel's verdict may rest on any of
/// them, and while none does: how often it looks, and its processor time beside that of whoever
/// adds the routes with nobody listening.
enum FarRoutesWorkload: Workload {
  static let name = "far"
  static let about = "looks and processor time in a storm of routes that a tunnel may need"
  static let needsNetwork = true

  private struct Outcome {
    /// What the reader used.
    var milliseconds: Double
    var looks: Int
  }

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let routes = size == .full ? 100_000 : 2000
    let network = try BenchNetwork()
    let alone = try cost(routes, network)
    let closed = try outcome(routes, network)
    let tunnel = try Tunnel()
    defer { tunnel.detach() }
    try network.make(.routeGone)
    try Child.shell(
      """
      ip address add 10.8.0.2/24 dev \(Tunnel.name)
      ip link set \(Tunnel.name) up
      ip route add default dev \(Tunnel.name)
      """)
    let open = try outcome(routes, network)
    let note = "\(routes) host routes; the floor is what adding them takes with nobody listening"
    return [
      Figure(name: "closed looks", value: Double(closed.looks), unit: "", goal: .atMost(0)),
      Figure(
        name: "closed CPU", value: closed.milliseconds, unit: "ms", floor: alone,
        goal: .atMost(10)),
      Figure(name: "open looks", value: Double(open.looks), unit: "", goal: .atMost(10)),
      Figure(
        name: "open CPU", value: open.milliseconds, unit: "ms", floor: alone, goal: .atMost(500),
        note: note),
    ]
  }

  /// Adds them, and takes them away again; the milliseconds of this process that adding took.
  private static func cost(_ routes: Int, _ network: BenchNetwork) throws(WorkloadError) -> Double {
    let before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    try network.near.setHostRoutes(0..<routes, exist: true)
    let after = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    try network.near.setHostRoutes(0..<routes, exist: false)
    return Double(after - before) / 1e6
  }

  private static func outcome(_ routes: Int, _ network: BenchNetwork) throws(WorkloadError)
    -> Outcome
  {
    let child = try Child.part(Part.reader.rawValue)
    defer { child.end() }
    guard child.await(milliseconds: 5000, { !$0.isEmpty }) != nil else {
      throw WorkloadError(message: "the reader did not start")
    }
    // Its first looks, and the rests after them.
    pass(milliseconds: 1000)
    child.drain()
    let lines = child.lines.count
    let before = ProcessFigures(child.process).cpuNanoseconds
    try network.near.setHostRoutes(0..<routes, exist: true)
    // The longest rest, and the look after it.
    pass(milliseconds: 2000)
    child.drain()
    let used = ProcessFigures(child.process).cpuNanoseconds - before
    let looks = child.lines.count - lines
    try network.near.setHostRoutes(0..<routes, exist: false)
    return Outcome(milliseconds: Double(used) / 1e6, looks: looks)
  }
}
