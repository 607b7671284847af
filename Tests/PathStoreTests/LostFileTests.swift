import Foundation
import PathCore
import Testing

@testable import PathStore

/// Files of the store that somebody removes or replaces while it is in use.
struct LostFileTests {
  let bench = Bench()

  private static let earlier = StoreBatch(
    memories: ["p": Bench.memory(1), "q": Bench.memory(2)],
    history: [HistoryEntry(at: Bench.moment(100).wall, policy: "p", event: "earlier")])
  private static let later = StoreBatch(
    memories: ["q": Bench.memory(3)],
    history: [HistoryEntry(at: Bench.moment(101).wall, policy: "q", event: "later")])

  private func expectAll(_ store: PolicyStore) throws {
    // As after a kill: nothing is brought over any more.
    store.close()
    let again = try bench.store()
    #expect(
      again.recall(at: Bench.moment(100)).memories
        == ["p": Bench.memory(1), "q": Bench.memory(3)])
    #expect(again.history().map(\.event) == ["earlier", "later"])
  }

  private func remove(_ names: [String]) throws {
    for name in names { try FileManager.default.removeItem(atPath: "\(bench.root)/\(name)") }
  }

  @Test(arguments: [
    ["state"], ["state/netvane.db"], ["state/netvane.db-wal"], ["state/netvane.lock"],
    ["state/netvane.db", "state/netvane.db-wal"],
  ])
  func `what was removed is there again after the next write, with all that it held`(
    names: [String]
  ) throws {
    let store = try bench.store()
    #expect(store.write(Self.earlier, at: Bench.moment(100)) == [])
    try remove(names)
    let notices = store.write(Self.later, at: Bench.moment(101))
    #expect(notices.map(\.kind) == [.rewritten])
    #expect(
      notices.first?.message
        == "\(bench.file): it was removed or replaced while netvane was running; all that "
        + "policies keep was written anew")
    #expect(store.isDurable && store.nextAttempt == nil)
    // Said once.
    #expect(store.write(StoreBatch(forgotten: ["r"]), at: Bench.moment(102)) == [])
    try expectAll(store)
  }

  @Test func `an idle moment notices it too`() throws {
    let store = try bench.store()
    _ = store.write(Self.earlier, at: Bench.moment(100))
    _ = store.write(Self.later, at: Bench.moment(100))
    try remove(["state"])
    #expect(store.checkpoint(at: Bench.moment(101)).map(\.kind) == [.rewritten])
    #expect(store.checkpoint(at: Bench.moment(101)) == [])
    try expectAll(store)
  }

  @Test func `another store in its place is taken over, and what is known here counts`() throws {
    let store = try bench.store()
    _ = store.write(Self.earlier, at: Bench.moment(100))
    rename(bench.directory, bench.directory + "-away")
    let other = try bench.store()
    _ = other.write(
      StoreBatch(memories: ["q": Bench.memory(9), "z": Bench.memory(10)]), at: Bench.moment(90))
    other.close()
    #expect(store.write(Self.later, at: Bench.moment(101)).map(\.kind) == [.rewritten])
    store.close()
    #expect(
      try bench.store().recall(at: Bench.moment(101)).memories
        == ["p": Bench.memory(1), "q": Bench.memory(3), "z": Bench.memory(10)])
  }

  @Test func `rubbish in its place is set aside`() throws {
    let store = try bench.store()
    _ = store.write(Self.earlier, at: Bench.moment(100))
    try remove(["state/netvane.db", "state/netvane.db-wal"])
    try bench.write(bench.file, [UInt8](repeating: 0x5A, count: 9000))
    #expect(store.write(Self.later, at: Bench.moment(101)).map(\.kind) == [.setAside, .rewritten])
    #expect(bench.names.contains("netvane.db.broken-1"))
    try expectAll(store)
  }

  @Test func `where nothing can be made in its place, that is said with it, and tried again`()
    throws
  {
    let store = try bench.store()
    _ = store.write(Self.earlier, at: Bench.moment(100))
    try remove(["state"])
    // A file where the directory should be.
    _ = FileManager.default.createFile(atPath: bench.directory, contents: nil)
    let notices = store.write(Self.later, at: Bench.moment(101))
    #expect(notices.map(\.kind) == [.degraded])
    #expect(notices.first?.message.contains("removed or replaced") == true)
    #expect(notices.first?.message.contains("in memory only for now") == true)
    #expect(store.write(StoreBatch(forgotten: ["r"]), at: Bench.moment(102)) == [])
    unlink(bench.directory)
    #expect(store.tryAgain(at: Bench.moment(161)).map(\.kind) == [.restored])
    try expectAll(store)
  }

  @Test func `a store that nobody touches is left alone`() throws {
    let store = try bench.store()
    for number in 0..<50 {
      let batch = StoreBatch(memories: ["p": Bench.memory(number, size: 50_000)])
      #expect(store.write(batch, at: Bench.moment(100)) == [])
      if number % 10 == 0 { #expect(store.checkpoint(at: Bench.moment(100)) == []) }
    }
    let identity = StoreFolder.Identity(bench.file)
    #expect(store.write(Self.later, at: Bench.moment(101)) == [])
    #expect(StoreFolder.Identity(bench.file) == identity)
    store.close()
  }
}
