internal import CSQLite
internal import Glibc

/// Why the store cannot be used as it is. The message is for people.
struct StoreTrouble: Error {
  enum Kind {
    /// It is not for Netvane to go on here: somebody has to decide.
    case refused
    /// The disk, the permissions, another program: it may pass.
    case unavailable
    /// The file is not what was written into it.
    case damaged
  }

  var kind: Kind
  var message: String
  /// Whether the message says which file it is about.
  var isNamed = false

  /// The same, with the file in its message.
  func named(_ path: String) -> StoreTrouble {
    isNamed ? self : StoreTrouble(kind: kind, message: "\(path): \(message)", isNamed: true)
  }

  static func refused(_ message: String) -> StoreTrouble {
    StoreTrouble(kind: .refused, message: message, isNamed: true)
  }

  /// A system call that failed on a file.
  static func unavailable(_ path: String, code: Int32 = errno) -> StoreTrouble {
    StoreTrouble(kind: .unavailable, message: "\(path): \(describe(code))", isNamed: true)
  }

  static func describe(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "there is no permission to write it"
    case EROFS: "it is on a file system that can only be read"
    case ENOSPC, EDQUOT: "the disk is full"
    case EFBIG: "it may not grow any more"
    case ENOTDIR: "a part of the path is not a directory"
    default: unsafe String(cString: strerror(code))
    }
  }
}

extension StoreTrouble {
  /// What SQLite says of its last call on this connection.
  @unsafe init(_ database: OpaquePointer?, code: Int32) {
    // SQLite notes the system's code at some calls only; what the last call left is as good.
    let left = errno
    let noted = unsafe sqlite3_system_errno(database)
    let system = noted == 0 ? left : noted
    let reason: String
    switch code & 0xFF {
    case SQLITE_FULL: reason = Self.describe(ENOSPC)
    case SQLITE_BUSY, SQLITE_LOCKED: reason = "another program has it open"
    case SQLITE_READONLY: reason = Self.describe(system == EROFS ? EROFS : EACCES)
    case SQLITE_CANTOPEN, SQLITE_IOERR:
      reason = system == 0 ? "it cannot be read or written" : Self.describe(system)
    default: reason = unsafe String(cString: sqlite3_errmsg(database))
    }
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT,
      SQLITE_MISMATCH, SQLITE_FORMAT:
      kind = .damaged
    default: kind = .unavailable
    }
    message = reason
  }
}
