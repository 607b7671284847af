import Glibc
import PathCore
import Testing

@testable import PathStore

/// The accepted texts of policies, beside what the policies keep.
struct TextTests {
  let bench = Bench()
  private let text = StoredText(hash: "0123", bytes: [1, 0, 255])
  private let now = Bench.moment(101)

  private func kept() throws -> [String: StoredText] {
    let store = try bench.store()
    defer { store.close() }
    return store.texts
  }

  @Test func `a text is there in the next run, and the newer one takes its place`() throws {
    var store = try bench.store()
    _ = store.write(StoreBatch(texts: ["a": text, "b": text]), at: now)
    store.close()
    #expect(try kept() == ["a": text, "b": text])
    let newer = StoredText(hash: "4567", bytes: [2])
    store = try bench.store()
    _ = store.write(StoreBatch(texts: ["a": newer]), at: now)
    store.close()
    #expect(try kept() == ["a": newer, "b": text])
  }

  @Test func `a text is forgotten with its memory, and alone when that is asked`() throws {
    let store = try bench.store()
    let memories = ["a": Bench.memory(1), "b": Bench.memory(2)]
    _ = store.write(
      StoreBatch(memories: memories, texts: ["a": text, "b": text, "c": text]), at: now)
    _ = store.write(StoreBatch(forgotten: ["a"], forgottenTexts: ["b"]), at: now)
    store.close()
    #expect(try kept() == ["c": text])
    #expect(Array(try bench.store().recall(at: now).memories.keys) == ["b"])
  }

  @Test func `a file from before there were texts keeps its memories and takes texts`() throws {
    var older = Schema.current
    older.steps.removeLast()
    let memories = try bench.fill()
    do {
      let database = try Database(bench.file)
      try database.run(Database.setUp)
      try database.run(["DROP TABLE texts", "PRAGMA user_version = \(older.steps.count)"])
      try older.apply(to: database)
    }
    let store = try bench.store()
    _ = store.write(StoreBatch(texts: ["a": text]), at: now)
    store.close()
    #expect(try kept() == ["a": text])
    #expect(try bench.store().recall(at: now).memories == memories)
  }

  @Test func `of a text that is too large nothing is kept, the older one neither`() throws {
    let store = try bench.store()
    _ = store.write(StoreBatch(texts: ["a": text]), at: now)
    let large = StoredText(hash: "h", bytes: [UInt8](repeating: 7, count: StoredText.bytesMax + 1))
    _ = store.write(StoreBatch(texts: ["a": large]), at: now)
    #expect(store.texts.isEmpty)
    let most = StoredText(hash: "h", bytes: [UInt8](repeating: 7, count: StoredText.bytesMax))
    for number in 10..<40 { _ = store.write(StoreBatch(texts: ["\(number)": most]), at: now) }
    #expect(store.texts.count == StoredText.totalMax / StoredText.bytesMax)
    store.close()
    #expect(try kept().count == StoredText.totalMax / StoredText.bytesMax)
  }

  @Test func `a row that nobody could have written is as if it were not there`() throws {
    let store = try bench.store()
    _ = store.write(StoreBatch(texts: ["a": text, "b": text, "c": text]), at: now)
    _ = store.checkpoint(at: now)
    store.close()
    do {
      let database = try Database(bench.file)
      try database.run([
        "UPDATE texts SET text = zeroblob(2000000) WHERE policy = 'a'",
        "UPDATE texts SET hash = '' WHERE policy = 'b'",
      ])
    }
    #expect(try kept() == ["c": text])
  }

  @Test func `texts that could not be written are, with the rest, when the file is back`() throws {
    let store = try bench.store()
    _ = store.write(StoreBatch(texts: ["a": text]), at: now)
    unlink(bench.file)
    _ = store.write(StoreBatch(texts: ["b": text]), at: now)
    store.close()
    #expect(try kept() == ["a": text, "b": text])
  }
}
