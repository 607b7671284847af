import CSystemd
import Foundation
import PathActions
import PathCore
import Testing

@testable import PathDaemon

/// All tests of actions, one after the other: some count this process's children and descriptors.
@Suite(.serialized) enum ActionTests {}

/// A runner of actions on a loop of its own, and what it reported.
final class Rig {
  let loop: EventLoop
  let folder = Folder()
  private(set) var runner: ActionRunner!
  private(set) var results: [(id: ActionID, kind: Action.Kind, result: ActionResult)] = []
  private(set) var turns = 0
  private var serial: UInt64 = 0
  /// Called with each result, after it was noted.
  var onResult: (ActionID) -> Void = { _ in }

  static let environment = [
    "HOME": "/root", "USER": "somebody", "LOGNAME": "somebody", "LANG": "C.UTF-8", "TZ": "UTC",
    "XDG_RUNTIME_DIR": "/run/user/1", "DISPLAY": ":99", "XAUTHORITY": "/x",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/no", "PATH": "/no-such-path", "SECRET": "s",
    "NETVANE_OWN": "s", "http_proxy": "http://127.0.0.1:1",
  ]

  init(_ grants: Grants = Grants(), _ change: (inout ActionSettings) -> Void = { _ in }) throws {
    loop = try EventLoop()
    var settings = ActionSettings(grants: grants, version: "9.9", environment: Self.environment)
    settings.browserFolders = [folder.path + "/bin"]
    settings.grace = .milliseconds(300)
    change(&settings)
    runner = ActionRunner(loop: loop, settings: settings) { [unowned self] id, kind, result in
      results.append((id, kind, result))
      onResult(id)
    }
  }

  /// A rig that grants one shell script as the command `it`.
  convenience init(
    script: String, _ change: (inout ActionSettings) -> Void = { _ in }
  ) throws {
    try self.init(Grants(commands: ["it": ["/bin/sh", "-c", script, "it"]]), change)
  }

  @discardableResult
  func start(_ action: Action, key: String = "k", facts: [String: String] = [:]) -> ActionID {
    serial += 1
    let id = ActionID(policy: "p", key: key, serial: serial)
    runner.start(id, action, facts: facts)
    return id
  }

  @discardableResult
  func exec(
    _ arguments: [String] = [], command: String = "it", timeout: Duration = .seconds(20)
  ) -> ActionID {
    start(.exec(ExecRequest(command: command, arguments: arguments, timeout: timeout)))
  }

  /// Turns the loop until something is so.
  func wait(
    _ what: String = "the condition", within: Duration = .seconds(15), _ isSo: () -> Bool
  ) throws {
    let end = loop.awakeTime + within
    while !isSo() {
      guard loop.awakeTime < end else { throw Late(what: what) }
      turns += 1
      sd_event_run(loop.event, 20_000)
    }
  }

  /// The result of an action, when it comes.
  func result(_ id: ActionID) throws -> ActionResult {
    try wait("the result of \(id)") { results.contains { $0.id == id } }
    return results.first { $0.id == id }!.result
  }

  /// The result of a command that is started now, and how long it took.
  func timed(_ body: () -> ActionID) throws -> (ActionResult, Duration) {
    let start = loop.awakeTime
    let result = try result(body())
    return (result, loop.awakeTime - start)
  }

  struct Late: Error, CustomStringConvertible {
    var what: String
    var description: String { "\(what) did not come about in time" }
  }
}

extension ActionResult {
  var text: String { String(decoding: output, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A directory of a test's own, gone with it.
final class Folder {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "netvane-actions-\(UUID().uuidString)"
    try! FileManager.default.createDirectory(
      atPath: path + "/bin", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func at(_ name: String) -> String { path + "/" + name }

  func write(_ name: String, _ text: String, mode: mode_t = 0o755) {
    try! text.write(toFile: at(name), atomically: false, encoding: .utf8)
    chmod(at(name), mode)
  }

  func exists(_ name: String) -> Bool { access(at(name), F_OK) == 0 }

  func read(_ name: String) -> String {
    (try? String(contentsOfFile: at(name), encoding: .utf8)) ?? ""
  }

  func lines(_ name: String) -> [String] { read(name).split(separator: "\n").map(String.init) }
}

/// Whether there is such a process, one that has ended and was not reaped included.
func exists(_ pid: Int32) -> Bool { kill(pid, 0) == 0 }

/// Whether a process runs, and is no zombie.
func runs(_ pid: Int32) -> Bool {
  guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
    let state = status.split(separator: ")").last?.split(separator: " ").first
  else { return false }
  return state != "Z" && state != "X"
}

/// The open descriptors of this process that only children have.
func childDescriptors() -> Int {
  let folder = "/proc/self/fd"
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  return names.count { name in
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
    return target == "anon_inode:[pidfd]"
  }
}

func allDescriptors() -> Int {
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
}
