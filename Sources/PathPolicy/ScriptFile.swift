import CLinux
import Glibc

/// Reads the text of a script, refusing what a script is not: nothing is opened that could block,
/// run on for ever, or be changed by just anybody.
package enum ScriptFile {
  /// As large as the sandbox takes.
  package static let sizeMax = 256 * 1024

  /// Why a file was not read, in words that follow its name.
  package struct Refusal: Error, Hashable, Sendable {
    package var message: String
  }

  /// The file's bytes. `root`, when given, is the directory the file must lie in once every link is
  /// followed.
  package static func read(_ path: String, within root: String? = nil) throws(Refusal) -> [UInt8] {
    if let root {
      guard let real = realPath(path) else { throw Refusal(message: describe(errno)) }
      guard real.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
        throw Refusal(message: "it leads out of the policy directory; copy the file instead")
      }
      // A link may lead into a folder that is less guarded than the one it lies in.
      let folder = folder(of: real)
      guard isGuarded(folder) else {
        throw Refusal(
          message: "everybody may write into \(folder); take that away with: chmod o-w \(folder)")
      }
    }
    // Looked at before it is opened, for opening alone may do something to a device.
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw Refusal(message: describe(errno)) }
    try checkKind(status)
    // Without O_NONBLOCK the open of a FIFO that came in between would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Refusal(message: describe(errno)) }
    defer { close(descriptor) }
    guard unsafe fstat(descriptor, &status) == 0 else { throw Refusal(message: describe(errno)) }
    try checkKind(status)
    guard status.st_mode & S_IWOTH == 0 else {
      throw Refusal(message: "everybody may write it; take that away with: chmod o-w")
    }
    guard status.st_size <= sizeMax else {
      throw Refusal(message: "it has \(status.st_size) bytes; a script may have \(sizeMax)")
    }
    return try bytes(of: descriptor)
  }

  private static func checkKind(_ status: stat) throws(Refusal) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw Refusal(message: "it is a directory")
    case S_IFIFO: throw Refusal(message: "it is a pipe, not a file")
    case S_IFCHR, S_IFBLK: throw Refusal(message: "it is a device, not a file")
    default: throw Refusal(message: "it is not a regular file")
    }
  }

  /// Whether only its owner and group may change what is in a directory.
  static func isGuarded(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IWOTH == 0
  }

  /// Why a file could be another's words, though it is to be trusted: nil when only root and the
  /// user Netvane runs as can write it, or replace it in its directory.
  static func problemOfTrust(_ path: String) -> String? {
    guard let real = realPath(path) else { return describe(errno) }
    var status = stat()
    guard unsafe stat(real, &status) == 0 else { return describe(errno) }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      return
        "it belongs to user \(status.st_uid); it must be root's or that of the user Netvane runs as"
    }
    if let problem = problemOfMode(status, "it", real) { return problem }
    // The way to it may lead over a link, whose directory matters as well.
    for folder in Set([folder(of: path), folder(of: real)]).sorted() {
      guard unsafe stat(folder, &status) == 0 else { return describe(errno) }
      // In a directory such as /tmp nobody replaces another's file.
      if status.st_mode & S_ISVTX != 0 { continue }
      if let problem = problemOfMode(status, "its directory", folder) { return problem }
    }
    return nil
  }

  private static func problemOfMode(_ status: stat, _ what: String, _ path: String) -> String? {
    if status.st_mode & S_IWOTH != 0 {
      return "everybody may write \(what); take that away with: chmod o-w \(path)"
    }
    if status.st_mode & S_IWGRP != 0, status.st_gid != 0 {
      return "its group may write \(what); take that away with: chmod g-w \(path)"
    }
    return nil
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Reads to the end, but never more than a script may have, whatever the size was before.
  private static func bytes(of descriptor: Int32) throws(Refusal) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: sizeMax + 1)
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Refusal(message: describe(errno)) }
      if count == 0 { break }
      filled += count
    }
    guard filled <= sizeMax else { throw Refusal(message: "it grew while it was read") }
    // A copy of its own size: texts are kept, and the buffer is a hundred times as large.
    return Array(bytes[..<filled])
  }

  /// realpath(3).
  static func realPath(_ path: String) -> String? {
    guard let buffer = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(buffer) }
    return unsafe String(cString: buffer)
  }

  static func describe(_ code: Int32) -> String {
    switch code {
    case ENOENT: "there is no such file"
    case EACCES: "no permission to read it"
    case ELOOP: "its links lead in a circle"
    case EISDIR: "it is a directory"
    case ENOTDIR: "a part of the path is not a directory"
    default: unsafe String(cString: strerror(code))
    }
  }
}
