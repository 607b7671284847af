import Foundation
import Glibc
import Testing

@testable import PathDaemon

/// The control socket's file: where it may be, whose it is, and when it goes.
@Suite struct ControlSocketTests {
  private let folder: Folder
  private var path: String { folder.at("run/control") }

  init() throws { folder = try Folder() }

  private func trouble(_ path: String) -> String? {
    do throws(ControlTrouble) {
      _ = try ControlSocket(path)
      return nil
    } catch {
      return error.message
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func `the directory is made, and both are for their owner alone`() throws {
    let socket = try ControlSocket(path)
    #expect(mode(folder.at("run")) == 0o700 && mode(path) == 0o600)
    #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
    socket.remove()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `a socket that a killed run left is replaced`() throws {
    do { _ = try ControlSocket(path) }
    #expect(access(path, F_OK) == 0)
    let fresh = try ControlSocket(path)
    _ = try RawClient(path)
    fresh.remove()
  }

  @Test func `one that answers is another's, and stays`() throws {
    let first = try ControlSocket(path)
    let words = try #require(trouble(path))
    #expect(words.hasPrefix("another netvane answers at \(path); this one has no control socket"))
    #expect(words.hasSuffix("--control PATH gives it one of its own"))
    _ = try RawClient(path)
    first.remove()
  }

  @Test func `one whose queue is full is another's, too`() throws {
    let first = try ControlSocket(path)
    var waiting: [RawClient] = []
    // One more than fit would wait.
    for _ in 0...64 { waiting.append(try RawClient(path)) }
    #expect(trouble(path)?.hasPrefix("another netvane answers") == true)
    withExtendedLifetime((first, waiting)) {}
  }

  @Test func `only its own file is taken away`() throws {
    let first = try ControlSocket(path)
    try folder.remove("run/control")
    let second = try ControlSocket(path)
    first.remove()
    _ = try RawClient(path)
    second.remove()
    #expect(access(path, F_OK) != 0)
    second.remove()
  }

  @Test func `a file that is no socket is left alone`() throws {
    try folder.write("run/control", "precious")
    chmod(folder.at("run"), 0o700)
    #expect(trouble(path)?.contains("is there and is no socket") == true)
    try folder.remove("run/control")
    try folder.link("run/control", to: "elsewhere")
    #expect(trouble(path)?.contains("is no socket") == true)
    #expect(access(folder.at("run/elsewhere"), F_OK) != 0)
  }

  @Test(arguments: [0o777, 0o1777, 0o720, 0o702] as [mode_t])
  func `a directory that others may write is refused`(mode: mode_t) throws {
    try folder.folder("run")
    chmod(folder.at("run"), mode)
    #expect(trouble(path)?.contains("others may write") == true)
    #expect(access(path, F_OK) != 0)
    chmod(folder.at("run"), 0o755)
    #expect(trouble(path) == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func `a directory of somebody else is refused`() throws {
    try folder.folder("run")
    try #require(chown(folder.at("run"), 4711, 4711) == 0)
    #expect(trouble(path)?.contains("belongs to user 4711") == true)
    #expect(access(path, F_OK) != 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func `every directory on the way to the socket counts`() throws {
    try folder.folder("run")
    chmod(folder.path, 0o777)
    #expect(trouble(path)?.contains("everybody may write into \(folder.path);") == true)
    #expect(trouble(folder.at("new/control"))?.contains("everybody may write into") == true)
    #expect(access(folder.at("new"), F_OK) != 0)
    chmod(folder.path, 0o755)
    try #require(chown(folder.path, 4711, 4711) == 0)
    #expect(trouble(path)?.contains("\(folder.path) belongs to user 4711; it must be") == true)
    try #require(chown(folder.path, 0, 0) == 0)
    #expect(trouble(path) == nil)
  }

  @Test func `a name that is too long is refused in words, the longest is not`() throws {
    let room = ControlSocket.pathMost - path.utf8.count
    let longest = path + String(repeating: "x", count: room)
    try ControlSocket(longest).remove()
    let words = try #require(trouble(longest + "x"))
    #expect(words.contains("has 108 bytes") && words.contains("107"))
    #expect(words.contains("--control PATH") && words.contains("--control none"))
  }

  @Test func `a directory that cannot be made is named`() {
    #expect(
      trouble(folder.at("a/b/control"))?.contains("\(folder.at("a/b")) cannot be made") == true)
  }

  @Test func `of two that start at once one waits for the other's directory`() throws {
    try folder.folder("run")
    let held = open(folder.at("run"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    let released = Thread {
      usleep(100_000)
      flock(held, LOCK_UN)
    }
    released.start()
    #expect(trouble(path) == nil)
    // Who only keeps the lock keeps nobody from a socket.
    #expect(flock(held, LOCK_EX) == 0)
    #expect(trouble(path) == nil)
  }
}

@Suite struct ControlPlaceTests {
  private func own(_ flag: String?, _ environment: [String: String], root: Bool = false) -> String?
  {
    ControlPlace.own(flag: flag, environment: environment, isRoot: root)
  }

  @Test func `a run takes the flag, the service's directory, the person's, then root's`() {
    let all = ["RUNTIME_DIRECTORY": "/run/a:/run/b", "XDG_RUNTIME_DIR": "/run/user/7"]
    #expect(own("x/y", all, root: true) == "x/y")
    #expect(own("none", all, root: true) == nil)
    #expect(own(nil, all, root: true) == "/run/a/control")
    #expect(own(nil, ["RUNTIME_DIRECTORY": "/run/a"]) == "/run/a/control")
    #expect(own(nil, ["XDG_RUNTIME_DIR": "/run/user/7"]) == "/run/user/7/netvane/control")
    #expect(own(nil, ["XDG_RUNTIME_DIR": "relative"], root: true) == "/run/netvane/control")
    #expect(own(nil, [:]) == nil)
  }

  @Test func `a directory that another user's session handed on is nobody's place`() {
    let handed = ["XDG_RUNTIME_DIR": "/run/user/7"]
    let place = ControlPlace.own(
      flag: nil, environment: handed, isRoot: true, isOwn: { $0 != "/run/user/7" })
    #expect(place == "/run/netvane/control")
    #expect(
      ControlPlace.toAsk(flag: nil, environment: handed, isOwn: { _ in false })
        == ["/run/netvane/control"])
  }

  @Test func `commands ask where they are told, else the person's daemon, then the machine's`() {
    func places(_ flag: String?, _ environment: [String: String]) -> [String] {
      ControlPlace.toAsk(flag: flag, environment: environment)
    }
    let person = ["XDG_RUNTIME_DIR": "/run/user/7", "RUNTIME_DIRECTORY": "/run/a"]
    #expect(places("x", person) == ["x"])
    #expect(places(nil, person) == ["/run/user/7/netvane/control", "/run/netvane/control"])
    #expect(places(nil, [:]) == ["/run/netvane/control"])
  }
}
