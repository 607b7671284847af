import Glibc
package import PathCore

/// Shows pages to the person: starts a browser, which then lives its own life.
///
/// A browser gets a session of its own and none of Netvane's descriptors, so it survives Netvane.
/// It is still reaped when it ends. A start counts as good when it ends well, or goes on.
package final class OpenURLExecutor {
  /// What would be started.
  package struct Plan {
    package var program: String
    package var url: ActionURL
  }

  private struct Key: Hashable {
    var policy: String
    var key: String
  }

  private let loop: any ActionLoop
  var settings: ActionSettings
  private let environment: ChildEnvironment
  private let children: Children
  /// The browsers that have not ended, by process number.
  private var browsers: [Int32: Child] = [:]
  /// When each key's page was last opened.
  private var opened: [Key: Duration] = [:]

  /// Keys whose last opening is remembered.
  private static let openedMost = 1024

  package init(loop: any ActionLoop, settings: ActionSettings, children: Children) {
    self.loop = loop
    self.children = children
    self.settings = settings
    environment = ChildEnvironment(settings.environment)
  }

  package func plan(
    _ id: ActionID, _ request: OpenURLRequest
  ) throws(ActionRefusal) -> Plan {
    let url = try settings.grants.url(of: request)
    guard environment.isGraphical else {
      throw ActionRefusal(
        "there is no graphical session to open a page in: neither WAYLAND_DISPLAY nor DISPLAY is "
          + "set")
    }
    let wanted = request.browsers.isEmpty ? [BrowserTable.standard] : request.browsers
    let program = try BrowserTable.find(wanted, in: settings.browserFolders)
    if let last = opened[Key(policy: id.policy, key: id.key)] {
      let left = last + request.cooldown - loop.awakeTime
      if left > .zero {
        let seconds = Duration.seconds(left.components.seconds + 1)
        throw ActionRefusal(
          "a page was opened a moment ago; the cooldown ends in \(seconds.shortText)")
      }
    }
    return Plan(program: program, url: url)
  }

  package func start(
    _ id: ActionID, _ request: OpenURLRequest, ended: @escaping (ActionResult) -> Void
  ) throws(ActionRefusal) -> any RunningAction {
    let plan = try plan(id, request)
    guard browsers.count < ActionLimits.browsers else {
      throw ActionRefusal(
        "\(browsers.count) browsers that were opened before still run; that is the most")
    }
    let start = BrowserStart(program: plan.program, ended: ended)
    var pid: Int32 = 0
    let child = try Child(
      [plan.program, plan.url.text], environment: environment.forBrowser(), isDetached: true,
      loop: loop, among: children
    ) { [self] in
      guard let end = browsers[pid]?.reap() else { return }
      browsers[pid] = nil
      start.isOver(end)
    }
    pid = child.pid
    browsers[pid] = child
    noteOpening(id)
    start.wait(settings.browserPatience, loop)
    return start
  }

  /// The page of this key was opened now; a dry run says so too.
  func noteOpening(_ id: ActionID) {
    if opened.count >= Self.openedMost, let oldest = opened.min(by: { $0.value < $1.value }) {
      opened[oldest.key] = nil
    }
    opened[Key(policy: id.policy, key: id.key)] = loop.awakeTime
  }
}

/// The first moments of a browser, of which the result tells.
private final class BrowserStart: RunningAction {
  private let program: String
  private var ended: ((ActionResult) -> Void)?
  private var timer: (any LoopTicket)?

  init(program: String, ended: @escaping (ActionResult) -> Void) {
    self.program = program
    self.ended = ended
  }

  func wait(_ patience: Duration, _ loop: any ActionLoop) {
    // Without a timer the result comes with the browser's end.
    timer = try? loop.after(patience) { self.tell(ActionResult(.succeeded)) }
  }

  func isOver(_ end: Child.End) {
    guard !end.isGood else { return tell(ActionResult(.succeeded, exitCode: 0)) }
    var message = "\(LineText.word(program)) \(end.message)"
    // xdg-open(1).
    if program.hasSuffix("/xdg-open"), end.code == 3 { message += ": it found no browser" }
    tell(ActionResult(.failed, error: message, exitCode: end.code, signal: end.signal))
  }

  /// The page is as good as open; only the result changes.
  func cancel(_ result: ActionResult) { tell(result) }

  private func tell(_ result: ActionResult) {
    timer?.remove()
    timer = nil
    let ended = ended
    self.ended = nil
    ended?(result)
  }
}
