import PathCore
import PathKernel

/// A machine with a thousand links: reading and judging all of it, and judging it again when
/// nothing but a route changed.
enum LinksWorkload: Workload {
  static let name = "links"
  static let about = "a thousand links: reading all and judging, and judging again"
  static let needsNetwork = true

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let (pairs, rounds) = size == .full ? (500, 20) : (10, 3)
    let network = try BenchNetwork()
    for number in 0..<pairs { try network.near.addPair("s\(number)", "t\(number)") }
    var settings = KernelSettings()
    settings.interfaces = [InterfaceRule(BenchNetwork.link, type: .wired)]
    var first: [Double] = []
    var again: [Double] = []
    var steady: [Double] = []
    var ignored = 0
    for _ in 0..<rounds {
      let reader: KernelReader
      let start = nanoseconds()
      do throws(KernelError) {
        reader = try KernelReader(settings: settings)
      } catch {
        throw WorkloadError(message: error.description)
      }
      let snapshot = try judge(reader)
      first.append(Double(nanoseconds() - start) / 1e6)
      ignored = snapshot.ignoredLinks
      again.append(
        try time { () throws(WorkloadError) in
          _ = reader.reconcile()
          _ = try judge(reader)
        })
      for _ in 0..<10 {
        steady.append(try time { () throws(WorkloadError) in _ = try judge(reader) })
      }
    }
    let links = 2 * pairs
    for number in 0..<pairs { try network.near.removeLink("s\(number)") }
    return [
      Figure(
        name: "first look", value: median(first), unit: "ms", goal: .atMost(20),
        note: "\(links) links, \(ignored) of them of no consequence; sockets and sysfs included"),
      Figure(name: "read anew", value: median(again), unit: "ms", goal: .atMost(20)),
      Figure(name: "steady", value: median(steady) * 1000, unit: "µs"),
    ]
  }

  /// Everything from the tables to the verdict.
  private static func judge(_ reader: KernelReader) throws(WorkloadError) -> Snapshot {
    let snapshot = reader.snapshot()
    let path = PathEvaluator.path(of: snapshot, filter: PathFilter())
    guard path.status == .satisfied else { throw WorkloadError(message: path.why) }
    return snapshot
  }

  /// Milliseconds.
  private static func time(
    _ body: () throws(WorkloadError) -> Void
  ) throws(WorkloadError) -> Double {
    let start = nanoseconds()
    try body()
    return Double(nanoseconds() - start) / 1e6
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
