import CLinux
import Glibc

/// The directories to watch for a tree and some files, as the links lead today.
///
/// A directory that is there is watched itself, and tells when it is moved or removed; the folder
/// above matters only where an entry may come to mean something else: for a link, and for what is
/// not there yet. So a busy folder above wakes nobody.
struct WatchPlan {
  /// What is to be heard from one directory.
  struct Place {
    var mask: UInt32
    /// The entries that matter; of a tree also those that its owner is interested in.
    var names: Set<String> = []
    var isTree = false
  }

  /// By path, without links.
  private(set) var places: [String: Place] = [:]

  /// The directory that is moved or removed.
  private static let ownBits = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
  /// An entry that comes, goes or is replaced.
  private static let entryBits =
    ownBits | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
  /// What is in a file, too, and who may write it.
  private static let fileBits =
    entryBits | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)
  /// As many links as the kernel follows, path_resolution(7).
  private static let linksMost = 40
  /// More directories than any tree of scripts needs; what is beyond is not watched.
  static let placesMost = 512

  init(
    directory: String, folders: [String], files: [String], concerns: (String) -> Bool
  ) {
    if let root = follow(directory), isDirectory(root) {
      addTree(root, concerns)
      for folder in folders {
        places[root]?.names.insert(folder)
        guard let path = follow("\(root)/\(folder)"), isDirectory(path) else {
          continue
        }
        addTree(path, concerns)
      }
    }
    for file in files { follow(file) }
  }

  /// A folder whose files matter, and where its links lead.
  private mutating func addTree(_ path: String, _ concerns: (String) -> Bool) {
    add(path, Self.fileBits)
    places[path]?.isTree = true
    guard let directory = unsafe opendir(path) else { return }
    defer { unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard concerns(name), kind(of: "\(path)/\(name)") == S_IFLNK else { continue }
      follow("\(path)/\(name)")
    }
  }

  /// Goes the way that the kernel goes (path_resolution(7)) and notes on it what may lead elsewhere
  /// one day. The place at its end, without links; nil when it leads nowhere now.
  @discardableResult
  private mutating func follow(_ path: String) -> String? {
    var rest = Self.parts(path.hasPrefix("/") ? path : Self.workingDirectory + "/" + path)
    var place = ""
    var links = 0
    while let name = rest.popLast() {
      if name == ".." {
        place = String(place.prefix(upTo: place.lastIndex(of: "/") ?? place.startIndex))
        continue
      }
      let next = "\(place)/\(name)"
      switch kind(of: next) {
      case S_IFDIR:
        add(next, Self.ownBits)
        place = next
      case S_IFLNK:
        links += 1
        add(place, Self.entryBits, name)
        guard links <= Self.linksMost, let target = Self.target(of: next) else { return nil }
        if target.hasPrefix("/") { place = "" }
        rest += Self.parts(target)
      case nil:
        // What is made here and written to is heard when it is whole.
        add(place, rest.isEmpty ? Self.fileBits : Self.entryBits, name)
        return nil
      default:
        add(place, rest.isEmpty ? Self.fileBits : Self.entryBits, name)
        return rest.isEmpty ? next : nil
      }
    }
    return place.isEmpty ? "/" : place
  }

  private mutating func add(_ path: String, _ mask: UInt32, _ name: String? = nil) {
    let path = path.isEmpty ? "/" : path
    guard places.count < Self.placesMost || places[path] != nil else { return }
    places[path, default: Place(mask: 0)].mask |= mask
    if let name { places[path]?.names.insert(name) }
  }

  private func isDirectory(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// lstat(2); nil when there is nothing.
  private func kind(of path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The names on the way, last first.
  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
  }

  private static var workingDirectory: String {
    guard let buffer = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(buffer) }
    return unsafe String(cString: buffer)
  }

  private static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink(path, &bytes, bytes.count)
    guard length > 0 else { return nil }
    return String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
