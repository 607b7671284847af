import Foundation
import PathCore
import PathTestKit
import Testing

@testable import PathStore

/// A file that is not what was written: it is kept beside a new one, and a store never gives out
/// what no policy kept.
struct DamageTests {
  let bench = Bench()

  /// The file is moved and named in the message, and the store works.
  private func expectRenewal(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (store, message) = try #require(bench.renewed(), sourceLocation: sourceLocation)
    let aside = "\(bench.file).broken-1"
    #expect(message.hasPrefix(bench.file), sourceLocation: sourceLocation)
    #expect(message.contains(aside), sourceLocation: sourceLocation)
    #expect(!message.contains("\n"), sourceLocation: sourceLocation)
    #expect(FileManager.default.fileExists(atPath: aside), sourceLocation: sourceLocation)
    #expect(
      store.recall(at: Bench.moment(100)).memories.isEmpty, sourceLocation: sourceLocation)
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    store.close()
    let next = try bench.store()
    #expect(
      next.recall(at: Bench.moment(100)).memories == ["p": Bench.memory(1)],
      sourceLocation: sourceLocation)
  }

  @Test(arguments: [2, 50, 99, 100, 1000, 4096, 10_000, 65_536])
  func `a file that was cut is set aside`(length: Int) throws {
    try bench.fill()
    try bench.write(bench.file, Array(try bench.read(bench.file).prefix(length)))
    try expectRenewal()
  }

  @Test func `a file that is no database is set aside, and nothing of it is lost`() throws {
    let bytes = Array(String(repeating: "This is a letter, not a database. ", count: 300).utf8)
    try bench.write(bench.file, bytes)
    chmod(bench.directory, 0o700)
    try expectRenewal()
    #expect(try bench.read("\(bench.file).broken-1") == bytes)
  }

  @Test func `a directory in the file's place is set aside with what is in it`() throws {
    try FileManager.default.createDirectory(
      atPath: bench.file, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: "\(bench.file)/keepsake", contents: Data([1]))
    chmod(bench.directory, 0o700)
    try expectRenewal()
    #expect(FileManager.default.fileExists(atPath: "\(bench.file).broken-1/keepsake"))
  }

  @Test func `a pipe in the file's place is set aside, without waiting for its other end`() throws {
    mkdir(bench.directory, 0o700)
    mkfifo(bench.file, 0o600)
    try expectRenewal()
  }

  @Test(arguments: [[], [0]])
  func `an empty file is a beginning that was interrupted`(bytes: [UInt8]) throws {
    try bench.write(bench.file, bytes)
    chmod(bench.directory, 0o700)
    let store = try bench.store()
    #expect(store.recall(at: Bench.moment(100)).memories.isEmpty)
    #expect(!bench.names.contains { $0.contains("broken") })
  }

  @Test func `an empty file with a log beside it is a loss, and the log is kept`() throws {
    let store = try bench.store()
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    let log = try bench.read(bench.log)
    store.close()
    try bench.write(bench.file, [])
    try bench.write(bench.log, log)
    chmod(bench.log, 0o600)
    try expectRenewal()
    #expect(try bench.read("\(bench.file).broken-1-wal") == log)
  }

  @Test func `random bytes anywhere in the file never become a policy's memory`() throws {
    let memories = try bench.fill()
    let whole = try bench.read(bench.file)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    var renewed = 0
    var damaged = 0
    for round in 0..<150 {
      var bytes = whole
      let start = random.number(0...bytes.count - 1)
      for place in start..<min(bytes.count, start + random.number(1...400)) {
        bytes[place] = UInt8(truncatingIfNeeded: random.next())
      }
      try bench.write(bench.file, bytes)
      let opening = PolicyStore.open(
        directory: bench.directory, bootID: "boot-1", at: Bench.moment(100))
      switch opening {
      case .opened(let store):
        let stored = store.recall(at: Bench.moment(100))
        for (policy, memory) in stored.memories {
          #expect(memory == memories[policy], "seed \(seed), round \(round)")
        }
        damaged += stored.damaged.isEmpty ? 0 : 1
        _ = store.history()
        _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
        store.close()
      case .renewed(let store, _):
        renewed += 1
        store.close()
      case .inMemory(_, let message): Issue.record("seed \(seed), round \(round): \(message)")
      // The version or the mark of the program was hit.
      case .refused(let message): #expect(message.contains("netvane.db"), "\(message)")
      }
      for name in bench.names { unlink("\(bench.directory)/\(name)") }
    }
    #expect(renewed > 10 && damaged > 10, "\(renewed) renewed, \(damaged) damaged")
  }

  @Test func `random bytes in the log give an earlier state that was committed, or none`() throws {
    let store = try bench.store()
    _ = store.checkpoint(at: Bench.moment(100))
    for number in 1...30 {
      _ = store.write(
        StoreBatch(memories: ["p": Bench.memory(number, size: 500)]), at: Bench.moment(100))
    }
    let (file, log) = (try bench.read(bench.file), try bench.read(bench.log))
    store.close()
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for round in 0..<60 {
      var bytes = log
      let start = random.number(0...bytes.count - 1)
      for place in start..<min(bytes.count, start + random.number(1...100)) {
        bytes[place] ^= UInt8(truncatingIfNeeded: random.next() | 1)
      }
      try bench.write(bench.file, file)
      try bench.write(bench.log, bytes)
      chmod(bench.log, 0o600)
      let opening = PolicyStore.open(
        directory: bench.directory, bootID: "boot-1", at: Bench.moment(100))
      switch opening {
      case .opened(let store), .renewed(let store, _):
        let stored = store.recall(at: Bench.moment(100))
        if let memory = stored.memories["p"] {
          #expect(
            memory == Bench.memory(Int(memory.version), size: 500), "seed \(seed), round \(round)")
        }
        store.close()
      default: Issue.record("seed \(seed), round \(round): \(opening)")
      }
      for name in bench.names { unlink("\(bench.directory)/\(name)") }
    }
  }

  @Test func `one policy's damaged memory does not touch the others, and is told`() throws {
    let memories = try bench.fill()
    do {
      let database = try Database(bench.file)
      try database.run([
        "UPDATE policies SET memory = x'0102' WHERE policy = 'policy-3'",
        "UPDATE policies SET boot = 'nobody knows' WHERE policy = 'policy-4'",
      ])
    }
    let stored = try bench.store().recall(at: Bench.moment(110))
    #expect(stored.damaged == ["policy-3", "policy-4"])
    #expect(stored.memories.count == memories.count - 2)
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON history BEGIN DELETE FROM policies; END",
    "CREATE VIEW v AS SELECT * FROM policies", "CREATE TABLE more (a)", "DROP TABLE history",
    "CREATE INDEX i ON policies (boot)", "ALTER TABLE history ADD COLUMN b",
  ]) func `a file with other tables than Netvane makes is set aside`(change: String) throws {
    try bench.fill()
    do {
      let database = try Database(bench.file)
      try database.run([change])
    }
    try expectRenewal()
  }

  @Test func `a history that counts to the end of numbers is no trap`() throws {
    try bench.fill()
    do {
      let database = try Database(bench.file)
      try database.run(["UPDATE history SET number = \(Int64.max) WHERE place = 5"])
    }
    let store = try bench.store()
    let entry = HistoryEntry(at: WallTime(), policy: "p", event: "e")
    #expect(store.write(StoreBatch(history: [entry, entry]), at: Bench.moment(100)).isEmpty)
    #expect(store.isDurable)
  }

  @Test func `at most eight damaged files are kept`() throws {
    for _ in 0..<10 {
      try bench.write(bench.file, Array(repeating: 1, count: 5000))
      chmod(bench.directory, 0o700)
      let (store, _) = try #require(bench.renewed())
      store.close()
    }
    #expect(bench.names.filter { $0.contains("broken") }.count == 8)
  }

  // MARK: Other versions

  @Test func `a newer version's file is left alone, and the message says what to do`() throws {
    try bench.fill()
    do {
      let database = try Database(bench.file)
      try database.run(["PRAGMA user_version = 7"])
    }
    let before = try bench.read(bench.file)
    let message = try #require(bench.refusal())
    #expect(message.hasPrefix("\(bench.file): a newer netvane wrote this file"))
    #expect(message.contains("--state"))
    #expect(try bench.read(bench.file) == before)
  }

  @Test func `another program's database is left alone`() throws {
    mkdir(bench.directory, 0o700)
    do {
      let database = try Database(bench.file)
      try database.run(["CREATE TABLE songs (title)", "INSERT INTO songs VALUES ('a')"])
    }
    chmod(bench.file, 0o640)
    let before = try bench.read(bench.file)
    #expect(bench.refusal()?.contains("a database of another program") == true)
    #expect(try bench.read(bench.file) == before)
    #expect(bench.mode(bench.file) == 0o640)
  }

  @Test func `an older version's file is brought up to date with all it holds`() throws {
    let memories = try bench.fill()
    var newer = Schema.current
    newer.steps.append([
      "ALTER TABLE policies ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",
      "CREATE TABLE more (a INTEGER PRIMARY KEY)",
    ])
    for _ in 0..<2 {
      let opening = PolicyStore.open(
        directory: bench.directory, bootID: "boot-1", at: Bench.moment(100), schema: newer)
      guard case .opened(let store) = opening else {
        Issue.record("\(opening)")
        return
      }
      #expect(store.recall(at: Bench.moment(100)).memories == memories)
      store.close()
    }
    #expect(bench.refusal()?.contains("newer netvane") == true)
  }

  @Test func `a step to a newer version that fails leaves the older one`() throws {
    try bench.fill()
    var newer = Schema.current
    newer.steps.append(["CREATE TABLE more (a)", "INSERT INTO nowhere VALUES (1)"])
    let database = try Database(bench.file)
    #expect(throws: StoreTrouble.self) { try newer.apply(to: database) }
    #expect(try database.integer("PRAGMA user_version") == 2)
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'more'") == 0)
  }
}
