internal import Glibc
package import PathCore

/// Keeps what policies must not forget, in one SQLite file. Whatever the disk does, those who write
/// go on: what cannot be written is kept in memory, and written when that is possible again.
///
/// For one thread. It keeps no time: it is told.
package final class PolicyStore {
  /// What became of opening a store.
  package enum Opening {
    case opened(PolicyStore)
    /// The file was damaged. It is kept under another name; a new one was begun.
    case renewed(PolicyStore, message: String)
    /// Nothing can be kept at present; goes on in memory and tries again.
    case inMemory(PolicyStore, message: String)
    /// Nothing was touched. Somebody has to decide.
    case refused(message: String)
  }

  /// Between two attempts to open a store that could not be written.
  package static let patience = Duration.seconds(60)

  /// Nil for a store that is to keep nothing.
  private var directory: String?
  private let bootID: String
  private let schema: Schema
  private let pagesMax: Int
  private var folder: StoreFolder?
  private var ledger: Ledger?
  private var files: StoreFolder.Files?
  /// Everything that is to be kept, whether it could be written or not.
  private var rows: [String: Ledger.Row] = [:]
  /// The clocks of each boot that a row is of, at the last write in it.
  private var stamps: [String: BootStamp] = [:]
  /// The texts that were accepted, whether they could be written or not.
  package private(set) var texts: [String: StoredText] = [:]
  private var unwritten = Ledger.Entry()
  private var hasNewInLog = false
  /// When the next attempt may be made, by the boot clock; nil while all is well.
  package private(set) var nextAttempt: Duration?
  /// Why nothing can be written, as it was told.
  private var complaint = ""
  private var aside: String?
  private var tooLarge: Set<String> = []

  /// Opens the store in a directory, which is made when it is missing. `bootID` is the kernel's
  /// name for this boot, `now` its clocks.
  package static func open(directory: String, bootID: String, at now: Moment) -> Opening {
    open(directory: directory, bootID: bootID, at: now, schema: .current)
  }

  static func open(
    directory: String, bootID: String, at now: Moment, schema: Schema,
    pagesMax: Int = Database.pagesMax
  ) -> Opening {
    let store = PolicyStore(
      directory, bootID: bootID, at: now, schema: schema, pagesMax: pagesMax)
    do throws(StoreTrouble) {
      try store.attach()
      if let aside = store.takeAside() {
        return .renewed(store, message: "\(aside.message); policies start without what it held")
      }
      return .opened(store)
    } catch {
      let said = (store.takeAside().map { [$0.message] } ?? [])
      if error.kind == .refused {
        return .refused(
          message: (said + [error.named(store.place).message]).joined(separator: ". "))
      }
      let fall = store.fall(error, at: now)
      return .inMemory(store, message: (said + [fall.message]).joined(separator: ". "))
    }
  }

  /// A store that keeps nothing, as asked for.
  package static func keepingNothing(bootID: String, at now: Moment) -> PolicyStore {
    PolicyStore(nil, bootID: bootID, at: now, schema: .current, pagesMax: 0)
  }

  private init(
    _ directory: String?, bootID: String, at now: Moment, schema: Schema, pagesMax: Int
  ) {
    self.directory = directory
    // A boot without a name is like no other.
    self.bootID = bootID.isEmpty ? "unknown at \(now.wall.unixNanoseconds)" : bootID
    self.schema = schema
    self.pagesMax = pagesMax
  }

  package var isDurable: Bool { ledger != nil }

  /// Lets go of the file and of the directory's lock. What is written from here on is not kept.
  package func close() {
    ledger = nil
    folder = nil
    directory = nil
  }

  // MARK: Reading

  /// What is known of each policy, by the clocks of now.
  package func recall(at now: Moment) -> StoredPolicies {
    let present = BootStamp(bootID: bootID, at: now)
    var stored = StoredPolicies()
    for (policy, row) in rows {
      if let stamp = stamps[row.boot], let memory = PolicyMemory(bytes: row.bytes) {
        stored.memories[policy] = memory.translated(from: stamp, to: present)
      } else {
        stored.damaged.append(policy)
      }
    }
    stored.damaged.sort()
    stored.isAfterReboot = !stamps.isEmpty && stamps[bootID] == nil
    return stored
  }

  /// The last entries of the history, oldest first.
  package func history(limit: Int = HistoryEntry.kept) -> [HistoryEntry] {
    let written = (try? ledger?.history(limit: limit)) ?? []
    return (written + unwritten.history).suffix(max(0, limit))
  }

  // MARK: Writing

  /// Writes what one turn of the loop changed, in one transaction, and says what people should
  /// know. Never fails: what could not be written is kept, and written with a later batch.
  ///
  /// It does not wait for the disk. A process that is killed takes nothing with it that was
  /// written; a power cut may take what came after the last checkpoint, in whole batches.
  package func write(_ batch: StoreBatch, at now: Moment) -> [StoreNotice] {
    var notices = take(batch, at: now)
    guard directory != nil else { return notices }
    if let lost = replaceLost(at: now) { return notices + lost }
    if ledger == nil { return notices + tryAgain(at: now) }
    do throws(StoreTrouble) {
      try flush()
    } catch {
      notices.append(fall(error, at: now))
    }
    return notices
  }

  /// Tries again to open a store that could not be written, at most once a minute.
  package func tryAgain(at now: Moment) -> [StoreNotice] {
    guard directory != nil, ledger == nil, now.boot >= nextAttempt ?? .zero else { return [] }
    do throws(StoreTrouble) {
      try writeAnew(at: now)
      let back = StoreNotice(
        kind: .restored,
        message: "\(place): it can be written again; what was kept in memory is stored now")
      return [takeAside(), back].compactMap(\.self)
    } catch {
      let before = complaint
      let notice = fall(error, at: now)
      return [takeAside(), complaint == before ? nil : notice].compactMap(\.self)
    }
  }

  private func writeAnew(at now: Moment) throws(StoreTrouble) {
    try attach()
    stamps[bootID] = BootStamp(bootID: bootID, at: now)
    unwritten.rows = rows
    unwritten.stamps = Array(stamps.values)
    unwritten.texts = texts
    try flush(evenIfEmpty: true)
    complaint = ""
  }

  /// Writes all that is known into a new file where somebody removed or replaced the one that is
  /// open: what goes on being written into that one nobody would find again. Nil when all is well.
  private func replaceLost(at now: Moment) -> [StoreNotice]? {
    guard letGoOfLost() else { return nil }
    let lost = "\(place): it was removed or replaced while netvane was running"
    do throws(StoreTrouble) {
      try writeAnew(at: now)
      let message = "\(lost); all that policies keep was written anew"
      return [takeAside(), StoreNotice(kind: .rewritten, message: message)].compactMap(\.self)
    } catch {
      let fall = fall(error, at: now)
      let notice = StoreNotice(kind: .degraded, message: "\(lost). \(fall.message)")
      return [takeAside(), notice].compactMap(\.self)
    }
  }

  /// Brings the write-ahead log over into the file: for an idle moment, since it waits for the
  /// disk.
  package func checkpoint(at now: Moment) -> [StoreNotice] {
    if let lost = replaceLost(at: now) { return lost }
    guard let ledger else { return [] }
    do throws(StoreTrouble) {
      guard hasNewInLog else { return [] }
      try ledger.checkpoint()
      hasNewInLog = false
      return []
    } catch {
      return [fall(error, at: now)]
    }
  }

  private func take(_ batch: StoreBatch, at now: Moment) -> [StoreNotice] {
    var notices: [StoreNotice] = []
    for policy in batch.forgotten where rows.removeValue(forKey: policy) != nil || ledger == nil {
      unwritten.rows[policy] = nil
      unwritten.forgotten.insert(policy)
    }
    for (policy, memory) in batch.memories {
      let row = Ledger.Row(boot: bootID, bytes: memory.bytes)
      guard row.bytes.count <= PolicyMemory.bytesMax else {
        if tooLarge.insert(policy).inserted { notices.append(Self.tooLarge(policy, row)) }
        continue
      }
      tooLarge.remove(policy)
      guard rows[policy] != row else { continue }
      rows[policy] = row
      unwritten.rows[policy] = row
      unwritten.forgotten.remove(policy)
    }
    unwritten.history.append(contentsOf: batch.history)
    if unwritten.history.count > HistoryEntry.kept {
      unwritten.history.removeFirst(unwritten.history.count - HistoryEntry.kept)
    }
    takeTexts(batch)
    let stamp = BootStamp(bootID: bootID, at: now)
    stamps[bootID] = stamp
    unwritten.stamps = [stamp]
    return notices
  }

  /// Of a text that is too large for its place nothing is kept, an older one neither: that would
  /// be run instead of it.
  private func takeTexts(_ batch: StoreBatch) {
    for policy in batch.forgotten.union(batch.forgottenTexts) { forgetText(policy) }
    for (policy, text) in batch.texts.sorted(by: { $0.key < $1.key }) where texts[policy] != text {
      let others = texts.reduce(0) { $0 + ($1.key == policy ? 0 : $1.value.bytes.count) }
      guard text.isWithinBounds, others + text.bytes.count <= StoredText.totalMax else {
        forgetText(policy)
        continue
      }
      texts[policy] = text
      unwritten.texts[policy] = text
      unwritten.forgottenTexts.remove(policy)
    }
  }

  private func forgetText(_ policy: String) {
    guard texts.removeValue(forKey: policy) != nil || ledger == nil else { return }
    unwritten.texts[policy] = nil
    unwritten.forgottenTexts.insert(policy)
  }

  private static func tooLarge(_ policy: String, _ row: Ledger.Row) -> StoreNotice {
    StoreNotice(
      kind: .tooLarge,
      message: "what the policy '\(policy)' keeps takes \(row.bytes.count) bytes; at most "
        + "\(PolicyMemory.bytesMax) are stored, so its last smaller state stays")
  }

  private func flush(evenIfEmpty: Bool = false) throws(StoreTrouble) {
    guard let ledger else { return }
    if unwritten.isEmpty, !evenIfEmpty { return }
    try ledger.write(unwritten)
    unwritten = Ledger.Entry()
    hasNewInLog = true
  }

  // MARK: Having a file or not

  private var place: String { (directory ?? "") + "/" + StoreFolder.fileName }

  /// Opens the file and takes over what it knows beyond what is known here.
  private func attach() throws(StoreTrouble) {
    guard let directory else { return }
    let folder: StoreFolder
    if let known = self.folder { folder = known } else { folder = try StoreFolder(directory) }
    self.folder = folder
    let opened: Ledger
    do throws(StoreTrouble) {
      opened = try open(folder)
    } catch {
      guard error.kind == .damaged else { throw error }
      let name = try folder.setAside()
      aside =
        "\(place): it was damaged (\(error.message)). It is kept as \(name), and a new one is "
        + "begun"
      opened = try open(folder)
    }
    folder.makePrivate()
    ledger = opened
    files = folder.files
    nextAttempt = nil
    for (policy, row) in opened.rows
    where rows[policy] == nil && !unwritten.forgotten.contains(policy) {
      rows[policy] = row
    }
    stamps.merge(opened.stamps) { known, _ in known }
    for (policy, text) in opened.texts
    where texts[policy] == nil && !unwritten.forgottenTexts.contains(policy) {
      texts[policy] = text
    }
  }

  /// What was set aside and not told of yet, whatever became of the opening after it.
  private func takeAside() -> StoreNotice? {
    defer { aside = nil }
    return aside.map { StoreNotice(kind: .setAside, message: $0) }
  }

  private func open(_ folder: StoreFolder) throws(StoreTrouble) -> Ledger {
    try folder.makeFile()
    return try Ledger(folder.file, schema: schema, pagesMax: pagesMax)
  }

  /// Lets go of a file that is not in its place any more, and of the lock: whether there was one.
  private func letGoOfLost() -> Bool {
    guard let folder, let files, ledger != nil, !folder.owns(files) else { return false }
    if !folder.hasDatabase(of: files) {
      // It can be read as long as it is open.
      let kept = (try? ledger?.history(limit: HistoryEntry.kept)) ?? []
      unwritten.history = (kept + unwritten.history).suffix(HistoryEntry.kept)
    }
    letGo()
    folder.removeOrphan(of: files)
    self.folder = nil
    return true
  }

  private func letGo() {
    ledger = nil
    files = nil
    hasNewInLog = false
  }

  /// Goes on in memory.
  private func fall(_ trouble: StoreTrouble, at now: Moment) -> StoreNotice {
    nextAttempt = now.boot + Self.patience
    letGo()
    complaint = trouble.named(place).message
    return StoreNotice(
      kind: .degraded,
      message: "\(complaint); what policies keep is in memory only for now, and a new attempt is "
        + "made every minute")
  }
}
