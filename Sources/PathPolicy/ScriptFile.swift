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
    bytes.removeLast(bytes.count - filled)
    return bytes
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
