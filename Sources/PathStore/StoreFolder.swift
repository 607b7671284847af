internal import Glibc
internal import PathTrust

/// The directory of a store and the lock that keeps others out of it for as long as this lives: the
/// kernel lifts it when the process ends, however it ends.
final class StoreFolder {
  /// With every link followed.
  let path: String
  private let lock: Int32

  static let fileName = "netvane.db"
  static let lockName = "netvane.lock"
  /// Damaged files that are kept; the last place is used again.
  static let asideMax = 8

  var file: String { "\(path)/\(Self.fileName)" }

  /// Makes the directory where it is missing, for its owner alone, and locks it.
  init(_ path: String) throws(StoreTrouble) {
    do throws(Distrust) {
      self.path = try TrustedPlace.find(path, making: .all).path
    } catch {
      if case .unreachable(let code) = error.reason { throw .unavailable(path, code: code) }
      throw .refused("\(error.message()), or choose another directory with --state")
    }
    try Self.check(self.path, kind: S_IFDIR)
    lock = try Self.takeLock("\(self.path)/\(Self.lockName)", directory: path)
  }

  deinit {
    // Closing alone would leave the lock to a child that is just being started: until it runs its
    // program it has this descriptor too.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// flock(2). What holds the lock has written its number into the file.
  private static func takeLock(
    _ path: String, directory: String
  ) throws(StoreTrouble) -> Int32 {
    let descriptor = unsafe open(
      path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
    guard descriptor >= 0 else {
      if errno == ELOOP { throw .refused("\(path) is a link; remove it") }
      throw .unavailable(path)
    }
    // Whoever can open it could hold the lock.
    fchmod(descriptor, 0o600)
    var code = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    while code == EINTR { code = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno }
    if code == EWOULDBLOCK {
      let holder = number(in: descriptor)
      close(descriptor)
      throw .refused(
        "\(directory) is in use by another netvane\(holder.map { " (process \($0))" } ?? ""); "
          + "end that one, or give this one another directory with --state")
    }
    if code != 0 {
      close(descriptor)
      throw .unavailable(path, code: code)
    }
    // For the message above only, so nothing depends on it.
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = unsafe pwrite(descriptor, text, text.count, 0)
    return descriptor
  }

  private static func number(in descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    return Int(String(decoding: bytes.prefix(max(0, count)).prefix { $0 >= 48 }, as: UTF8.self))
  }

  // MARK: Whose it is

  /// Refuses what others could change: their bytes would be taken for our own.
  private static func check(_ path: String, kind: mode_t) throws(StoreTrouble) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw .unavailable(path) }
    guard status.st_mode & S_IFMT == kind else {
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      throw .refused(
        isLink
          ? "\(path) is a link, which could lead to anybody's file; put the file itself there"
          : "\(path) is not a \(kind == S_IFDIR ? "directory" : "file")")
    }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      throw .refused(
        "\(path) belongs to user \(status.st_uid), not to user \(geteuid()) who runs netvane; "
          + "choose another directory with --state, or change the owner with chown")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw .refused("others may write \(path); take that away with: chmod go-w \(path)")
    }
  }

  /// Looks at the database's file before SQLite does, and makes it when it is missing: SQLite alone
  /// would let others read it.
  func makeFile() throws(StoreTrouble) {
    let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      fchmod(descriptor, 0o600)
      close(descriptor)
    } else if errno != EEXIST {
      throw .unavailable(file)
    }
    for suffix in ["-wal", "-journal"] {
      let name = file + suffix
      if Identity(name) != nil { try Self.check(name, kind: S_IFREG) }
    }
    var status = stat()
    guard unsafe lstat(file, &status) == 0 else { throw .unavailable(file) }
    if status.st_mode & S_IFMT == S_IFLNK || status.st_mode & S_IFMT == S_IFREG {
      try Self.check(file, kind: S_IFREG)
    } else {
      throw StoreTrouble(kind: .damaged, message: "it is not a file")
    }
    // An empty file alone is what an interrupted beginning leaves. With a log it is a loss, and the
    // log would be too: SQLite removes it. It takes a file of one byte for an empty one.
    if status.st_size <= 1, Self.size("\(file)-wal") > 0 {
      throw StoreTrouble(kind: .damaged, message: "it is empty")
    }
  }

  /// Takes away what others may do with the file, now that it is known to be ours.
  func makePrivate() { unsafe chmod(file, 0o600) }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The database and its log as they lie here now. The log counts as much: what was written last
  /// is in it alone.
  struct Files: Hashable {
    fileprivate var database: Identity?
    fileprivate var log: Identity?
  }

  var files: Files { Files(database: Identity(file), log: Identity("\(file)-wal")) }

  /// Whether the paths still lead to these files and to this directory's own lock.
  func owns(_ known: Files?) -> Bool {
    guard let known, known.database != nil, known == files else { return false }
    return Identity(descriptor: lock) == Identity("\(path)/\(Self.lockName)")
  }

  func hasDatabase(of known: Files) -> Bool {
    known.database != nil && known.database == files.database
  }

  /// Removes the log of a database that is gone: SQLite would apply it to the next one.
  func removeOrphan(of known: Files) {
    if !hasDatabase(of: known), known.log != nil, known.log == files.log {
      _ = unsafe unlink("\(file)-wal")
    }
  }

  /// What tells one file from another, whatever its name.
  struct Identity: Hashable {
    private var device: dev_t
    private var number: ino_t

    init?(_ path: String) {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }

    init?(descriptor: Int32) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Gives the database and what belongs to it other names, so that nothing is lost; the new one.
  func setAside() throws(StoreTrouble) -> String {
    var name = ""
    for number in 1...Self.asideMax {
      name = "\(file).broken-\(number)"
      if Identity(name) == nil { break }
    }
    for suffix in ["", "-wal", "-journal"] {
      if unsafe rename(file + suffix, name + suffix) != 0, errno != ENOENT || suffix.isEmpty {
        throw .unavailable(file + suffix)
      }
    }
    _ = unsafe unlink("\(file)-shm")
    return name
  }
}
