import Foundation
import PathCore
import Testing

@testable import PathStore

/// What is written is what is read: across runs, boots and many batches.
struct KeepingTests {
  let bench = Bench()

  @Test func `what was written is there in the next run`() throws {
    let memories = try bench.fill()
    let stored = try bench.store().recall(at: Bench.moment(110))
    #expect(stored.memories == memories)
    #expect(stored.damaged.isEmpty)
  }

  @Test func `a first run knows nothing, and nobody else may look into its files`() throws {
    let store = try bench.store()
    #expect(store.recall(at: Bench.moment(100)).memories.isEmpty)
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    #expect(bench.mode(bench.directory) == 0o700)
    for name in ["netvane.db", "netvane.db-wal", "netvane.lock"] {
      #expect(bench.mode("\(bench.directory)/\(name)") == 0o600, "\(name)")
    }
    #expect(bench.names == ["netvane.db", "netvane.db-wal", "netvane.lock"])
  }

  @Test func `a store of which nothing is of this boot says that there was another`() throws {
    var store = try bench.store(boot: "one")
    #expect(!store.recall(at: Bench.moment(100)).isAfterReboot)
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    store.close()
    store = try bench.store(boot: "one")
    #expect(!store.recall(at: Bench.moment(100)).isAfterReboot)
    store.close()
    store = try bench.store(boot: "two")
    #expect(store.recall(at: Bench.moment(5)).isAfterReboot)
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(5))
    store.close()
    #expect(!(try bench.store(boot: "two").recall(at: Bench.moment(6)).isAfterReboot))
  }

  @Test func `a forgotten policy is gone, and back when it is written again`() throws {
    try bench.fill()
    var store = try bench.store()
    _ = store.write(StoreBatch(forgotten: ["policy-1", "policy-2"]), at: Bench.moment(103))
    _ = store.write(StoreBatch(memories: ["policy-2": Bench.memory(9)]), at: Bench.moment(103))
    store.close()
    store = try bench.store()
    let memories = store.recall(at: Bench.moment(104)).memories
    #expect(memories["policy-1"] == nil)
    #expect(memories["policy-2"] == Bench.memory(9))
    #expect(memories.count == 19)
  }

  @Test func `a batch that changes nothing writes nothing`() throws {
    let store = try bench.store()
    let batch = StoreBatch(memories: ["p": Bench.memory(1)])
    _ = store.write(batch, at: Bench.moment(100))
    let before = bench.size(bench.log)
    #expect(before > 0)
    for second in 101..<110 { _ = store.write(batch, at: Bench.moment(second)) }
    _ = store.write(StoreBatch(), at: Bench.moment(110))
    #expect(bench.size(bench.log) == before)
  }

  @Test func `one policy's change does not rewrite the others`() throws {
    try bench.fill()
    let store = try bench.store()
    _ = store.write(StoreBatch(memories: ["policy-19": Bench.memory(3)]), at: Bench.moment(103))
    // Twenty policies take 60 kB; a header, a frame for each of few pages.
    #expect(bench.size(bench.log) < 6 * 4120)
  }

  @Test func `the history is a ring: the last two thousand entries, in their order`() throws {
    var store = try bench.store()
    func entries(_ range: Range<Int>) -> [HistoryEntry] {
      range.map { HistoryEntry(at: Bench.moment($0).wall, policy: "p", event: "\($0)") }
    }
    for start in stride(from: 0, to: 5000, by: 50) {
      _ = store.write(StoreBatch(history: entries(start..<start + 50)), at: Bench.moment(100))
    }
    #expect(store.history() == entries(3000..<5000))
    store.close()
    store = try bench.store()
    _ = store.write(StoreBatch(history: entries(5000..<5001)), at: Bench.moment(100))
    #expect(store.history() == entries(3001..<5001))
    #expect(store.history(limit: 2) == entries(4999..<5001))
    #expect(store.history(limit: 0).isEmpty)
  }

  @Test func `a long text of the history is cut`() throws {
    let text = String(repeating: "é", count: 1000)
    let entry = HistoryEntry(at: WallTime(), policy: "p", event: text)
    #expect(entry.event.utf8.count <= HistoryEntry.eventBytes)
    #expect(entry.event.hasPrefix("ééé"))
  }

  @Test func `each policy's times are translated from the boot it was written in`() throws {
    var memory = PolicyMemory()
    memory.timers["t"] = PolicyMemory.Timer(deadline: .seconds(1000), acrossReboot: true)
    var store = try bench.store(boot: "boot-1", at: Bench.moment(100, wall: 5000))
    _ = store.write(
      StoreBatch(memories: ["old": memory, "new": memory]), at: Bench.moment(100, wall: 5000))
    store.close()
    // 400 seconds later by the wall, 10 into another boot: 500 of the 900 seconds are left.
    store = try bench.store(boot: "boot-2", at: Bench.moment(10, wall: 5400))
    var recalled = store.recall(at: Bench.moment(10, wall: 5400)).memories
    #expect(recalled["old"]?.timers["t"]?.deadline == .seconds(510))
    memory.timers["t"]?.deadline = .seconds(60)
    _ = store.write(StoreBatch(memories: ["new": memory]), at: Bench.moment(20, wall: 5410))
    store.close()
    store = try bench.store(boot: "boot-3", at: Bench.moment(5, wall: 5430))
    recalled = store.recall(at: Bench.moment(5, wall: 5430)).memories
    #expect(recalled["old"]?.timers["t"]?.deadline == .seconds(475))
    #expect(recalled["new"]?.timers["t"]?.deadline == .seconds(25))
    // Within the boot that wrote it nothing moves.
    store.close()
    store = try bench.store(boot: "boot-2", at: Bench.moment(500, wall: 1))
    recalled = store.recall(at: Bench.moment(500, wall: 1)).memories
    #expect(recalled["new"]?.timers["t"]?.deadline == .seconds(60))
  }

  @Test func `a boot without a name is like no other`() throws {
    var memory = PolicyMemory()
    memory.timers["t"] = PolicyMemory.Timer(deadline: .seconds(1000))
    var store = try bench.store(boot: "", at: Bench.moment(100, wall: 5000))
    _ = store.write(StoreBatch(memories: ["p": memory]), at: Bench.moment(100, wall: 5000))
    store.close()
    store = try bench.store(boot: "", at: Bench.moment(10, wall: 5400))
    let recalled = store.recall(at: Bench.moment(10, wall: 5400)).memories
    #expect(recalled["p"]?.timers["t"]?.deadline == .seconds(510))
  }

  @Test func `a boot that no policy's memory is of any more is forgotten`() throws {
    for number in 1...5 {
      let store = try bench.store(boot: "boot-\(number)")
      _ = store.write(StoreBatch(memories: ["p": Bench.memory(number)]), at: Bench.moment(100))
      store.close()
    }
    try bench.store().close()
    let database = try Database(bench.file)
    #expect(try database.integer("SELECT count(*) FROM boots") == 1)
  }

  @Test func `a memory that is too large leaves the last one that was not, and is told once`()
    throws
  {
    var store = try bench.store()
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    let large = StoreBatch(memories: ["p": Bench.memory(2, size: PolicyMemory.bytesMax)])
    let notices = store.write(large, at: Bench.moment(100))
    #expect(notices.map(\.kind) == [.tooLarge])
    #expect(notices.first?.message.contains("the policy 'p'") == true)
    #expect(store.write(large, at: Bench.moment(100)).isEmpty)
    store.close()
    store = try bench.store()
    #expect(store.recall(at: Bench.moment(100)).memories["p"] == Bench.memory(1))
  }

  @Test func `the log stays bounded even when no moment is idle`() throws {
    let store = try bench.store()
    // Each writes three pages.
    for number in 0..<2000 {
      _ = store.write(
        StoreBatch(
          memories: ["p": Bench.memory(number)],
          history: [HistoryEntry(at: WallTime(), policy: "p", event: "e")]),
        at: Bench.moment(100))
    }
    #expect(bench.size(bench.log) > 8 << 20)
    #expect(bench.size(bench.log) < 18 << 20)
    #expect(bench.size(bench.file) < 1 << 20)
  }

  @Test func `an idle checkpoint brings the log over, and it begins anew`() throws {
    let store = try bench.store()
    for number in 0..<20 {
      _ = store.write(
        StoreBatch(memories: ["p": Bench.memory(number, size: 100_000)]), at: Bench.moment(100))
    }
    #expect(bench.size(bench.log) > 2 << 20)
    #expect(store.checkpoint(at: Bench.moment(100)).isEmpty)
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    #expect(bench.size(bench.log) <= 1 << 20)
  }

  @Test func `a store that is to keep nothing says nothing and makes nothing`() throws {
    let store = PolicyStore.keepingNothing(bootID: "b", at: Bench.moment(1))
    let batch = StoreBatch(memories: ["p": Bench.memory(1)])
    #expect(store.write(batch, at: Bench.moment(100)).isEmpty)
    #expect(store.tryAgain(at: Bench.moment(1000)).isEmpty)
    #expect(store.checkpoint(at: Bench.moment(1000)).isEmpty)
    #expect(!store.isDurable)
  }

  @Test func `the kernel gives this boot a name`() { #expect(BootID.read().utf8.count == 36) }
}
