import PolicyTesting
import Testing

@Suite("the simulated network") struct NetworkVerbTests {
  @Test func `each verb is seen by the policy as the kernel would show it`() {
    let failure = Bench.body(
      """
      local net = sim.network {
        eth0 = { address = "192.0.2.20/24", gateway = "192.0.2.1" },
        wlan0 = { type = "wifi", ssid = "home", address = { "192.0.2.10/24", "2001:db8::10/64" },
          gateway = { "192.0.2.1", "2001:db8::1" } },
        dns = { "192.0.2.53" },
      }
      sim.expect { path = { interface = "eth0", type = "wired", dns = true, expensive = false } }
      net.drop "eth0"; sim.advance "3s"
      sim.expect { path = { interface = "wlan0", ipv4 = false, ipv6 = true } }
      net.down "eth0"; sim.advance "3s"
      sim.expect { path = { interface = "wlan0", type = "wifi", ssid = "home", ipv6 = true } }
      net.metered("wlan0", true); net.constrained("wlan0", true); sim.advance "3s"
      sim.expect { path = { expensive = true, constrained = true } }
      net.dns(false); sim.advance "3s"; sim.expect { path = { dns = false } }
      net.dns { "192.0.2.99" }; sim.advance "3s"; sim.expect { path = { dns = true } }
      net.up "eth0"; net.restore "eth0"; sim.advance "3s"
      sim.expect { path = { interface = "eth0" } }
      net.remove "eth0"; sim.advance "3s"; sim.expect { path = { interface = "wlan0" } }
      net.add("wwan0", { type = "cellular", metric = 10, address = "198.51.100.7/24",
        gateway = "198.51.100.1" })
      sim.advance "3s"; sim.expect { path = { interface = "wwan0", expensive = true } }
      net.vpn { name = "wg0", over = "wlan0", address = "203.0.113.9/32" , metric = 5 }
      sim.advance "3s"; sim.expect { path = { interface = "wg0", type = "other" } }
      net.remove "wg0"; net.remove "wwan0"; sim.advance "3s"
      net.block("wlan0", true); sim.advance "3s"
      sim.expect { path = { status = "unsatisfied", reason = "radioOff" } }
      net.block("wlan0", false); sim.advance "3s"; sim.expect { path = { status = "satisfied" } }
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `another network by the same interface is a change of network, not of status`() {
    let failure = Bench.onNetwork(
      """
      net.roam("wlan0", { ssid = "cafe", address = "198.51.100.4/24", gateway = "198.51.100.1" })
      sim.advance "5s"
      sim.expect { path = { status = "satisfied", ssid = "cafe", changed = { network = true } } }
      sim.expect_count("path.requiresConnection", 0)
      net.join("wlan0", { ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" })
      sim.advance "5s"; sim.expect { path = { ssid = "home" } }
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `IPv6 alone is a path`() {
    let failure = Bench.body(
      """
      sim.network { eth0 = { address = "2001:db8::10/64", gateway = "fe80::1" } }
      sim.expect { path = { status = "satisfied", ipv4 = false, ipv6 = true } }
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `a path is given by its fields`() {
    let failure = Bench.body(
      """
      sim.path { type = "cellular" }
      sim.expect { path = { interface = "wwan0", type = "cellular", expensive = true } }
      sim.path { status = "unsatisfied" }; sim.advance "5s"
      sim.expect { path = { status = "unsatisfied" } }
      sim.path { type = "wired", expensive = true, dns = false }; sim.advance "5s"
      sim.expect { path = { interface = "eth0", expensive = true, dns = false } }
      sim.path { status = "requiresConnection", type = "wifi" }; sim.advance "5s"
      sim.expect { path = { status = "requiresConnection" } }
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    ("net.drop 'wlan1'", "there is no interface 'wlan1'; did you mean 'wlan0'?"),
    ("net.add('eth9', { adress = '192.0.2.3/24' })", "did you mean 'address'?"),
    ("net.add('eth9', { address = '192.0.2.3' })", "needs its prefix"),
    ("net.add('eth9', { type = 'wify' })", "did you mean 'wifi'?"),
    ("net.add('eth9', { address = '192.0.2.3/24', gateway = '203.0.113.1' })", "nothing leads to"),
    ("net.add('eth9', { address = 'x/24' })", "x/24 is no address"),
    ("net.add('wlan0', {})", "wlan0 exists"),
    ("net.metered('wlan0', 3)", "true or false, not 3"),
    ("net.dns { 'x' }", "'x' is no address"),
    ("net.vpn { name = 'wg0' }", "goes over"),
    ("sim.network { eth0 = {} }", "there already"),
    ("sim.path {}", "without sim.network"),
    ("sim.advance '5 s'", "no duration"),
    ("sim.advance '1000y'", "at most 100y"),
    ("sim.advance(0/0)", "not a number"),
    ("sim.advance(5)", "5 is no duration"),
    ("sim.press('off', 'again')", "no alert 'off' is active; none is"),
    ("sim.finish_action('page', {})", "no action 'page' is at work; none is"),
    ("sim.count 'alert.raise'", "did you mean 'alert.raised'?"),
    ("sim.expect_fuel('on_pth', 5)", "did you mean 'on_path'?"),
    ("sim.expect { path = { stauts = 'x' } }", "did you mean 'status'?"),
    ("sim.expect { log = function() end }", "a function is not plain data"),
    ("sim.advance('1s', '2s')", "takes one argument"),
    ("sim.play { { 'drp', 'wlan0' } }", "did you mean 'drop'?"),
    ("sim.restart { rebot = true }", "did you mean 'reboot'?"),
  ])
  func `what is wrong is told with its line and what was expected`(_ code: String, _ text: String) {
    let failure = Bench.onNetwork(code)
    #expect(says(failure, 4, text), "\(failure.map { "\($0.line): \($0.message)" } ?? "passed")")
  }
}

@Suite("time, people and actions") struct TimeVerbTests {
  @Test func `a button leads to an action, whose end the test decides`() {
    let failure = Bench.onNetwork(
      """
      net.drop "wlan0"; sim.advance "2s"
      sim.press("off", "again")
      sim.expect { actions = { { key = "page", kind = "http", method = "GET" } },
        log = { "pressed again" } }
      sim.mark()
      sim.finish_action("page", { ok = false, status_code = 503, error = "busy" })
      sim.expect { actions = {}, published = { ok = false, code = 503 } }
      sim.expect_order { "action.failed", "published" }
      sim.expect_count("action.started", 1)
      sim.dismiss "off"; sim.expect { alerts = {} }
      sim.expect_fuel("on_button", 100000)
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `behind a captive portal a request ends at once with its redirection`() {
    let failure = Bench.onNetwork(
      """
      net.captive("wlan0", true)
      net.drop "wlan0"; sim.advance "2s"; net.restore "wlan0"
      sim.press("off", "again")
      sim.expect { actions = {}, published = { ok = false, code = 302 } }
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  static let clock = """
    local p = { api = 1, state = { n = 0 } }
    function p.on_start(ctx, ev) ctx.publish("start", ev.reason) ctx.publish("n", ctx.state.n) end
    function p.on_path(ctx, ev) ctx.timer.start_once("tick", "1h") end
    function p.on_timer(ctx, ev) ctx.state.n = ctx.state.n + 1 ctx.publish("n", ctx.state.n)
      ctx.timer.start("tick", "1h") end
    function p.on_system(ctx, ev) ctx.publish("system", ev.what) end
    return p
    """

  @Test func `sleep, reload, restart and overrun keep what must be kept`() {
    let failure = Bench.onNetwork(
      """
      sim.expect { timers = { "tick" }, published = { start = "start" } }
      sim.advance "59m"; sim.expect { timers = { { name = "tick", left = "60s" } } }
      sim.reload(); sim.expect { published = { start = "reload" }, timers = { "tick" } }
      sim.advance "1m"; sim.expect { published = { n = 1 } }
      sim.sleep "8h"; sim.expect { published = { n = 2, system = "resumed" } }
      sim.restart { after = "30m" }
      sim.expect { published = { start = "start", n = 2 },
        timers = { { name = "tick", left = "30m" } } }
      sim.restart { reboot = true, after = "10m" }
      sim.expect { published = { start = "boot", n = 2 },
        timers = { { name = "tick", left = "20m" } } }
      sim.overrun(); sim.expect { published = { system = "gap" } }
      """, policy: Self.clock)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `a simulated year costs only its events`() {
    let failure = Bench.onNetwork(
      "sim.advance '1y'; sim.expect { published = { n = 8760 } }", policy: Self.clock)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test func `nothing happens after a mark, or what did is shown`() {
    #expect(Bench.onNetwork("sim.mark() sim.advance '1h' sim.expect_nothing()") == nil)
    #expect(
      says(
        Bench.onNetwork("sim.mark() net.drop 'wlan0' sim.advance '2s' sim.expect_nothing()"), 4,
        "something happened", "alert p off raised"))
  }

  @Test func `settings of the operator count, and wrong ones are told`() {
    #expect(
      Bench.body(
        "sim.config { grace = '9s' } \(Bench.online) net.drop 'wlan0' sim.advance '8s'"
          + " sim.expect { alerts = {} } sim.advance '1s' sim.expect_count('alert.raised', 1)")
        == nil)
    #expect(
      says(
        Bench.body("sim.config { grce = '9s' } \(Bench.online)"), 3,
        "refused: p.lua:", "sim.config.grce: the policy has no such setting"))
  }
}
