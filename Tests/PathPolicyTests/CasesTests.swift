import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What went wrong elsewhere, by public reports, and must not go wrong here: the rules about time,
/// alerts and delivery, with the Lua that a person would write.
@Suite struct CasesTests {
  let simulator = Simulator()

  /// Loads one policy; a text that is refused is a failure.
  private func load(_ source: String, name: String = "case") {
    simulator.load([PolicyScript(name: name, file: name + ".lua", source: Array(source.utf8))])
    for entry in simulator.log {
      if case .policy(_, .rejected, let detail) = entry.order { Issue.record("\(detail)") }
    }
  }

  private func up(_ name: String = "wlan0") { simulator.feed(.snapshot(.online(name))) }
  private func down() { simulator.feed(.snapshot(.offline())) }
  private func wait(ms: Int) { simulator.advance(.milliseconds(ms)) }

  /// `raised 1000ms Title`.
  private var said: [String] {
    simulator.notices.map {
      "\($0.notice.state.rawValue) \($0.at.nanoseconds / 1_000_000)ms \($0.notice.content.title)"
    }
  }

  private var logged: [String] {
    simulator.log.compactMap { entry in
      if case .log(_, let text) = entry.order { text } else { nil }
    }
  }

  @Test func `A-01 the second outage is announced though the end of the first was not shown`() {
    load(
      """
      local policy = { api = 1, monitors = { internet = { settle = "1s" } } }
      function policy.on_path(ctx, ev)
        if ev.status ~= "satisfied" then
          ctx.alert.raise { key = "down", title = "Down", expires = "5s" }
        end
      end
      return policy
      """)
    up()
    down()
    wait(ms: 10_000)
    up()
    wait(ms: 30_000)
    down()
    wait(ms: 10_000)
    #expect(
      said.filter { $0.hasPrefix("raised") } == ["raised 1000ms Down", "raised 41000ms Down"])
  }

  private static let slowToComplain = """
    local policy = { api = 1 }
    function policy.settle(ctx, ev) return ev.status == "satisfied" and "0s" or "10s" end
    function policy.on_path(ctx, ev)
      if ev.status ~= "satisfied" then
        ctx.alert.raise { key = "down", title = "Down" }
      else
        ctx.alert.resolve "down"
      end
    end
    return policy
    """

  @Test func `A-02 an outage that was interrupted is not one long outage`() {
    load(Self.slowToComplain)
    up()
    down()
    wait(ms: 4000)
    up()
    wait(ms: 3000)
    down()
    wait(ms: 20_000)
    #expect(said == ["raised 17000ms Down"])
  }

  @Test func `A-02 nor is one that ends before the delay`() {
    load(Self.slowToComplain)
    up()
    down()
    wait(ms: 4000)
    up()
    wait(ms: 3000)
    down()
    wait(ms: 9000)
    up()
    wait(ms: 60_000)
    #expect(said == [])
  }

  @Test func `A-03 slow to complain and at once to clear, as one alert`() {
    load(
      """
      local policy = { api = 1 }
      function policy.settle(ctx, ev) return ev.status == "satisfied" and "0s" or "5s" end
      function policy.on_path(ctx, ev)
        if ev.status ~= "satisfied" then
          ctx.alert.raise { key = "c", title = "Down" }
        elseif ctx.alert.active "c" then
          ctx.alert.raise { key = "c", title = "Back", expires = "3s" }
        end
      end
      return policy
      """)
    up()
    down()
    wait(ms: 4900)
    up()
    wait(ms: 5100)
    down()
    wait(ms: 6000)
    up()
    wait(ms: 60_000)
    #expect(said == ["raised 15000ms Down", "updated 16000ms Back", "expired 19000ms Back"])
  }

  private static let changesOfStatus = """
    local policy = { api = 1, monitors = { internet = { settle = "10s" } } }
    function policy.on_path(ctx, ev)
      if ev.changed.status or ev.status ~= "satisfied" then
        ctx.alert.raise { key = "c", title = ev.status }
      end
    end
    return policy
    """

  @Test func `A-05 a login whose network comes up a little later is no news`() {
    load(Self.changesOfStatus)
    simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    wait(ms: 3000)
    up()
    wait(ms: 60_000)
    #expect(said == [])
  }

  @Test func `A-05 one whose network does not come up is said once`() {
    load(Self.changesOfStatus)
    simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    wait(ms: 60_000)
    #expect(said == ["raised 10000ms unsatisfied"])
  }

  @Test func `A-07 a loss in several parts is one loss`() {
    load(
      """
      local policy = { api = 1 }
      function policy.on_path(ctx, ev)
        if ev.changed.status then ctx.log(ev.status) end
        if ev.status ~= "satisfied" then ctx.alert.raise { key = "c", title = "Down" } end
      end
      return policy
      """)
    up()
    var parts = Snapshot.online()
    parts.interfaces[1].flags = [.up]
    parts.interfaces[1].operationalState = .down
    simulator.feed(.snapshot(parts))
    wait(ms: 3000)
    parts.interfaces[1].addresses = []
    simulator.feed(.snapshot(parts))
    wait(ms: 10)
    down()
    wait(ms: 60_000)
    #expect(logged == ["unsatisfied"])
    #expect(said == ["raised 250ms Down"])
  }

  @Test func `T-01 a delay counts the time asleep, and what it says is checked after it`() {
    load(
      """
      local policy = { api = 1 }
      function policy.on_path(ctx, ev)
        if ev.status ~= "satisfied" then
          ctx.timer.start("complain", "600s", { until_change = "internet" })
        end
      end
      function policy.on_timer(ctx, ev)
        ctx.alert.raise { key = "c", title = "Down for long" }
      end
      return policy
      """)
    up()
    down()
    wait(ms: 100_000)
    simulator.feed(.asleep)
    simulator.sleep(.seconds(1900))
    simulator.feed(.resumed)
    wait(ms: 200)
    #expect(said == [])
    down()
    #expect(said == ["raised 100200ms Down for long"])
    wait(ms: 1_000_000)
    #expect(said.count == 1)
  }

  @Test func `T-02 a step of the clock on the wall moves no delay`() {
    load(
      """
      local policy = { api = 1 }
      function policy.on_path(ctx, ev)
        if ev.status ~= "satisfied" then ctx.timer.start("complain", "30s") end
      end
      function policy.on_timer(ctx, ev)
        ctx.alert.raise { key = "c", title = "Down", body = ctx.time.date }
      end
      return policy
      """)
    up()
    down()
    wait(ms: 5000)
    simulator.wallOffset = .seconds(50 * 365 * 86_400)
    wait(ms: 5000)
    simulator.wallOffset = .zero
    wait(ms: 60_000)
    #expect(said == ["raised 30250ms Down"])
    #expect(simulator.alerts["case/c"]?.body == "1970-01-01")
  }

  @Test func `M-01 a first state that is down is told, once to each monitor`() {
    load(
      """
      local policy = { api = 1, monitors = {
        any = {}, radio = { required = "wifi" }, modem = { required = "cellular" } } }
      function policy.on_path(ctx, ev)
        ctx.log(ev.monitor .. " " .. ev.status .. " " .. tostring(ev.initial))
      end
      return policy
      """)
    simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    wait(ms: 60_000)
    #expect(
      logged == [
        "any unsatisfied true", "modem unsatisfied true", "radio unsatisfied true",
      ])
  }

  @Test func `M-05 before the first verdict there is no path to read`() {
    load(
      """
      local policy = { api = 1 }
      function policy.on_start(ctx, ev) ctx.log("start " .. tostring(ctx.path "internet")) end
      function policy.on_path(ctx, ev) ctx.log("path " .. ctx.path("internet").status) end
      return policy
      """)
    #expect(logged == ["start nil"])
    up()
    #expect(logged == ["start nil", "path satisfied"])
  }

  /// The wireless path with other links beside it, each with an address and no way out.
  private func online(with others: [String]) -> Snapshot {
    var snapshot = Snapshot.online()
    for (index, name) in others.enumerated() {
      var link = Interface(
        index: Int32(10 + index), name: name, type: .other, flags: [.up, .running, .lowerUp])
      link.kind = name.hasPrefix("ov") ? "tun" : "bridge"
      link.operationalState = .up
      link.addresses = [
        InterfaceAddress(IPAddress(ipv4: 0xAC10_0001 + UInt32(index) << 16), prefixLength: 16)
      ]
      link.ipv4 = .noRoute
      link.ipv6 = .noRoute
      snapshot.interfaces.append(link)
    }
    return snapshot
  }

  private static let everyPath = """
    local policy = { api = 1 }
    function policy.on_path(ctx, ev) ctx.log(ev.status .. " " .. tostring(ev.interface)) end
    return policy
    """

  @Test func `M-07 a boot full of container bridges is one path`() {
    load(Self.everyPath)
    simulator.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    wait(ms: 50)
    for count in 0...12 {
      simulator.feed(.snapshot(online(with: (0..<count).map { "br-\($0)" })))
      wait(ms: 10)
    }
    wait(ms: 60_000)
    #expect(logged == ["satisfied wlan0"])
  }

  @Test func `P-07 an overlay that comes and goes beside the path is no change`() {
    load(Self.everyPath)
    up()
    for _ in 0..<10 {
      simulator.feed(.snapshot(online(with: ["ov0"])))
      wait(ms: 500)
      up()
      wait(ms: 500)
    }
    #expect(logged == ["satisfied wlan0"])
    #expect(simulator.timers.isEmpty)
  }
}
