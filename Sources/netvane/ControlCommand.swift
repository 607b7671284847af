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
    let outcome = client.ask(options.call)
    if case .answered(let reply) = outcome { return show(reply) }
    for line in outcome.obstacle { console.complain(line) }
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
    for line in reply.lines(isJSON: options.json) { console.print(line) }
    return code
  }
}

extension ControlClient.Outcome {
  /// What stood in the way and what to do about it, as lines for people; none for an answer.
  var obstacle: [String] {
    switch self {
    case .answered: []
    case .nobody(let places):
      ["netvane: no daemon answers; looked at:"] + places.map { "  \(visible($0))" }
        + ["Start one (netvane run), or say where its socket is: --control PATH"]
    case .barred(let place):
      [
        "netvane: a daemon at \(visible(place)) does not answer user \(geteuid()); ask as the user "
          + "that runs it, or as root"
      ]
    case .trouble(let sentence): ["netvane: \(visible(sentence))"]
    }
  }
}
