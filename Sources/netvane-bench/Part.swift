import Glibc

/// The parts of a workload that run in a process of their own, so that each is measured alone: this
/// program, started by itself with words that no user types.
enum Part: String {
  /// A bare reader of the kernel's events.
  case floor
  /// The daemon with one policy.
  case daemon

  static let flag = "--part"

  /// Runs the part that the arguments name; nil when they name none.
  static func run(_ arguments: [String]) -> Int32? {
    guard arguments.count >= 2, arguments[0] == flag, let part = Part(rawValue: arguments[1]) else {
      return nil
    }
    switch part {
    case .floor: return FloorReader.run()
    case .daemon: return DaemonUnderTest.run(state: arguments.dropFirst(2).first ?? "none")
    }
  }
}

/// Prints when something was noticed: the time first, so that the printing is not in it.
func stamp(_ word: String) {
  let time = nanoseconds()
  writeAll(Array("\(time) \(word)\n".utf8), to: STDOUT_FILENO)
}
