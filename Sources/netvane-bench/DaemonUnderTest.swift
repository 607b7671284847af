import Glibc
import PathCore
import PathDaemon
import PathPolicy

/// The daemon as users run it, but for its output: it stamps what its one policy decides.
final class DaemonUnderTest: DaemonDelegate {
  /// Waits for nothing and publishes each verdict.
  static let policy = """
    local policy = { api = 1, description = "says what the verdict is", settle = "0s" }
    function policy.on_path(ctx, ev)
      ctx.publish("verdict", ev.status .. " " .. ev.reason)
    end
    return policy
    """

  /// `state` is where it keeps what its policy must not forget, or `none`.
  static func run(state: String) -> Int32 {
    guard let configuration = try? ConfigurationReader.read(BenchNetwork.configuration) else {
      return 2
    }
    let script = PolicyScript(name: "verdict", file: "verdict.lua", source: Array(policy.utf8))
    var settings = DaemonSettings(
      scripts: [script], configuration: configuration, version: "bench")
    settings.state = state
    let delegate = DaemonUnderTest()
    do {
      return try Daemon(settings: settings, delegate: delegate).run()
    } catch {
      stamp("\(error)")
      return 1
    }
  }

  func report(_ report: Report, at time: WallTime) -> Bool {
    switch report {
    case .publish(let notice):
      stamp(notice.value.flatMap { PlainReader.decode($0)?.text } ?? "nothing")
    case .gap(let detail): stamp("gap \(detail)")
    case .fault(let fault): stamp("fault \(fault)")
    case .ready, .path, .alert, .action, .policy, .reload, .shadow: break
    }
    return true
  }

  func input(_ line: String) -> [Fact] { [] }
}
