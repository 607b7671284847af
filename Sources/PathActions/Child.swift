import CLinux
import Glibc
import PathCore

/// The children that were started here and not reaped, each with what to call at its end.
package final class Children {
  fileprivate var isOver: [Int32: () -> Void] = [:]

  package init() {}

  /// Reaps what has ended: what was started here by those who wait for it, and what nobody here
  /// started, which the first process of a container inherits.
  func reapAll() {
    var code: Int32 = -1
    var signal: Int32 = -1
    // Each turn takes one off the kernel's list.
    while case let pid = clinux_ended_child(), pid > 0 {
      if let isOver = isOver[pid] {
        isOver()
        if self.isOver[pid] != nil { return }
      } else if unsafe clinux_reap(pid, &code, &signal) <= 0 {
        return
      }
    }
  }
}

/// A process that was started here and is reaped here, whatever becomes of it.
final class Child {
  /// How a process ended; one of the two is set.
  struct End {
    var code: Int32?
    var signal: Int32?

    var isGood: Bool { code == 0 }

    /// Follows the name of what ended.
    var message: String {
      if let code { return "ended with exit code \(code)" }
      guard let signal else { return "ended, and nobody knows how" }
      return "was ended by signal \(signal)" + (Self.names[signal].map { " (\($0))" } ?? "")
    }

    private static let names: [Int32: String] = [
      SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
      SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
      SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
    ]
  }

  let pid: Int32
  /// The reading end of its output; -1 when nothing is captured.
  let output: Int32
  private let pidfd: Int32
  private let siblings: Children
  private var ticket: (any LoopTicket)?

  /// Starts a process in a group, or with `isDetached` a session, of its own.
  ///
  /// `isOver` is called when it has ended and must call `reap`.
  init(
    _ arguments: [String], environment: [String], isDetached: Bool, loop: any ActionLoop,
    among siblings: Children, isOver: @escaping () -> Void
  ) throws(ActionRefusal) {
    try ProgramTrust.check(arguments[0])
    var child = clinux_child()
    let flags = isDetached ? CLINUX_SESSION : CLINUX_CAPTURE
    let result = unsafe withVector(arguments) { arguments in
      unsafe withVector(environment) { environment in
        unsafe clinux_spawn(arguments[0], arguments, environment, flags, &child)
      }
    }
    guard result == 0 else { throw Self.refusal(arguments[0], -result) }
    (pid, output, pidfd) = (child.pid, child.output, child.pidfd)
    self.siblings = siblings
    do throws(ActionRefusal) {
      ticket = try loop.watch(pidfd, for: .read) { _ in isOver() }
    } catch {
      // It was killed, so this wait is short; one that the loop does not know cannot be kept.
      end(SIGKILL)
      _ = waitpid(pid, nil, 0)
      close(pidfd)
      if output >= 0 { close(output) }
      throw error
    }
    siblings.isOver[pid] = isOver
  }

  /// Sends the signal to its whole group. Until it is reaped no other group can have the number.
  func end(_ signal: Int32) {
    if kill(-pid, signal) != 0 || signal == SIGKILL { kill(pid, signal) }
  }

  /// Takes the process off the kernel's list; nil when it has not ended.
  func reap() -> End? {
    var code: Int32 = -1
    var signal: Int32 = -1
    let result = unsafe clinux_reap(pid, &code, &signal)
    if result == 0 { return nil }
    ticket?.remove()
    ticket = nil
    siblings.isOver[pid] = nil
    close(pidfd)
    return End(code: code >= 0 ? code : nil, signal: signal >= 0 ? signal : nil)
  }

  /// Why a program cannot be started, by errno.
  static func refusal(_ program: String, _ code: Int32) -> ActionRefusal {
    let name = LineText.word(program)
    var status = stat()
    switch code {
    case ENOENT where unsafe stat(program, &status) == 0:
      return ActionRefusal(
        "\(name) needs an interpreter, named in its first line, that is not there")
    case ENOENT, ENOTDIR: return ActionRefusal("there is no \(name)")
    case EACCES: return ActionRefusal("no permission to run \(name); is it executable?")
    case ENOEXEC:
      return ActionRefusal("\(name) is no program; a script begins with a line such as #!/bin/sh")
    default:
      return ActionRefusal("\(name) cannot be started: \(unsafe String(cString: strerror(code)))")
    }
  }
}
