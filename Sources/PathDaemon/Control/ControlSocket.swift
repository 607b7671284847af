import CLinux
import Glibc
import PathTrust

/// Why there is no control socket: a sentence that says what to do.
package struct ControlTrouble: Error, Hashable, Sendable {
  package var message: String

  init(_ message: String) {
    self.message =
      "there is no control socket: \(message); --control PATH names another place, --control none "
      + "does without"
  }

  fileprivate init(whole message: String) { self.message = message }
}

/// A Unix socket that listens, for its owner alone, in a directory that nobody else can change.
///
/// A socket that a killed run left is replaced; one that answers is another's. unix(7).
package final class ControlSocket {
  /// sun_path has a zero behind it.
  package static let pathMost = 107
  /// Connections that wait to be taken.
  private static let backlog: Int32 = 64

  package let path: String
  let descriptor: Int32
  private let identity: Identity?

  /// What tells one file from another, whatever its name.
  private struct Identity: Hashable {
    var device: dev_t
    var number: ino_t

    init?(_ path: String) {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  package init(_ path: String) throws(ControlTrouble) {
    let length = path.utf8.count
    if length > Self.pathMost {
      throw ControlTrouble(
        "the name \(path) has \(length) bytes, and of a socket's at most \(Self.pathMost) fit")
    }
    let directory = try Self.openDirectory(of: path)
    // Its lock lasts as long as the descriptor.
    defer { withExtendedLifetime(directory) {} }
    try Self.makeRoom(at: path)
    self.path = path
    descriptor = try Self.listen(at: path)
    identity = Identity(path)
  }

  deinit { close(descriptor) }

  /// Whether the file is there and still this one's.
  var isInPlace: Bool { identity != nil && Identity(path) == identity }

  /// Takes the file away, if it is still this one's.
  func remove() {
    if isInPlace { _ = unsafe unlink(path) }
  }

  // MARK: The directory

  /// Makes it where it is missing, looks whose it is, and locks out others who start just now.
  private static func openDirectory(of path: String) throws(ControlTrouble) -> Descriptor {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let place: TrustedPlace
    do throws(Distrust) {
      place = try TrustedPlace.find(directory, making: .theLast)
    } catch {
      throw trouble(error, "\(directory) cannot be made")
    }
    // Stricter than what is only read: here something is made that others are to believe.
    if let problem = problem(place.status, directory) { throw ControlTrouble(problem) }
    do throws(Distrust) {
      let descriptor = try place.open()
      // Of two that start at once one waits. Somebody who just keeps the lock is not waited for:
      // what answers at the place is left alone in any case.
      for _ in 0..<lockTries where !descriptor.tryLock() { _ = poll(nil, 0, 20) }
      return descriptor
    } catch {
      throw trouble(error, "\(directory) cannot be opened")
    }
  }

  private static func trouble(_ error: Distrust, _ what: String) -> ControlTrouble {
    guard case .unreachable(let code) = error.reason else { return ControlTrouble(error.message()) }
    return ControlTrouble("\(what): \(errorText(code))")
  }

  private static func problem(_ status: stat, _ directory: String) -> String? {
    if status.st_uid != geteuid(), status.st_uid != 0 {
      return "\(directory) belongs to user \(status.st_uid), who could put another one in its place"
    }
    if status.st_mode & 0o022 != 0 {
      return "others may write \(directory), and could put another one in its place"
    }
    return nil
  }

  private static let lockTries = 25

  // MARK: The socket

  private static func makeRoom(at path: String) throws(ControlTrouble) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ControlTrouble("\(path) is there and is no socket")
    }
    let failure = probe(path)
    switch failure {
    case ENOENT: return
    case ECONNREFUSED:
      if unsafe unlink(path) == 0 || errno == ENOENT { return }
      throw ControlTrouble(
        "\(path) is left from an earlier run and cannot be removed: \(errorText(errno))")
    // EAGAIN: so many wait there that no more fit.
    case 0, EAGAIN:
      throw ControlTrouble(
        whole: "another netvane answers at \(path); this one has no control socket; --control PATH "
          + "gives it one of its own")
    default: throw ControlTrouble("\(path) cannot be looked at: \(errorText(failure))")
    }
  }

  /// connect(2): 0 when somebody listens there, else errno.
  private static func probe(_ path: String) -> Int32 {
    let descriptor = make()
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let result = unsafe withAddress(path) { unsafe connect(descriptor, $0, $1) }
    return result == 0 ? 0 : errno
  }

  private static func listen(at path: String) throws(ControlTrouble) -> Int32 {
    let descriptor = make()
    guard descriptor >= 0 else { throw ControlTrouble("socket: \(errorText(errno))") }
    // The file gets the socket's own mode, so nobody else can connect in between.
    guard fchmod(descriptor, 0o600) == 0,
      unsafe withAddress(path, { unsafe bind(descriptor, $0, $1) }) == 0,
      Glibc.listen(descriptor, backlog) == 0
    else {
      let code = errno
      close(descriptor)
      throw ControlTrouble("\(path) cannot be made: \(errorText(code))")
    }
    return descriptor
  }

  private static func make() -> Int32 {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    return socket(AF_UNIX, kind, 0)
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func errorText(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
  }
}
