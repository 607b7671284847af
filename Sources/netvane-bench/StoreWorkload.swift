import Glibc
import PathCore
import PathStore

/// What it costs to keep what one policy changed in one turn of the loop, with the log in the
/// page cache, as it is in between two checkpoints. The floor is one write(2) of the same bytes.
enum StoreWorkload: Workload {
  static let name = "store"
  static let about = "microseconds to keep what one policy changed, and to bring the log over"
  static let needsNetwork = false

  static func run(_ size: Size) throws(WorkloadError) -> [Figure] {
    let place = try Scratch()
    let batches = size == .full ? 20_000 : 200
    let store: PolicyStore
    switch PolicyStore.open(directory: "\(place.path)/store", bootID: "bench", at: moment(0)) {
    case .opened(let opened): store = opened
    case .renewed(_, let message), .inMemory(_, let message), .refused(let message):
      throw WorkloadError(message: message)
    }
    var writing = 0.0
    var checkpoints: [Double] = []
    for number in 0..<batches {
      let batch = StoreBatch(
        memories: ["policy": memory(number)],
        history: [HistoryEntry(at: moment(number).wall, policy: "policy", event: "satisfied")])
      let start = nanoseconds()
      let notices = store.write(batch, at: moment(number))
      writing += Double(nanoseconds() - start)
      if let notice = notices.first { throw WorkloadError(message: notice.message) }
      if number % 500 == 499 || number == batches - 1 {
        let start = nanoseconds()
        _ = store.checkpoint(at: moment(number))
        checkpoints.append(Double(nanoseconds() - start) / 1e6)
      }
    }
    guard store.isDurable else { throw WorkloadError(message: "the store fell into memory") }
    let bytes = memory(0).bytes
    let floor = try plainWrites(bytes, batches, to: "\(place.path)/plain")
    return [
      Figure(
        name: "batch", value: writing / Double(batches) / 1000, unit: "us",
        floor: floor / Double(batches) / 1000, goal: .atMost(100),
        note: "\(bytes.count) bytes and a line of history; the floor is one write of the bytes"),
      Figure(
        name: "checkpoint", value: checkpoints.sorted()[checkpoints.count / 2], unit: "ms",
        note: "after 500 batches, waiting for the disk"),
    ]
  }

  private static func plainWrites(
    _ bytes: [UInt8], _ count: Int, to path: String
  ) throws(WorkloadError) -> Double {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WorkloadError("open \(path)", code: errno) }
    defer { close(descriptor) }
    let start = nanoseconds()
    for _ in 0..<count { writeAll(bytes, to: descriptor) }
    return Double(nanoseconds() - start)
  }

  private static func moment(_ number: Int) -> Moment {
    let time = Duration.seconds(1 + number)
    return Moment(
      awake: time, boot: time,
      wall: WallTime(unixNanoseconds: 1_700_000_000_000_000_000 + time.nanoseconds))
  }

  /// A policy in use: two timers, an alert with buttons, a few values, a kilobyte of state.
  private static func memory(_ number: Int) -> PolicyMemory {
    var writer = PlainWriter()
    let place = writer.beginMap()
    writer.text("count" as StaticString)
    writer.integer(Int64(number))
    writer.text("text" as StaticString)
    writer.text([UInt8](repeating: 65, count: 1000))
    writer.endMap(place, count: 2)
    var memory = PolicyMemory()
    memory.state = PlainData(bytes: writer.bytes)
    memory.wasStarted = true
    for name in ["patience", "reminder"] {
      memory.timers[name] = PolicyMemory.Timer(deadline: .seconds(number + 60))
    }
    memory.alerts["connection"] = PolicyMemory.Alert(
      content: AlertContent(
        key: "connection", severity: .warning, title: "Not connected",
        body: "The IPv4 route out leads through eth0, which has no carrier.",
        buttons: [AlertButton(id: "retry", label: "Try again")]))
    memory.published = ["connected": .emptyMap, "color": .emptyMap]
    return memory
  }
}
