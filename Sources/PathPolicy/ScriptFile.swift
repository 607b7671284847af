import CLinux
import Glibc
import PathTrust

/// Reads the text of a script, refusing what a script is not: nothing is opened that could block or
/// run on for ever, and nothing is believed that others could have written or put there.
package enum ScriptFile {
  /// As large as the sandbox takes.
  package static let sizeMax = 256 * 1024

  /// Why a file was not read, in words that follow its name.
  package struct Refusal: Error, Hashable, Sendable {
    package var message: String

    init(message: String) { self.message = message }

    init(_ distrust: Distrust) {
      message = ScriptFile.describe(distrust)
    }
  }

  /// The file's bytes. It is opened once, and believed for what that descriptor tells. A relative
  /// path leads on from `folder`, when that is given.
  package static func read(_ path: String) throws(Refusal) -> [UInt8] {
    try read(path, in: nil)
  }

  static func read(_ path: String, in folder: TrustedPlace?) throws(Refusal) -> [UInt8] {
    let descriptor: Descriptor
    let kind: mode_t
    do throws(Distrust) {
      let place = try TrustedPlace.find(path, from: folder)
      kind = place.kind
      // Opening alone may do something to a device.
      descriptor = kind == S_IFREG ? try place.open() : place.named
    } catch {
      throw Refusal(error)
    }
    try checkKind(kind)
    guard let size = descriptor.status?.st_size else { throw Refusal(message: describe(errno)) }
    guard size <= sizeMax else {
      throw Refusal(message: "it has \(size) bytes; a script may have \(sizeMax)")
    }
    return try bytes(of: descriptor)
  }

  private static func checkKind(_ kind: mode_t) throws(Refusal) {
    switch kind {
    case S_IFREG: return
    case S_IFDIR: throw Refusal(message: "it is a directory")
    case S_IFIFO: throw Refusal(message: "it is a pipe, not a file")
    case S_IFCHR, S_IFBLK: throw Refusal(message: "it is a device, not a file")
    default: throw Refusal(message: "it is not a regular file")
    }
  }

  /// Reads to the end, but never more than a script may have, whatever the size was before.
  private static func bytes(of descriptor: Descriptor) throws(Refusal) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: sizeMax + 1)
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      }
      guard count >= 0 else { throw Refusal(message: describe(errno)) }
      if count == 0 { break }
      filled += count
    }
    guard filled <= sizeMax else { throw Refusal(message: "it grew while it was read") }
    // A copy of its own size: texts are kept, and the buffer is a hundred times as large.
    return Array(bytes[..<filled])
  }

  /// Follows the name of what was looked for.
  static func describe(_ distrust: Distrust) -> String {
    if case .unreachable(let code) = distrust.reason { return describe(code) }
    return distrust.message(calling: "it")
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
