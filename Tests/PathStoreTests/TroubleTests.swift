import Foundation
import PathCore
import Testing

@testable import PathStore

/// A disk that is full, cannot be written or goes away; and who may write where the store lies.
struct TroubleTests {
  let bench = Bench()

  // MARK: In memory, and back

  @Test func `files that may not grow: told once, kept in memory, written when they may`() throws {
    try expectRecovery(
      try Child(["small-files", bench.directory]).lines(), reason: "it may not grow any more")
    try expectKept("child")
  }

  @Test(.enabled(if: Child.canMount))
  func `a full disk: told once, kept in memory, written when there is room`() throws {
    mkdir(bench.directory, 0o700)
    let lines = try Child.onTmpfs(
      ["full-disk", bench.directory], bench.directory, options: "size=1m,mode=700")
    try expectRecovery(lines, reason: "the disk is full")
  }

  @Test(.enabled(if: Child.canMount))
  func `a disk that is full from the start keeps nothing from working`() throws {
    mkdir(bench.directory, 0o700)
    let lines = try Child.onTmpfs(
      ["full-from-the-start", bench.directory], bench.directory, options: "size=1m,mode=700")
    #expect(lines.first?.hasPrefix("memory ") == true, "\(lines)")
    #expect(lines.first?.contains("the disk is full") == true, "\(lines)")
    #expect(lines.dropFirst().first == "durable false", "\(lines)")
    #expect(lines.contains("durable true"), "\(lines)")
  }

  @Test(.enabled(if: Child.canMount))
  func `what was kept can be read on a disk that is full, out of a log that was left behind`()
    throws
  {
    mkdir(bench.directory, 0o700)
    let lines = try Child.onTmpfs(
      ["full-restart", bench.directory], bench.directory, options: "size=1m,mode=700",
      before: "\"$0\" crash \"$2/state\" >/dev/null 2>&1; test -s \"$2/state/netvane.db-wal\"")
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0] == "opened")
    #expect(lines[1] == "kept 2")
    #expect(lines[2].contains("the disk is full"), "\(lines)")
  }

  @Test func `a file that another program has open is waited for, in memory`() throws {
    try bench.fill()
    var other: Database? = try Database(bench.file)
    try other?.run(["BEGIN IMMEDIATE", "DELETE FROM history"])
    let opening = PolicyStore.open(
      directory: bench.directory, bootID: "boot-1", at: Bench.moment(100))
    guard case .inMemory(let store, let message) = opening else {
      Issue.record("\(opening)")
      return
    }
    #expect(message.contains("another program has it open"))
    #expect(store.tryAgain(at: Bench.moment(160)).isEmpty)
    other = nil
    #expect(store.tryAgain(at: Bench.moment(219)).isEmpty)
    #expect(store.tryAgain(at: Bench.moment(220)).map(\.kind) == [.restored])
    #expect(store.recall(at: Bench.moment(220)).memories.count == 20)
  }

  private func expectRecovery(_ lines: [String], reason: String) throws {
    try #require(lines.count == 6, "\(lines)")
    #expect(lines[0] == "opened")
    #expect(lines[1].hasPrefix("degraded \(bench.directory)"), "\(lines)")
    #expect(lines[1].contains(reason), "\(lines)")
    // Not before a minute is over.
    #expect(lines[2] == "durable false", "\(lines)")
    #expect(lines[3].hasPrefix("restored \(bench.directory)"), "\(lines)")
    #expect(lines[4] == "durable true", "\(lines)")
  }

  private func expectKept(_ boot: String) throws {
    let store = try bench.store(boot: boot)
    let kept = try #require(store.recall(at: Bench.moment(62)).memories["policy"]).version
    #expect(kept > 3)
    #expect(store.history().suffix(3).map(\.event) == (kept - 2...kept).map { "\($0)" })
  }

  @Test func `a store that reached its greatest size goes on in memory`() throws {
    let opening = PolicyStore.open(
      directory: bench.directory, bootID: "b", at: Bench.moment(1), schema: .current, pagesMax: 60)
    guard case .opened(let store) = opening else {
      Issue.record("\(opening)")
      return
    }
    var notices: [StoreNotice] = []
    for number in 0..<20 {
      notices += store.write(
        StoreBatch(memories: ["p\(number)": Bench.memory(number, size: 50_000)]),
        at: Bench.moment(2))
    }
    #expect(notices.map(\.kind) == [.degraded])
    #expect(store.recall(at: Bench.moment(2)).memories.count == 20)
    // Policies go, and there is room again.
    let gone = Set((2..<20).map { "p\($0)" })
    notices = store.write(StoreBatch(forgotten: gone), at: Bench.moment(100))
    #expect(notices.map(\.kind) == [.restored])
    store.close()
    #expect(Set(try bench.store().recall(at: Bench.moment(2)).memories.keys) == ["p0", "p1"])
  }

  @Test(.enabled(if: Child.canMount))
  func `a file system that can only be read: told once, and why`() throws {
    mkdir(bench.directory, 0o700)
    let lines = try Child.onTmpfs(
      ["once", bench.directory], bench.directory, options: "ro,mode=700")
    #expect(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("memory \(bench.directory)"), "\(lines)")
    #expect(lines[0].contains("can only be read"), "\(lines)")
    #expect(lines[1] == "durable false")
  }

  @Test func `a directory without permission: told, and in memory`() throws {
    // A user's own where a user runs the test, nobody's where root does.
    mkdir(bench.directory, 0o500)
    if geteuid() == 0 { chown(bench.directory, 65534, 65534) }
    defer { chmod(bench.directory, 0o700) }
    let lines = try Child(["as-nobody", bench.directory]).lines()
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasPrefix("memory \(bench.directory)"), "\(lines)")
    #expect(lines[0].contains("there is no permission to write it"), "\(lines)")
    #expect(lines[1] == "durable false")
  }

  @Test func `a file that is damaged while in use is set aside, and nothing is lost`() throws {
    let store = try bench.store()
    func batch(_ number: Int, size: Int) -> StoreBatch {
      StoreBatch(memories: ["p\(number)": Bench.memory(number, size: size)])
    }
    for number in 0..<40 {
      // More than the cache holds, so that the file will be read.
      let notices = store.write(batch(number, size: 60_000), at: Bench.moment(100))
      #expect(notices.isEmpty)
    }
    #expect(store.checkpoint(at: Bench.moment(100)).isEmpty)
    let file = try FileHandle(forUpdating: URL(filePath: bench.file))
    try file.write(contentsOf: Data(repeating: 0x5A, count: bench.size(bench.file)))
    try file.close()
    var notices: [StoreNotice] = []
    for number in 0..<40 {
      notices += store.write(batch(number, size: 70_000), at: Bench.moment(100))
    }
    #expect(notices.map(\.kind) == [.degraded])
    #expect(store.tryAgain(at: Bench.moment(160)).map(\.kind) == [.setAside, .restored])
    store.close()
    let memories = try bench.store().recall(at: Bench.moment(160)).memories
    #expect(memories.count == 40)
    #expect(memories["p7"] == Bench.memory(7, size: 70_000))
    #expect(bench.names.contains("netvane.db.broken-1"))
  }

  @Test func `what came late is joined with what the file had, and the newer counts`() throws {
    try bench.fill()
    chmod(bench.directory, 0o777)
    // Refused at the start, so the store is opened elsewhere and meets the file later.
    #expect(bench.refusal() != nil)
    chmod(bench.directory, 0o700)
    rename(bench.directory, bench.directory + "-away")
    // A file where the directory should be is a trouble that may pass.
    _ = FileManager.default.createFile(atPath: bench.directory, contents: nil)
    let opening = PolicyStore.open(
      directory: bench.directory + "/inner", bootID: "boot-1", at: Bench.moment(100))
    guard case .inMemory(let store, let message) = opening else {
      Issue.record("\(opening)")
      return
    }
    #expect(message.contains("not a directory"))
    _ = store.write(StoreBatch(memories: ["policy-1": Bench.memory(99)]), at: Bench.moment(101))
    _ = store.write(StoreBatch(forgotten: ["policy-2"]), at: Bench.moment(102))
    unlink(bench.directory)
    mkdir(bench.directory, 0o700)
    rename(bench.directory + "-away", bench.directory + "/inner")
    #expect(store.tryAgain(at: Bench.moment(159)).isEmpty)
    #expect(store.tryAgain(at: Bench.moment(160)).map(\.kind) == [.restored])
    let memories = store.recall(at: Bench.moment(160)).memories
    #expect(memories.count == 19)
    #expect(memories["policy-1"] == Bench.memory(99))
    #expect(memories["policy-2"] == nil)
  }

  // MARK: Whose it is

  @Test func `a directory that others may write is refused, with the command that helps`() throws {
    try bench.fill()
    for mode: mode_t in [0o777, 0o770, 0o702] {
      chmod(bench.directory, mode)
      #expect(bench.refusal()?.contains("chmod go-w \(bench.directory)") == true)
    }
    // What a service manager makes: others may look, but not write.
    chmod(bench.directory, 0o755)
    try bench.store().close()
  }

  @Test(arguments: ["netvane.db", "netvane.db-wal"])
  func `a file that others may write is refused`(name: String) throws {
    try bench.fill()
    let path = "\(bench.directory)/\(name)"
    if name.hasSuffix("-wal") { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    chmod(path, 0o622)
    #expect(bench.refusal()?.contains("chmod go-w \(path)") == true)
  }

  @Test func `a file that others may read is made private`() throws {
    try bench.fill()
    chmod(bench.file, 0o644)
    try bench.store().close()
    #expect(bench.mode(bench.file) == 0o600)
  }

  @Test(arguments: ["netvane.db", "netvane.db-wal", "netvane.lock"])
  func `a link in a file's place is refused, wherever it leads`(name: String) throws {
    try bench.fill()
    let path = "\(bench.directory)/\(name)"
    for target in ["\(bench.root)/elsewhere", "/dev/null", "/etc/passwd"] {
      unlink(path)
      #expect(symlink(target, path) == 0)
      let message = try #require(bench.refusal())
      #expect(message.hasPrefix("\(path) is a link"), "\(message)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(bench.root)/elsewhere"))
  }

  @Test func `a directory may be reached by a link, as service managers make them`() throws {
    mkdir("\(bench.root)/private", 0o700)
    #expect(symlink("private", bench.directory) == 0)
    try bench.fill()
    #expect(FileManager.default.fileExists(atPath: "\(bench.root)/private/netvane.db"))
  }

  @Test(.enabled(if: geteuid() == 0)) func `root does not trust a user's directory`() throws {
    mkdir(bench.directory, 0o700)
    chown(bench.directory, 65534, 65534)
    #expect(bench.refusal()?.contains("belongs to user 65534, not to user 0") == true)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func `every directory on the way to the state counts, over a link too`() throws {
    try bench.fill()
    chown(bench.root, 1000, 1000)
    #expect(
      bench.refusal() == "\(bench.root) belongs to user 1000; it must be root's or yours: "
        + "chown root \(bench.root), or choose another directory with --state")
    chown(bench.root, 0, 0)
    chmod(bench.root, 0o777)
    #expect(bench.refusal()?.contains("everybody may write into \(bench.root);") == true)
    // Nothing is made where anybody could lead it elsewhere.
    let opening = PolicyStore.open(
      directory: bench.root + "/new/state", bootID: "b", at: Bench.moment(1))
    guard case .refused = opening else {
      Issue.record("\(opening)")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: bench.root + "/new"))
    chmod(bench.root, 0o755)
    let hop = bench.root + "/hop"
    mkdir(hop, 0o755)
    rename(bench.directory, bench.root + "/real")
    #expect(symlink("real", bench.directory) == 0)
    try bench.store().close()
    unlink(bench.directory)
    #expect(symlink("../real", hop + "/state") == 0 && symlink("hop/state", bench.directory) == 0)
    try bench.store().close()
    chmod(hop, 0o777)
    #expect(bench.refusal()?.contains("everybody may write into \(hop);") == true)
  }

  @Test func `directories are made on the way, for their owner alone`() throws {
    let opening = PolicyStore.open(
      directory: bench.root + "/a/b/c", bootID: "b", at: Bench.moment(1))
    guard case .opened = opening else {
      Issue.record("\(opening)")
      return
    }
    for name in ["a", "a/b", "a/b/c"] { #expect(bench.mode("\(bench.root)/\(name)") == 0o700) }
  }
}
