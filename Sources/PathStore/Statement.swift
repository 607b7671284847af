internal import CSQLite

/// A prepared statement, used again and again. Columns and parameters count as SQLite does: columns
/// from 0, parameters from 1.
@safe struct Statement: ~Copyable {
  private let handle: OpaquePointer

  /// sqlite3_prepare_v3(3).
  @unsafe init(_ database: OpaquePointer, _ text: String) throws(StoreTrouble) {
    var handle: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      throw unsafe StoreTrouble(database, code: code)
    }
    unsafe self.handle = handle
  }

  deinit { unsafe sqlite3_finalize(handle) }

  // Copies are made of what is bound: nothing has to stay where it is.
  private static var copies: sqlite3_destructor_type? {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
  }

  borrowing func bind(_ index: Int32, _ value: Int64) {
    unsafe sqlite3_bind_int64(handle, index, value)
  }

  borrowing func bind(_ index: Int32, _ text: String) {
    unsafe sqlite3_bind_text(handle, index, text, Int32(clamping: text.utf8.count), Self.copies)
  }

  borrowing func bind(_ index: Int32, _ bytes: [UInt8]) {
    unsafe sqlite3_bind_blob(handle, index, bytes, Int32(clamping: bytes.count), Self.copies)
  }

  /// Goes to the next row; false when there is none. sqlite3_step(3).
  borrowing func step() throws(StoreTrouble) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw unsafe StoreTrouble(sqlite3_db_handle(handle), code: code)
    }
  }

  /// Runs it to its end, and makes it ready for the next time.
  borrowing func run() throws(StoreTrouble) {
    defer { reset() }
    while try step() {}
  }

  borrowing func reset() { unsafe sqlite3_reset(handle) }

  borrowing func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  borrowing func text(_ column: Int32) -> String {
    guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  borrowing func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
