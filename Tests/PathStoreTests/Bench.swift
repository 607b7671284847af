import Foundation
import PathCore
import PathStore

/// A directory of a test's own, and short ways to open a store in it.
final class Bench {
  let root: String
  var directory: String { root + "/state" }
  var file: String { directory + "/netvane.db" }
  var log: String { file + "-wal" }

  struct Unexpected: Error {
    var opening: String
  }

  init() {
    root = NSTemporaryDirectory() + "netvane-store-\(UUID().uuidString)"
    mkdir(root, 0o755)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  static func moment(_ seconds: Int, wall: Int? = nil) -> Moment {
    let time = Duration.seconds(seconds)
    let wallTime = Duration.seconds(wall ?? 1_700_000_000 + seconds)
    return Moment(
      awake: time, boot: time, wall: WallTime(unixNanoseconds: wallTime.nanoseconds))
  }

  /// A store that opens without anything to say.
  func store(boot: String = "boot-1", at now: Moment = moment(100)) throws -> PolicyStore {
    let opening = PolicyStore.open(directory: directory, bootID: boot, at: now)
    guard case .opened(let store) = opening else {
      throw Unexpected(opening: "\(opening)")
    }
    return store
  }

  func refusal() -> String? {
    let opening = PolicyStore.open(directory: directory, bootID: "boot-1", at: Self.moment(100))
    guard case .refused(let message) = opening else { return nil }
    return message
  }

  func renewed() -> (PolicyStore, String)? {
    let opening = PolicyStore.open(directory: directory, bootID: "boot-1", at: Self.moment(100))
    guard case .renewed(let store, let message) = opening else { return nil }
    return (store, message)
  }

  func read(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: path)))
  }

  func write(_ path: String, _ bytes: [UInt8]) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path))
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  func size(_ path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// A file of a store with a few policies, with nothing left in the log.
  @discardableResult
  func fill() throws -> [String: PolicyMemory] {
    let store = try store()
    var memories: [String: PolicyMemory] = [:]
    for number in 0..<20 { memories["policy-\(number)"] = Self.memory(number, size: number * 300) }
    _ = store.write(StoreBatch(memories: memories), at: Self.moment(101))
    for number in 0..<200 {
      let entry = HistoryEntry(at: Self.moment(number).wall, policy: "p", event: "event \(number)")
      _ = store.write(StoreBatch(history: [entry]), at: Self.moment(101))
    }
    _ = store.checkpoint(at: Self.moment(102))
    store.close()
    return memories
  }

  static func memory(_ number: Int, size: Int = 10) -> PolicyMemory {
    var writer = PlainWriter()
    writer.text([UInt8](repeating: UInt8(65 + number % 26), count: size))
    var memory = PolicyMemory()
    memory.state = PlainData(bytes: writer.bytes)
    memory.version = Int64(number)
    memory.timers["t"] = PolicyMemory.Timer(deadline: .seconds(200))
    return memory
  }
}
