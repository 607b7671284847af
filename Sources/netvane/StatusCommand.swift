import Glibc
import PathCore
import PathDaemon

/// `netvane status`: how the network is now, and the daemon that watches it; without a daemon, or
/// under a filter, what the kernel says.
struct StatusCommand {
  let options: AskOptions
  let console: Console

  func perform() -> Int32 {
    if options.asksKernel { return askKernel() }
    let client = ControlClient(
      places: Places.controlsToAsk(options.control), isJSON: options.json)
    let outcome = client.ask(.status)
    // Who names a daemon wants its answer, not another.
    if options.control != nil { return show(outcome) }
    let note: String
    switch outcome {
    case .answered(let reply):
      if reply.status == 200 { return show(reply) }
      note = "the daemon does not say how it is: \(reply.refusal)"
    case .nobody: return askKernel(note: "no daemon answers; is `netvane run` running?")
    case .barred(let place):
      note = "a daemon at \(place) does not answer user \(geteuid()): this is the kernel's view"
    case .trouble(let sentence): note = "\(sentence): this is the kernel's view"
    }
    if options.json { console.complain("netvane: \(visible(note))") }
    return askKernel(note: note)
  }

  private func show(_ outcome: ControlClient.Outcome) -> Int32 {
    guard case .answered(let reply) = outcome else {
      for line in outcome.obstacle { console.complain(line) }
      return 2
    }
    guard reply.status == 200 else {
      console.complain("netvane: the daemon does not say how it is: \(visible(reply.refusal))")
      return 2
    }
    return show(reply)
  }

  private func show(_ reply: ControlClient.Reply) -> Int32 {
    let paint = StatusPaint(console: console)
    for line in reply.lines(isJSON: options.json) {
      console.print(options.json ? line : paint.line(line))
    }
    return reply.exitCode ?? 1
  }

  /// `note` is for people only: JSON has the path alone.
  private func askKernel(note: String? = nil) -> Int32 {
    guard let snapshot = options.snapshot(console) else { return 2 }
    let path = PathEvaluator.path(of: snapshot, filter: options.filter)
    if options.json {
      var writer = JSONWriter()
      path.writeJSON(into: &writer)
      console.print(writer.text)
    } else {
      let paint = StatusPaint(console: console)
      var lines = StatusText.lines(path).map(paint.line)
      if let note { lines.append(console.styled("(\(visible(note)))", .faint)) }
      for line in lines { console.print(line) }
    }
    return path.status == .satisfied ? 0 : 1
  }
}

extension ControlClient.Reply {
  /// Whatever is at the other end, these cannot drive a terminal.
  func lines(isJSON: Bool) -> [String] {
    // By scalars: a carriage return and a line feed are one character.
    var lines = body.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { isJSON ? harmlessJSON(String($0)) : visible(String($0)) }
  }

  /// Control characters have no place in JSON but escaped.
  private func harmlessJSON(_ line: String) -> String {
    var shown = ""
    for scalar in line.unicodeScalars {
      switch scalar.value {
      // Line ends of Unicode, and what turns the direction of writing, could mislead too.
      case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
        let digits = String(scalar.value, radix: 16)
        shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}
