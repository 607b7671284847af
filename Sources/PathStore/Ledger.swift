internal import CSQLite
internal import PathCore

/// The open database of a store: reads it all at the start, then only writes.
final class Ledger {
  /// One policy's memory in its stored form.
  struct Row: Hashable {
    var boot: String
    var bytes: [UInt8]
  }

  /// What one transaction writes.
  struct Entry {
    var rows: [String: Row] = [:]
    var forgotten: Set<String> = []
    var stamps: [BootStamp] = []
    var history: [HistoryEntry] = []
    var texts: [String: StoredText] = [:]
    var forgottenTexts: Set<String> = []

    var isEmpty: Bool {
      rows.isEmpty && forgotten.isEmpty && history.isEmpty && texts.isEmpty
        && forgottenTexts.isEmpty
    }
  }

  private let database: Database
  private let putPolicy: Statement
  private let dropPolicy: Statement
  private let putBoot: Statement
  private let putHistory: Statement
  private let putText: Statement
  private let dropText: Statement
  private var nextNumber: Int64
  private(set) var rows: [String: Row]
  private(set) var stamps: [String: BootStamp]
  private(set) var texts: [String: StoredText]

  /// Opens the file, which must be there, be it empty; checks it, brings its tables up to date and
  /// reads it.
  init(_ path: String, schema: Schema, pagesMax: Int) throws(StoreTrouble) {
    let database = try Database(path)
    try database.run(Database.setUp)
    _ = try database.integer("PRAGMA max_page_count = \(pagesMax)")
    let check = try database.text("PRAGMA quick_check(1)")
    guard check == "ok" else {
      // The first line only names the database.
      let line = check.split(separator: "\n").last ?? ""
      throw StoreTrouble(kind: .damaged, message: String(line.prefix(200)))
    }
    try schema.check(database)
    try database.run(Database.writing)
    try schema.apply(to: database)
    self.database = database
    rows = try Self.readRows(database)
    stamps = try Self.readStamps(database)
    texts = try Self.readTexts(database)
    let last = try database.integer("SELECT coalesce(max(number), 0) FROM history")
    nextNumber = (0..<Int64.max / 2).contains(last) ? last + 1 : 1
    putPolicy = try database.prepare(
      """
      INSERT INTO policies (policy, boot, memory) VALUES (?, ?, ?)
      ON CONFLICT (policy) DO UPDATE SET boot = excluded.boot, memory = excluded.memory
      """)
    dropPolicy = try database.prepare("DELETE FROM policies WHERE policy = ?")
    putBoot = try database.prepare(
      """
      INSERT INTO boots (boot, boot_time, wall_time) VALUES (?, ?, ?)
      ON CONFLICT (boot) DO UPDATE
      SET boot_time = excluded.boot_time, wall_time = excluded.wall_time
      """)
    putHistory = try database.prepare(
      """
      INSERT OR REPLACE INTO history (place, number, wall_time, policy, event)
      VALUES (?, ?, ?, ?, ?)
      """)
    putText = try database.prepare(
      """
      INSERT INTO texts (policy, hash, text) VALUES (?, ?, ?)
      ON CONFLICT (policy) DO UPDATE SET hash = excluded.hash, text = excluded.text
      """)
    dropText = try database.prepare("DELETE FROM texts WHERE policy = ?")
    try forgetBoots()
  }

  func write(_ entry: Entry) throws(StoreTrouble) {
    let first = nextNumber
    do throws(StoreTrouble) {
      try database.transaction { () throws(StoreTrouble) in try put(entry) }
    } catch {
      nextNumber = first
      throw error
    }
  }

  func checkpoint() throws(StoreTrouble) { try database.checkpoint() }

  /// The last entries, oldest first.
  func history(limit: Int) throws(StoreTrouble) -> [HistoryEntry] {
    let statement = try database.prepare(
      "SELECT wall_time, policy, event FROM history ORDER BY number DESC LIMIT ?")
    statement.bind(1, Int64(limit))
    var entries: [HistoryEntry] = []
    while try statement.step() {
      entries.append(
        HistoryEntry(
          unixNanoseconds: statement.integer(0), policy: statement.text(1),
          event: statement.text(2)))
    }
    return entries.reversed()
  }

  private func put(_ entry: Entry) throws(StoreTrouble) {
    for stamp in entry.stamps {
      putBoot.bind(1, stamp.bootID)
      putBoot.bind(2, stamp.boot.nanoseconds)
      putBoot.bind(3, stamp.wall.unixNanoseconds)
      try putBoot.run()
    }
    for policy in entry.forgotten {
      dropPolicy.bind(1, policy)
      try dropPolicy.run()
    }
    for (policy, row) in entry.rows {
      putPolicy.bind(1, policy)
      putPolicy.bind(2, row.boot)
      putPolicy.bind(3, row.bytes)
      try putPolicy.run()
    }
    for policy in entry.forgottenTexts {
      dropText.bind(1, policy)
      try dropText.run()
    }
    for (policy, text) in entry.texts {
      putText.bind(1, policy)
      putText.bind(2, text.hash)
      putText.bind(3, text.bytes)
      try putText.run()
    }
    for event in entry.history {
      putHistory.bind(1, nextNumber % Int64(HistoryEntry.kept))
      putHistory.bind(2, nextNumber)
      putHistory.bind(3, event.unixNanoseconds)
      putHistory.bind(4, event.policy)
      putHistory.bind(5, event.event)
      try putHistory.run()
      nextNumber += 1
    }
  }

  /// Of a boot that no row is of any more nothing needs to be known.
  private func forgetBoots() throws(StoreTrouble) {
    let inUse = Set(rows.values.map(\.boot))
    guard stamps.keys.contains(where: { !inUse.contains($0) }) else { return }
    try database.run(["DELETE FROM boots WHERE boot NOT IN (SELECT boot FROM policies)"])
  }

  private static func readRows(_ database: Database) throws(StoreTrouble) -> [String: Row] {
    let statement = try database.prepare("SELECT policy, boot, memory FROM policies")
    var rows: [String: Row] = [:]
    while try statement.step() {
      rows[statement.text(0)] = Row(boot: statement.text(1), bytes: statement.bytes(2))
    }
    return rows
  }

  /// What is too large was not written by us: it is as if it were not there.
  private static func readTexts(_ database: Database) throws(StoreTrouble) -> [String: StoredText] {
    let statement = try database.prepare(
      """
      SELECT policy, hash, text FROM texts
      WHERE length(text) <= \(StoredText.bytesMax) AND length(hash) <= \(StoredText.hashMax)
      """)
    var texts: [String: StoredText] = [:]
    var total = 0
    while try statement.step() {
      let text = StoredText(hash: statement.text(1), bytes: statement.bytes(2))
      total += text.bytes.count
      guard total <= StoredText.totalMax else { break }
      if text.isWithinBounds { texts[statement.text(0)] = text }
    }
    return texts
  }

  private static func readStamps(_ database: Database) throws(StoreTrouble) -> [String: BootStamp] {
    let statement = try database.prepare("SELECT boot, boot_time, wall_time FROM boots")
    var stamps: [String: BootStamp] = [:]
    while try statement.step() {
      let boot = statement.text(0)
      stamps[boot] = BootStamp(
        bootID: boot, boot: .nanoseconds(statement.integer(1)),
        wall: WallTime(unixNanoseconds: statement.integer(2)))
    }
    return stamps
  }
}
