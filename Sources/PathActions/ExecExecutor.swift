import CLinux
import Glibc
package import PathCore

/// Runs granted commands: an argument vector, never a shell.
///
/// A command that is given up gets SIGTERM with its whole group, and SIGKILL when the grace is over
/// or its first process has ended. What a command that ended by itself leaves behind is left alone,
/// for that may be its purpose.
package final class ExecExecutor {
  private let loop: any ActionLoop
  var settings: ActionSettings
  private let environment: ChildEnvironment
  private let children: Children

  package init(loop: any ActionLoop, settings: ActionSettings, children: Children) {
    self.loop = loop
    self.children = children
    self.settings = settings
    environment = ChildEnvironment(settings.environment)
  }

  /// The argument vector that would be run.
  package func plan(_ request: ExecRequest) throws(ActionRefusal) -> [String] {
    try settings.grants.arguments(of: request)
  }

  package func start(
    _ request: ExecRequest, facts: [String: String], ended: @escaping (ActionResult) -> Void
  ) throws(ActionRefusal) -> any RunningAction {
    let command = RunningCommand(
      name: request.command, loop: loop, grace: settings.grace, ended: ended)
    try command.begin(
      plan(request), environment: environment.forCommand(facts), timeout: request.timeout,
      among: children)
    return command
  }
}

/// One command at work.
private final class RunningCommand: RunningAction {
  private let name: String
  private let loop: any ActionLoop
  private let grace: Duration
  private let ended: (ActionResult) -> Void
  private var child: Child?
  private var outputTicket: (any LoopTicket)?
  private var timer: (any LoopTicket)?
  private var output: [UInt8] = []
  private var isOutputCut = false
  private var isOutputOpen = false
  /// Why it is being ended, once it is.
  private var verdict: ActionResult?

  /// Read in one turn, and after the end; more waits for the next turn, or for nobody.
  private static let turnBytes = 256 * 1024

  init(
    name: String, loop: any ActionLoop, grace: Duration, ended: @escaping (ActionResult) -> Void
  ) {
    self.name = name
    self.loop = loop
    self.grace = grace
    self.ended = ended
  }

  func begin(
    _ arguments: [String], environment: [String], timeout: Duration, among children: Children
  ) throws(ActionRefusal) {
    // What the loop holds keeps this alive until the child is reaped.
    let child = try Child(
      arguments, environment: environment, isDetached: false, loop: loop, among: children,
      isOver: { self.isOver() })
    self.child = child
    isOutputOpen = true
    do throws(ActionRefusal) {
      outputTicket = try loop.watch(child.output, for: .read) { _ in self.read() }
      timer = try loop.after(timeout) { self.isLate(timeout) }
    } catch {
      // Nobody has heard of it yet: it ends unheard, with the refusal as its result.
      giveUp(ActionResult(error), SIGKILL)
    }
  }

  func cancel(_ result: ActionResult) { giveUp(result, SIGTERM) }

  private func isLate(_ timeout: Duration) {
    giveUp(
      ActionResult(
        .failed,
        error: "the command \(LineText.word(name)) took longer than \(timeout.shortText) and was "
          + "ended"), SIGTERM)
  }

  private func giveUp(_ result: ActionResult, _ signal: Int32) {
    guard let child, verdict == nil else { return }
    verdict = result
    timer?.remove()
    child.end(signal)
    // One that is stopped hears nothing but this.
    child.end(SIGCONT)
    do throws(ActionRefusal) {
      timer = try loop.after(grace) { [weak child] in child?.end(SIGKILL) }
    } catch {
      child.end(SIGKILL)
    }
  }

  /// Takes what there is; what is beyond the bound is thrown away, so that a command that says much
  /// goes on.
  private func read() {
    guard isOutputOpen, let child else { return }
    var buffer = [UInt8](repeating: 0, count: 32 * 1024)
    var total = 0
    while total < Self.turnBytes {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(child.output, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return closeOutput() }
      total += count
      let room = ActionLimits.outputBytes - output.count
      output += buffer.prefix(min(count, room))
      if count > room { isOutputCut = true }
    }
  }

  private func closeOutput() {
    guard isOutputOpen, let child else { return }
    isOutputOpen = false
    outputTicket?.remove()
    outputTicket = nil
    close(child.output)
  }

  /// The first process has ended; others may still hold the output.
  private func isOver() {
    guard let child else { return }
    if verdict != nil { child.end(SIGKILL) }
    read()
    guard let end = child.reap() else { return }
    closeOutput()
    timer?.remove()
    timer = nil
    self.child = nil
    ended(result(end))
  }

  private func result(_ end: Child.End) -> ActionResult {
    var result = verdict ?? ActionResult(end.isGood ? .succeeded : .failed)
    if verdict == nil, !end.isGood {
      result.error = "the command \(LineText.word(name)) \(end.message)"
      if let line = lastLine { result.error += ": \(line)" }
    }
    result.exitCode = end.code
    result.signal = end.signal
    result.output = output
    result.isOutputCut = isOutputCut
    return result
  }

  /// What a program says last is mostly why it failed.
  private var lastLine: String? {
    let text = String(decoding: output, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
      .map { LineText.escaped(String($0.prefix(200))) }
  }
}
