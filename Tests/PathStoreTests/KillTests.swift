import Foundation
import PathCore
import PathTestKit
import Testing

@testable import PathStore

/// What a committed batch is worth: a process that is killed anywhere has lost nothing it was told
/// is kept, and has left nothing half done.
struct KillTests {
  let bench = Bench()

  @Test func `kill -9 loses no batch whose write returned, and leaves none in part`() throws {
    var random = SplitMix64(seed: 7)
    var last = 0
    for _ in 0..<15 {
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
    let child = try Child(["hold", bench.directory])
    #expect(child.line() == "opened")
    #expect(child.line() == "holding")
    #expect(bench.refusal()?.contains("is in use by another netvane (process ") == true)
    child.kill()
    try bench.store().close()
  }

  @Test func `a closed store does not leave its lock to a child that is just being started`() throws
  {
    let store = try bench.store()
    let name = (bench.root as NSString).lastPathComponent
    // Between its fork and its program a child has all descriptors, this one too.
    let copies = (0..<1024).filter { descriptor in
      let link = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(descriptor)")
      return link?.hasSuffix("\(name)/state/netvane.lock") == true
    }.map { dup(Int32($0)) }
    #expect(copies.count == 1)
    store.close()
    try bench.store().close()
    for copy in copies { close(copy) }
  }

  @Test func `a second instance is turned away with the directory's name, and changes nothing`()
    throws
  {
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
