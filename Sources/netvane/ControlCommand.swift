import Glibc
import PathDaemon

/// `alerts`, `press`, `dismiss` and `reload`: what only the daemon that runs can tell or do.
struct ControlCommand {
  let options: ControlOptions
  let console: Console

  /// Reading again takes as long as all policies' own tests.
  private var patience: Duration { options.call == .reload ? .seconds(30) : .seconds(5) }

  func perform() -> Int32 {
    let client = ControlClient(
      places: Places.controlsToAsk(options.control), isJSON: options.json, patience: patience)
    switch client.ask(options.call) {
    case .answered(let reply): return show(reply)
    case .nobody(let places):
      console.complain("netvane: no daemon answers; looked at:")
      for place in places { console.complain("  \(visible(place))") }
      console.complain("Start one (netvane run), or say where its socket is: --control PATH")
    case .barred(let place):
      console.complain(
        "netvane: a daemon at \(visible(place)) does not answer user \(geteuid()); ask as the user "
          + "that runs it, or as root")
    case .trouble(let sentence): console.complain("netvane: \(visible(sentence))")
    }
    return 2
  }

  private func show(_ reply: ControlClient.Reply) -> Int32 {
    guard let code = reply.exitCode else {
      let isObject = options.json && reply.isOurs && reply.body.hasPrefix("{")
      for line in isObject ? reply.lines(isJSON: true) : ["netvane: \(visible(reply.refusal))"] {
        console.complain(line)
      }
      return reply.status == 503 ? 2 : 1
    }
    for line in reply.lines(isJSON: options.json) where !console.print(line) { return 1 }
    return code
  }
}
