import Foundation
import Glibc
import PathCore
import PathPolicy
import PathStore
import PathTestKit
import Testing

@testable import PathDaemon

/// What the daemon keeps, and when it looks after it.
@Suite struct KeeperTests {
  private let root = NSTemporaryDirectory() + "netvane-keeper-\(UUID().uuidString)"

  private func settings(_ state: String?) -> DaemonSettings {
    var settings = DaemonSettings(scripts: [], configuration: Configuration(), version: "test")
    settings.state = state
    settings.bootID = "boot"
    return settings
  }

  /// An engine with one policy that publishes how often it was called.
  private func engine() -> Engine {
    let host = ScriptedHost()
    var calls = 0
    host.on("p", .path) { _, outcome in
      calls += 1
      outcome.publish("calls", String(repeating: "x", count: 5000) + String(calls))
    }
    var engine = Engine(host: host)
    let now = Clocks.now()
    _ = engine.handle(
      .policies(
        PolicySet(
          reason: .start,
          loaded: [host.declaration("p", settle: .fixed(.zero))], changed: ["p"])), at: now)
    return engine
  }

  private func size(_ name: String) -> Int {
    var status = stat()
    return stat("\(root)/\(name)", &status) == 0 ? Int(status.st_size) : 0
  }

  @Test func `the log is brought over in an idle moment, and then nothing wakes anybody`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let loop = try EventLoop()
    var said: [String] = []
    let keeper = try Keeper(settings(root), loop: loop, idle: .milliseconds(50)) {
      said.append($0)
    }
    #expect(!keeper.isWaiting)
    var engine = engine()
    let now = Clocks.now()
    let orders = engine.handle(.snapshot(.online()), at: now)
    #expect(keeper.keep(orders, of: &engine, at: now) == [])
    let before = size("netvane.db")
    #expect(keeper.isWaiting && size("netvane.db-wal") > 5000)
    let end = try loop.makeTimer(.boot) { loop.stop(0) }
    // The system may bundle its wake-ups.
    end.arm(at: now.boot + .milliseconds(2500))
    _ = try loop.run()
    #expect(size("netvane.db") > before && said == [])
    #expect(!keeper.isWaiting)
    keeper.close()
    let again = try Keeper(settings(root), loop: EventLoop()) { said.append($0) }
    #expect(again.recall().memories["p"] == engine.memory(of: "p"))
    #expect(!again.isWaiting)
    again.close()
  }

  @Test func `a place that another has is refused; a place that cannot be is told of and retried`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let loop = try EventLoop()
    let keeper = try Keeper(settings(root), loop: loop) { _ in }
    let refusal = #expect(throws: DaemonError.self) {
      _ = try Keeper(settings(root), loop: loop) { _ in }
    }
    #expect(refusal?.message.contains("in use by another netvane") == true)
    let nowhere = try Keeper(settings("/proc/netvane"), loop: loop) { _ in }
    #expect(nowhere.openingNotices.count == 1 && nowhere.isWaiting)
    var engine = engine()
    #expect(nowhere.keep([], of: &engine, at: Clocks.now()) == [])
    keeper.close()
  }

  /// Looks at a copy of the file, as it would be found if the daemon were killed at this report.
  private final class Onlooker: DaemonDelegate {
    let root: String
    var stop: () -> Void = {}
    private(set) var seen: [String] = []

    init(_ root: String) { self.root = root }

    func input(_ line: String) -> [Fact] { [] }

    func report(_ report: Report, at time: WallTime) -> Bool {
      switch report {
      case .publish(let notice): seen.append("publish \(notice.name): \(stored())")
      case .alert(let notice): seen.append("alert \(notice.state): \(stored())")
      case .ready: stop()
      default: break
      }
      return true
    }

    private func stored() -> String {
      let copy = "\(root)-\(seen.count)"
      defer { try? FileManager.default.removeItem(atPath: copy) }
      try? FileManager.default.copyItem(atPath: root, toPath: copy)
      guard
        case .opened(let store) = PolicyStore.open(
          directory: copy, bootID: "boot", at: Clocks.now())
      else { return "damaged" }
      defer { store.close() }
      guard let memory = store.recall(at: Clocks.now()).memories["p"] else { return "nothing" }
      return "\(memory.alerts.keys.sorted()) \(memory.published.keys.sorted())"
    }
  }

  @Test func `an alert and a value are told when they are kept`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let text = """
      return { api = 1, on_start = function(ctx)
        ctx.alert.raise { key = "a", title = "t" }
        ctx.publish("n", 1)
      end }
      """
    var settings = settings(root)
    settings.scripts = [PolicyScript(name: "p", file: "p.lua", source: Array(text.utf8))]
    let delegate = Onlooker(root)
    let daemon = try Daemon(settings: settings, delegate: delegate)
    delegate.stop = { daemon.loop.stop(0) }
    #expect(try daemon.run() == 0)
    #expect(delegate.seen == [#"alert raised: ["a"] ["n"]"#, #"publish n: ["a"] ["n"]"#])
  }

  @Test func `nothing is kept where nothing is asked for`() throws {
    let loop = try EventLoop()
    var dry = settings(root)
    dry.isDryRun = true
    for settings in [settings("none"), dry] {
      let keeper = try Keeper(settings, loop: loop) { _ in }
      var engine = engine()
      #expect(keeper.keep([], of: &engine, at: Clocks.now()) == [])
      #expect(keeper.openingNotices == [] && !keeper.isWaiting)
      keeper.close()
    }
    #expect(size("netvane.db") == 0)
  }
}
