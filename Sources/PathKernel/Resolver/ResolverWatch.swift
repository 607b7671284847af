import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Keeps the servers of resolv.conf up to date.
///
/// The file is often a symbolic link that is swapped, or is replaced by a rename, so it is the
/// directories that are watched: the one of the file, and of each link on the way to it. The file
/// is watched too, since one that was mounted there (in containers, by `ip netns exec`) is in no
/// directory of ours, and the table of mounts, since a mount touches neither. The
/// watches are set anew before each reading, so a change in between is either read or told
/// (inotify(7)). A user has few inotify instances and editors take many; without one the file is
/// still read, and again at each `reload`.
final class ResolverWatch {
  private static let linkLimit = 8

  /// Negative when nothing can be watched.
  let descriptor: Int32
  /// Has urgent news when something was mounted or unmounted here (proc_pid_mountinfo(5)); negative
  /// where that cannot be heard of.
  let mountDescriptor: Int32
  /// Somebody has the file open and wrote to it: what is there may be half of it.
  private(set) var isBeingWritten = false
  /// Which file was read last; none when it was not there.
  private var identity: Identity?

  private struct Identity: Equatable {
    var device: dev_t
    var inode: ino_t
    var isRegular: Bool
  }

  private let path: String
  private(set) var servers: [NameServer] = []
  /// The names in each watched directory that say something.
  private var names: [Int32: Set<String>] = [:]

  init(path: String) {
    self.path = path
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    mountDescriptor = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    reload()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if mountDescriptor >= 0 { close(mountDescriptor) }
  }

  /// Whether another file was mounted in the place of the one that was read, or that was taken away
  /// again, and the servers are others now.
  func drainMounts() -> Bool { Self.identity(of: path) != identity && reload() }

  private static func identity(of path: String) -> Identity? {
    var status = Glibc.stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Identity(
      device: status.st_dev, inode: status.st_ino,
      isRegular: status.st_mode & S_IFMT == S_IFREG)
  }

  /// Reads what inotify has to say. Returns whether the servers are others now.
  func drain() -> Bool {
    guard descriptor >= 0 else { return false }
    var isTouched = false
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      let length = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { break }
      if concernsUs(buffer[..<length]) { isTouched = true }
    }
    return isTouched && reload()
  }

  /// Sets the watches and reads the file. Returns whether the servers are others now.
  @discardableResult
  func reload() -> Bool {
    isBeingWritten = false
    identity = Self.identity(of: path)
    if descriptor >= 0 { arm() }
    let fresh = ResolverFile.read(path)
    defer { servers = fresh }
    return fresh != servers
  }

  /// struct inotify_event: watch, mask, cookie, length of the name, name.
  private func concernsUs(_ events: ArraySlice<UInt8>) -> Bool {
    func number(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(events[offset + $1]) << UInt32(8 * $1) }
    }
    func field(_ offset: Int) -> UInt32 {
      1.bigEndian == 1 ? number(offset).byteSwapped : number(offset)
    }
    var offset = events.startIndex
    while offset + 16 <= events.endIndex {
      let watch = Int32(bitPattern: field(offset))
      let mask = field(offset + 4)
      let end = offset + 16 + Int(field(offset + 12))
      guard end <= events.endIndex else { return true }
      let name = String(decoding: events[offset + 16..<end].prefix { $0 != 0 }, as: UTF8.self)
      let lost = UInt32(IN_Q_OVERFLOW) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
      if mask & lost != 0 { return true }
      // IN_IGNORED follows the removal of a watch that we ended ourselves.
      if mask & UInt32(IN_IGNORED) == 0, names[watch]?.contains(name) ?? false {
        // It was cut off to be written anew, or a part was written: who writes will close it.
        if mask & UInt32(IN_MODIFY) == 0 { return true }
        isBeingWritten = true
      }
      offset = end
    }
    return false
  }

  /// Watches every directory on the way to the file.
  private func arm() {
    var fresh: [Int32: Set<String>] = [:]
    var place = path
    for _ in 0..<Self.linkLimit {
      let (directory, name) = Self.split(place)
      watch(directory, name, &fresh)
      guard let target = Self.target(of: place) else { break }
      place = target.hasPrefix("/") ? target : "\(directory)/\(target)"
    }
    watchFile(&fresh)
    for (watch, _) in names where fresh[watch] == nil { inotify_rm_watch(descriptor, watch) }
    names = fresh
  }

  /// Events about the file itself bear no name.
  private func watchFile(_ fresh: inout [Int32: Set<String>]) {
    guard identity?.isRegular == true else { return }
    let mask =
      UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF)
      | UInt32(IN_DELETE_SELF)
    let watch = unsafe inotify_add_watch(descriptor, path, mask)
    if watch >= 0 { fresh[watch, default: []].insert("") }
  }

  /// A directory that is not there yet is awaited in the nearest one above that is.
  private func watch(_ directory: String, _ name: String, _ fresh: inout [Int32: Set<String>]) {
    let mask =
      UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
      | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    var directory = directory
    var name = name
    while true {
      let watch = unsafe inotify_add_watch(descriptor, directory, mask)
      if watch >= 0 {
        fresh[watch, default: []].insert(name)
        return
      }
      if directory == "/" || directory == "." { return }
      (directory, name) = Self.split(directory)
    }
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let directory = String(path[..<slash])
    return (directory.isEmpty ? "/" : directory, String(path[path.index(after: slash)...]))
  }

  private static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink(path, &bytes, bytes.count)
    guard length > 0 else { return nil }
    return String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
