import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What went wrong elsewhere, by public reports, and must not go wrong here: what policies do to
/// the world, with the Lua that a person would write. How it is done is tested in PathActionsTests.
@Suite struct ActionCasesTests {
  private func wait(_ rig: Rig, ms: Int) { rig.simulator.advance(.milliseconds(ms)) }

  /// When what was begun: `5000ms page`.
  private func starts(_ rig: Rig) -> [String] {
    rig.simulator.starts.map { "\($0.at.nanoseconds / 1_000_000)ms \($0.id.key)" }
  }

  private func tunnel(_ rig: Rig) {
    rig.simulator.feed(.snapshot(.online("tun9", type: .other, index: 9)))
  }

  // MARK: M-03, A-04

  /// A tunnel that is restarted at each change, and changes the path by that, 400 ms later.
  private func restarts(_ rig: Rig, turns: Int) {
    rig.online()
    for _ in 0..<turns {
      wait(rig, ms: 100)
      rig.simulator.feed(.snapshot(.online()))
      wait(rig, ms: 200)
      tunnel(rig)
      wait(rig, ms: 100)
      rig.simulator.end("tunnel", ActionResult(.succeeded))
      wait(rig, ms: 600)
    }
  }

  private static func restarting(_ monitors: String, _ entries: String, _ guardian: String)
    -> String
  {
    """
    local p = { api = 1, monitors = { internet = { \(monitors) } } }
    function p.on_path(ctx, ev)
      \(guardian)
      ctx.exec { key = "tunnel", command = "tunnel", args = { "restart" }, \(entries) }
    end
    function p.on_result(ctx, ev) if ev.error then ctx.log(ev.error) end end
    return p
    """
  }

  @Test func `M-03 an action that changes the network does not feed itself`() {
    let rig = Rig(
      Self.restarting("", "disturbs = '5s'", "if ev.self_inflicted then return end"))
    restarts(rig, turns: 3)
    #expect(starts(rig) == ["0ms tunnel"])
    let own = rig.simulator.deliveries.dropFirst().map(\.event.isSelfInflicted)
    #expect(own.count == 5 && own.allSatisfy { $0 })
  }

  @Test func `M-03 nor does it when the monitor leaves its own interface out`() {
    let rig = Rig(Self.restarting("ignore = { 'tun*' }", "", ""))
    rig.online()
    for _ in 0..<3 {
      rig.simulator.feed(.snapshot(.wirelessUnderTunnel))
      wait(rig, ms: 400)
      rig.online()
      rig.simulator.end("tunnel", ActionResult(.succeeded))
      wait(rig, ms: 400)
    }
    #expect(starts(rig) == ["0ms tunnel"])
  }

  @Test func `M-03 and without either its limit ends the loop, and the policy hears why`() {
    let rig = Rig(Self.restarting("", "limit = '3/1m'", ""))
    restarts(rig, turns: 20)
    #expect(starts(rig).count == 3)
    #expect(rig.logged.contains("more than 3 in 1m"))
    #expect(rig.faults == [])
  }

  @Test func `A-04 a restart of 40 seconds after a blip is no new reason for a restart`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_path(ctx, ev)
        if ev.status ~= "satisfied" and not ev.self_inflicted then
          ctx.exec { key = "restart", command = "ifrestart", disturbs = "45s", limit = "2/1h" }
        end
      end
      return p
      """)
    rig.online()
    wait(rig, ms: 10_000)
    rig.offline(settling: .seconds(2))
    rig.online()
    wait(rig, ms: 500)
    rig.offline(settling: .seconds(38))
    rig.simulator.end("restart", ActionResult(.succeeded, exitCode: 0))
    rig.online()
    wait(rig, ms: 600_000)
    #expect(starts(rig) == ["10250ms restart"])
    #expect(
      rig.simulator.deliveries.map(\.event.isSelfInflicted) == [false, false, true, true, true])
  }

  // MARK: A-06

  private static let page = """
    local p = { api = 1 }
    function p.on_path(ctx, ev)
      if ev.status == "satisfied" then
        ctx.retry { key = "page", open_url = { url = "https://www.example.com/" },
          attempts = 6, base = "2s", cap = "30s", now = true }
      end
    end
    function p.on_result(ctx, ev) ctx.log((ev.ok and "open " or "closed ") .. ev.attempt) end
    return p
    """

  /// The target answers from `until` on. When each try came.
  private func open(_ rig: Rig, until: Duration, for time: Duration) -> [Duration] {
    while rig.simulator.awake < time {
      let now = rig.simulator.awake
      let ending: ActionResult.Ending = now >= until ? .succeeded : .failed
      rig.simulator.end("page", ActionResult(ending, error: "refused"))
      rig.simulator.advance(.milliseconds(10))
    }
    return rig.simulator.starts.map(\.at)
  }

  @Test func `A-06 a page is tried again until the server is there`() {
    let rig = Rig(Self.page)
    rig.offline(settling: .seconds(5))
    rig.online()
    let times = open(rig, until: .seconds(40), for: .seconds(600))
    #expect(times.first == .seconds(5))
    for ((first, second), whole) in zip(zip(times, times.dropFirst()), [2, 4, 8, 16, 30]) {
      let wait = second - first
      #expect(wait >= .seconds(whole) / 2 && wait <= .seconds(whole) + .milliseconds(10))
    }
    #expect((5...6).contains(times.count))
    #expect(rig.logged == ["open \(times.count)"])
  }

  @Test func `A-06 six times at most, also over losses of the path that nobody was told of`() {
    let rig = Rig(Self.page)
    rig.online()
    var times: [Duration] = []
    for turn in 1...200 {
      // Rarely enough that it is no unrest, which would be told.
      times = open(rig, until: .seconds(9999), for: .seconds(turn * 8))
      rig.simulator.feed(.snapshot(.offline()))
      rig.simulator.advance(.milliseconds(100))
      rig.simulator.feed(.snapshot(.online()))
    }
    #expect(times.count == 6 && rig.logged == ["closed 6"])
  }

  @Test func `A-06 the loss of the path pauses the series`() {
    let rig = Rig(Self.page)
    rig.online()
    _ = open(rig, until: .seconds(9999), for: .seconds(10))
    rig.offline(settling: .seconds(1))
    let before = rig.simulator.starts.count
    _ = open(rig, until: .seconds(9999), for: .seconds(600))
    #expect(rig.simulator.starts.count == before)
  }

  // MARK: D-03

  @Test func `D-03 a page waits for the name server that comes after the route`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_path(ctx, ev)
        if ev.status == "satisfied" and ev.dns then
          ctx.open_url { key = "page", url = "https://www.example.com/", cooldown = "1m" }
        end
      end
      return p
      """)
    var snapshot = Snapshot.online()
    let servers = snapshot.nameServers
    snapshot.nameServers = []
    rig.simulator.feed(.snapshot(snapshot))
    wait(rig, ms: 2000)
    snapshot.nameServers = servers
    rig.simulator.feed(.snapshot(snapshot))
    wait(rig, ms: 10_000)
    #expect(starts(rig) == ["2000ms page"])
  }

  // MARK: X

  @Test func `X-03 what a shell would read reaches the command as one word, and no page is opened`()
  {
    let rig = Rig.onPath(
      """
      ctx.exec { key = "e", command = "c", args = { "a\\nb; `id` $(id) 'x' \\"y\\"" } }
      ctx.open_url { key = "a", url = 'https://example.com/?a="; touch MARKER #' }
      ctx.open_url { key = "b", url = "$(id)" }
      ctx.open_url { key = "c", url = 'https://example.com/?a=%22;%20touch%20MARKER%20%23' }
      """)
    rig.online()
    var taken: [String] = []
    for start in rig.simulator.starts {
      switch start.action {
      case .exec(let request):
        #expect(request.arguments == ["a\nb; `id` $(id) 'x' \"y\""])
        if (try? request.check()) != nil { taken.append(start.id.key) }
      case .openURL(let request):
        if (try? request.check()) != nil { taken.append(start.id.key) }
      case .http: break
      }
    }
    #expect(taken == ["e", "c"] && rig.simulator.starts.count == 4)
  }

  @Test func `X-08 no event waits for an action, nor for the event it leads to`() {
    let rig = Rig([
      "a": """
      return { api = 1, on_start = function(ctx) ctx.exec { key = "vpn", command = "vpn" } end,
        on_result = function(ctx, ev) ctx.log("vpn is up") end }
      """,
      "b": """
      return { api = 1, on_path = function(ctx, ev)
        ctx.exec { key = "note", command = "note", args = { ev.interface } } end }
      """,
    ])
    rig.online()
    tunnel(rig)
    #expect(starts(rig) == ["0ms vpn", "0ms note"])
    rig.simulator.end("note", ActionResult(.succeeded))
    #expect(
      rig.simulator.starts.last?.action.description == "exec note tun9 within 30s"
        || rig.simulator.starts.last?.action.description == #"exec note "tun9" within 30s"#)
    rig.simulator.end("vpn", ActionResult(.succeeded))
    #expect(rig.logged == ["vpn is up"])
  }

  @Test func `X-11 a failure is told once with its reason, and what comes next is handled`() {
    let rig = Rig(
      """
      local p = { api = 1 }
      function p.on_path(ctx, ev)
        if ev.status == "satisfied" then ctx.log("up") return end
        for _, key in ipairs { "a", "b", "c", "d" } do ctx.exec { key = key, command = key } end
      end
      function p.on_result(ctx, ev)
        ctx.log(ev.key .. " " .. (ev.exit or ev.signal or "none") .. " " .. ev.error)
      end
      return p
      """)
    rig.online()
    rig.offline()
    let ends = [
      ("a", ActionResult(.failed, error: "it ended with 1", exitCode: 1)),
      ("b", ActionResult(.failed, error: "it ended with 126", exitCode: 126)),
      ("c", ActionResult(.failed, error: "signal 11 ended it", signal: 11)),
      ("d", ActionResult(.refused, error: "there is no /no/such")),
    ]
    for (key, result) in ends + ends { rig.simulator.end(key, result) }
    rig.online()
    #expect(
      rig.logged == [
        "up", "a 1 it ended with 1", "b 126 it ended with 126", "c 11 signal 11 ended it",
        "d none there is no /no/such", "up",
      ])
    #expect(
      rig.simulator.reports.map(\.state)
        == [.started, .started, .started, .started, .failed, .failed, .failed, .refused])
  }

  // MARK: L-08, T

  private static let patient = """
    local p = { api = 1 }
    function p.on_start(ctx, ev)
      if ev.reason == "start" then
        ctx.retry { key = "k", exec = { command = "c" }, base = "1h", cap = "1h", limit = "2/1h" }
      end
    end
    return p
    """

  @Test func `L-08 ten reloads make no second retry, and none is lost`() {
    let rig = Rig(Self.patient)
    rig.online()
    for turn in 0..<10 {
      rig.load(["p": Self.patient + " -- \(turn)"], reason: .reload)
      wait(rig, ms: 1000)
    }
    rig.simulator.advance(.seconds(3601))
    #expect(starts(rig).count == 1)
    #expect(rig.simulator.timers.isEmpty)
  }

  @Test
  func `T-01 the wait for the next try counts the time asleep, and comes after the first look`() {
    let rig = Rig(Self.patient)
    rig.online()
    rig.simulator.feed(.asleep)
    rig.simulator.sleep(.seconds(7200))
    rig.simulator.feed(.resumed)
    wait(rig, ms: 1000)
    #expect(starts(rig) == [])
    rig.online()
    wait(rig, ms: 2000)
    #expect(starts(rig).count == 1)
  }

  @Test func `T-02 a step of the clock on the wall moves no try and no limit`() {
    let times = [Duration.zero, .seconds(50 * 31_536_000), .seconds(-20 * 31_536_000)].map { step in
      let rig = Rig(Self.patient)
      rig.online()
      rig.simulator.advance(.seconds(5))
      rig.simulator.wallOffset = step
      for _ in 0..<4 {
        rig.simulator.advance(.seconds(3600))
        rig.simulator.end("k", ActionResult(.failed, error: "no"))
      }
      return starts(rig)
    }
    #expect(times[0].count >= 3 && times[1] == times[0] && times[2] == times[0])
  }
}

extension Snapshot {
  /// A wireless network whose default route a tunnel has taken.
  fileprivate static var wirelessUnderTunnel: Snapshot {
    var snapshot = Snapshot.online()
    let tunnel = Snapshot.online("tun9", type: .other, index: 9)
    snapshot.interfaces += tunnel.interfaces.filter { $0.name == "tun9" }
    snapshot.ipv4 = tunnel.ipv4
    return snapshot
  }
}
