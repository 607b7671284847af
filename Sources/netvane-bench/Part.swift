import Glibc

/// The parts of a workload that run in a process of their own, so that each is measured alone: this
/// program, started by itself with words that no user types.
enum Part: String {
  /// A bare reader of the kernel's events.
  case floor
  /// The daemon with one policy.
  case daemon
  /// A bare reader that starts a program for each event.
  case floorSpawn
  /// The daemon with a policy that runs a command for each change.
  case daemonExec
  /// Monitors of the Swift library, as many as the next argument says.
  case monitor
  /// The kernel's reader alone, which stamps each look.
  case reader
  /// What both start: stamps its own beginning into a file.
  case now

  static let flag = "--part"

  /// Runs the part that the arguments name; nil when they name none.
  static func run(_ arguments: [String]) -> Int32? {
    guard arguments.count >= 2, arguments[0] == flag, let part = Part(rawValue: arguments[1]) else {
      return nil
    }
    switch part {
    case .floor: return FloorReader.run()
    case .daemon: return DaemonUnderTest.run(state: arguments.dropFirst(2).first ?? "none")
    case .floorSpawn: return FloorReader.run(spawning: arguments.dropFirst(2).first)
    case .daemonExec: return ExecWorkload.runDaemon(arguments.dropFirst(2).first ?? "")
    case .monitor: return MonitorUnderTest.run(arguments.dropFirst(2).first ?? "1")
    case .reader: return LookingReader.run()
    case .now: return stampBeginning(Array(arguments.dropFirst(2)))
    }
  }
}

/// Prints when something was noticed: the time first, so that the printing is not in it.
func stamp(_ word: String) {
  let time = nanoseconds()
  writeAll(Array("\(time) \(word)\n".utf8), to: STDOUT_FILENO)
}

/// Appends the time and the word to the file: one write, so that two do not mix.
private func stampBeginning(_ arguments: [String]) -> Int32 {
  let time = nanoseconds()
  guard arguments.count >= 2 else { return 2 }
  let file = unsafe open(arguments[0], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  guard file >= 0 else { return 1 }
  return writeAll(Array("\(time) \(arguments[1])\n".utf8), to: file) ? 0 : 1
}
