import PathCore
import PathTestKit
import Testing

@testable import PathStore

/// What a committed batch is worth: a process that is killed anywhere has lost nothing it was told
/// is kept, and has left nothing half done.
struct KillTests {
  @Test func `kill -9 loses no batch whose write returned, and leaves none in part`() throws {
    let bench = Bench()
    var random = SplitMix64(seed: 7)
    var last = 0
    for _ in 0..<25 {
      let child = try Child(["loop", bench.directory])
      #expect(child.line() == "opened")
      let wanted = Int.random(in: 1...120, using: &random)
      for _ in 0..<wanted {
        guard let line = child.line(), let number = Int(line) else { break }
        last = number
      }
      child.kill()
      for line in child.lines() { last = Int(line) ?? last }
      let store = try bench.store(boot: "child")
      let stored = store.recall(at: Bench.moment(1))
      let kept = Int(stored.memories["policy"]?.version ?? 0)
      // The last one may have been written and not yet been told.
      #expect((last...last + 1).contains(kept), "told \(last), kept \(kept)")
      #expect(store.history().last?.event == "\(kept)")
      store.close()
      last = kept
    }
    #expect(bench.names.filter { $0.contains("broken") }.isEmpty)
  }

  @Test func `the lock of a killed process is gone with it`() throws {
    let bench = Bench()
    let child = try Child(["hold", bench.directory])
    #expect(child.line() == "opened")
    #expect(child.line() == "holding")
    #expect(bench.refusal()?.contains("is in use by another netvane (process ") == true)
    child.kill()
    try bench.store().close()
  }

  @Test func `a second instance is turned away with the directory's name, and changes nothing`()
    throws
  {
    let bench = Bench()
    let store = try bench.store()
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(1)]), at: Bench.moment(100))
    let child = try Child(["once", bench.directory])
    let lines = child.lines()
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasPrefix("refused \(bench.directory) is in use by another netvane") == true)
    #expect(bench.refusal()?.contains("--state") == true)
    _ = store.write(StoreBatch(memories: ["p": Bench.memory(2)]), at: Bench.moment(100))
    store.close()
    #expect(
      try bench.store().recall(at: Bench.moment(100)).memories["p"] == Bench.memory(2))
  }
}
