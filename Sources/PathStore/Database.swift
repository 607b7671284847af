internal import CSQLite
internal import Glibc

/// A connection to an SQLite file that nobody else has open, for one thread.
///
/// The lock is exclusive, so the index of the write-ahead log is kept in this process's memory:
/// there is no shared mapping that a full disk could take away, and no lock to take at each write.
@safe final class Database {
  private let handle: OpaquePointer

  /// Larger than any store of 256 policies.
  static let pagesMax = 65_536

  init(_ path: String) throws(StoreTrouble) {
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      path, &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      let trouble = unsafe StoreTrouble(handle, code: code)
      unsafe sqlite3_close_v2(handle)
      throw trouble
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, 0)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 32 << 20)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
  }

  // Waits for statements that are still there.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// How every connection is set up before it reads a page.
  static let setUp = [
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA recursive_triggers = OFF",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -1024",
  ]

  /// How it writes. The log is brought over at idle times (`checkpoint`); only one that grew to
  /// 16 MiB is, for once, at a write. A log that was brought over is cut to 1 MiB.
  static let writing = [
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA wal_autocheckpoint = 4096",
    "PRAGMA journal_size_limit = 1048576",
  ]

  func prepare(_ text: String) throws(StoreTrouble) -> Statement {
    unsafe try Statement(handle, text)
  }

  func run(_ texts: [String]) throws(StoreTrouble) {
    for text in texts {
      let code = unsafe sqlite3_exec(handle, text, nil, nil, nil)
      if code != SQLITE_OK { throw unsafe StoreTrouble(handle, code: code) }
    }
  }

  /// Does all of it or nothing.
  func transaction(_ body: () throws(StoreTrouble) -> Void) throws(StoreTrouble) {
    errno = 0
    try run(["BEGIN IMMEDIATE"])
    do throws(StoreTrouble) {
      try body()
      try run(["COMMIT"])
    } catch {
      // Of some errors SQLite has rolled back itself already.
      try? run(["ROLLBACK"])
      throw error
    }
  }

  /// The first column of the first row.
  func integer(_ text: String) throws(StoreTrouble) -> Int64 {
    let statement = try prepare(text)
    return try statement.step() ? statement.integer(0) : 0
  }

  func text(_ text: String) throws(StoreTrouble) -> String {
    let statement = try prepare(text)
    return try statement.step() ? statement.text(0) : ""
  }

  /// Brings the write-ahead log over into the file. sqlite3_wal_checkpoint_v2(3).
  func checkpoint() throws(StoreTrouble) {
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    if code != SQLITE_OK { throw unsafe StoreTrouble(handle, code: code) }
  }
}
