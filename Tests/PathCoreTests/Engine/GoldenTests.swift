import PathCore
import PathTestKit
import Testing

/// Time-lines kept as text. `NETVANE_BLESS=1 swift test --filter GoldenTests` writes them anew.
@Suite struct GoldenTests {
  private func banner() -> ScriptedWorld {
    let world = ScriptedWorld()
    RandomWorld.script(world.host, faultsEvery: 3)
    world.start(world.host.declaration("banner", settle: .function))
    return world
  }

  private func check(_ name: String, _ world: ScriptedWorld) {
    #expect(world.host.complaints == [])
    if let complaint = Golden(name, world.transcript).complaint() { Issue.record("\(complaint)") }
  }

  @Test func `a banner goes from back to lost without a gap`() {
    let world = banner()
    world.up()
    world.down()
    world.wait(ms: 2000)
    world.up()
    world.wait(ms: 4300)
    world.down()
    world.wait(ms: 1900)
    world.up()
    world.wait(ms: 100)
    world.down()
    world.wait(ms: 2500)
    world.up()
    world.wait(ms: 6000)
    check("banner-without-gap", world)
  }

  @Test func `flapping is told once in a window, and the final state`() {
    let world = banner()
    world.up()
    for _ in 0..<9 {
      world.down()
      world.wait(ms: 1900)
      world.dormant()
      world.wait(ms: 1500)
      world.up()
      world.wait(ms: 250)
    }
    world.wait(ms: 300)
    check("flapping", world)
  }

  @Test func `a sleep with a lost network after it`() {
    let world = banner()
    world.up()
    world.down()
    world.wait(ms: 1000)
    world.feed(.asleep)
    world.sleep(.seconds(3600))
    world.wait(ms: 5)
    world.feed(.resumed)
    world.down()
    world.wait(ms: 7000)
    world.dormant()
    world.wait(ms: 1000)
    world.up()
    world.wait(ms: 1000)
    check("resume", world)
  }

  @Test func `a policy that fails, rests and tries again`() {
    let world = ScriptedWorld()
    var isBroken = true
    world.host.on("p", .path) { request, outcome in
      outcome.publish("status", request.change?.path.status.rawValue ?? "")
      if isBroken { throw ScriptedHost.Failure("attempt to index a nil value (field 'ipv4')") }
    }
    world.start(world.host.declaration("p", settle: .fixed(.zero)))
    world.up()
    world.down()
    world.up()
    world.down()
    isBroken = false
    world.wait(ms: 61_000)
    world.up()
    check("fault-and-rest", world)
  }

  @Test func `a login whose network comes up a little later`() {
    let world = banner()
    world.feed(.snapshot(Snapshot(interfaces: [.loopback])))
    world.wait(ms: 800)
    world.down()
    world.wait(ms: 1200)
    world.dormant()
    world.wait(ms: 1000)
    world.up()
    world.wait(ms: 10_000)
    check("first-verdict-at-login", world)
  }

  @Test func `a start without a network`() {
    let world = banner()
    world.down()
    world.wait(ms: 8000)
    world.up()
    world.wait(ms: 300)
    check("first-verdict-lost", world)
  }

  @Test func `a start with a network, a gap, a button and the end`() {
    let world = banner()
    world.up()
    world.feed(.gap(detail: "receive buffer\noverrun"))
    world.down()
    world.wait(ms: 2000)
    world.feed(.button(policy: "banner", key: "connection", button: "retry"))
    world.feed(.dismissed(policy: "banner", key: "connection"))
    world.feed(.stop)
    check("initial-satisfied", world)
  }

  @Test func `a retry over an outage, and a command that may run twice in an hour`() {
    let world = ScriptedWorld()
    world.host.on("p", .path) { request, outcome in
      if request.change?.path.status == .satisfied {
        outcome.act(
          ActionRequest(
            key: "page", action: .http(HTTPRequest(url: "https://www.example.com/")),
            retry: RetryRule(base: .seconds(2), cap: .seconds(30), attempts: 6)))
      } else {
        outcome.act(
          ActionRequest(
            key: "reset", action: .exec(ExecRequest(command: "reset", arguments: ["wlan0"])),
            onlyWhile: .unsatisfied, limit: RateLimit(count: 2, per: .seconds(3600)),
            disturbs: .seconds(3)))
      }
    }
    world.host.on("p", .result) { request, outcome in
      guard case .result(let told) = request.event else { return }
      outcome.log("\(told.key) \(told.result.ending.rawValue) #\(told.attempt)")
    }
    world.start(world.host.declaration("p", settle: .fixed(.milliseconds(500))))
    world.up()
    for _ in 0..<3 {
      world.wait(ms: 4000)
      world.end("page", ActionResult(.failed, error: "HTTP 503", statusCode: 503))
      world.down()
      world.wait(ms: 1000)
      world.end("reset", ActionResult(.succeeded, exitCode: 0))
      world.up()
      world.wait(ms: 400)
      world.down()
      world.wait(ms: 4000)
      world.up()
      world.wait(ms: 1000)
    }
    world.wait(ms: 9000)
    world.end("page", ActionResult(.succeeded, statusCode: 200, output: Array("ok".utf8)))
    check("retry-over-outage", world)
  }

  @Test func `a transcript that differs is a failure, and CI cannot bless`() {
    let golden = Golden("initial-satisfied", ["@0.000s nothing"])
    #expect(golden.complaint(environment: [:])?.contains("differs from line 1") == true)
    #expect(
      golden.complaint(environment: ["NETVANE_BLESS": "1", "CI": "1"])?.contains("CI") == true)
    #expect(Golden("none", []).complaint(environment: [:])?.contains("cannot be read") == true)
  }
}
