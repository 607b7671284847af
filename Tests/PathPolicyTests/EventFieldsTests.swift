import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The fields of `ev`, of each handler, as they are promised.
struct EventFieldsTests {
  /// Writes all of `ev` out, keys in order, so that a field cannot come or go unseen.
  static let dump = """
    local function show(v)
      if type(v) ~= "table" then return tostring(v) end
      local parts = {}
      for key, value in pairs(v) do
        parts[#parts + 1] = (math.type(key) and "" or key .. "=") .. show(value)
      end
      return "{" .. table.concat(parts, " ") .. "}"
    end
    local p = { api = 1, every = { tick = "10s" } }
    local function tell(name, ctx, ev)
      for key in pairs(ev) do ctx.publish(name .. "." .. key, show(ev[key])) end
      local keys = {}
      for key in pairs(ev) do keys[#keys + 1] = key end
      ctx.publish(name, table.concat(keys, " "))
    end
    function p.on_start(ctx, ev) tell("start", ctx, ev) end
    function p.on_path(ctx, ev)
      tell(ev.status .. ev.sequence, ctx, ev)
      ctx.timer.start("named", "3s")
      ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
    end
    function p.on_timer(ctx, ev) tell(ev.name, ctx, ev) end
    function p.on_button(ctx, ev) tell("button", ctx, ev) end
    function p.on_dismissed(ctx, ev) tell("dismissed", ctx, ev) end
    function p.on_system(ctx, ev) tell(ev.what, ctx, ev) end
    return p
    """

  let rig = Rig(dump)

  func text(_ name: String) -> String? { rig.value(name)?.text }

  @Test func `a first, satisfied path`() {
    rig.simulator.feed(.snapshot(.online()))
    #expect(rig.faults == [])
    #expect(
      text("satisfied1")
        == "alternatives causes changed constrained dns expensive expensive_source flaps gateways "
        + "initial interface interfaces ipv4 monitor network reason self_inflicted sequence status "
        + "time type unsatisfied_reason uses why")
    let expected = [
      "monitor": "internet", "status": "satisfied", "reason": "none", "dns": "true",
      "initial": "true", "sequence": "1", "self_inflicted": "false", "causes": "{}",
      "changed": "{}", "uses": "{wifi=true}", "alternatives": "{}", "gateways": "{192.0.2.1}",
      "flaps": "{last_10m=0 last_1h=0 last_1m=0}", "interface": "wlan0", "type": "wifi",
      "interfaces": "{{kind= name=wlan0 tunnel=false type=wifi}}",
      "ipv4": "{gateway=192.0.2.1 interface=wlan0 tunnel=false}", "expensive": "false",
      "constrained": "false", "expensive_source": "none", "time": "1970-01-01T00:00:00.000Z",
    ]
    for (field, value) in expected { #expect(text("satisfied1.\(field)") == value, "\(field)") }
    #expect(text("satisfied1.why")?.contains("wlan0") == true)
  }

  @Test func `then a loss has no interface and no cost, and knows what was before`() throws {
    rig.simulator.feed(.snapshot(.online()))
    rig.simulator.advance(.seconds(90))
    rig.simulator.feed(.snapshot(.offline()))
    rig.simulator.advance(.milliseconds(250))
    let fields = try #require(text("unsatisfied2")).split(separator: " ").map(String.init)
    for absent in [
      "interface", "type", "ipv4", "ipv6", "expensive", "constrained", "expensive_source",
    ] {
      #expect(!fields.contains(absent), "\(absent)")
    }
    let expected = [
      "reason": "noCarrier", "initial": "false", "since": "1m30s250ms", "sequence": "2",
      "interfaces": "{}", "gateways": "{}", "uses": "{}", "dns": "false",
      "flaps": "{last_10m=1 last_1h=1 last_1m=1}",
      "causes": "{status reason interface network families dns}",
      "changed":
        "{dns=true families=true interface=true network=true reason=true status=true}",
    ]
    for (field, value) in expected { #expect(text("unsatisfied2.\(field)") == value, "\(field)") }
    let previous = try #require(text("unsatisfied2.previous"))
    #expect(previous.contains("status=satisfied") && previous.contains("interface=wlan0"))
    #expect(!previous.contains("previous="))
  }

  @Test func `resumed and resync are causes and no change`() {
    rig.simulator.feed(.snapshot(.online()))
    rig.simulator.feed(.gap(detail: "lost"))
    rig.simulator.feed(.asleep)
    rig.simulator.feed(.resumed)
    rig.simulator.feed(.snapshot(.online("eth0", type: .wired, index: 5)))
    rig.simulator.advance(.seconds(1))
    #expect(
      text("satisfied2.causes") == "{interface network resumed resync}"
        || text("satisfied2.causes") == "{interface resumed resync}")
    #expect(text("satisfied2.changed")?.contains("resumed") == false)
    #expect(text("gap.what") == "gap" && text("gap") == "what")
    #expect(text("asleep.what") == "asleep" && text("resumed.what") == "resumed")
  }

  @Test func `timers, buttons, dismissals and starts`() {
    #expect(text("start") == "reason" && text("start.reason") == "start")
    rig.simulator.feed(.snapshot(.online()))
    rig.simulator.advance(.seconds(3))
    #expect(text("named") == "late name" && text("named.late") == "0s")
    rig.simulator.sleep(.seconds(8))
    rig.simulator.advance(.seconds(1))
    #expect(text("tick") == "late name" && text("tick.name") == "tick")
    #expect(text("tick.late") == "1s")
    rig.simulator.feed(.button(policy: "p", key: "k", button: "other"))
    #expect(text("button") == nil)
    rig.simulator.feed(.button(policy: "p", key: "k", button: "b"))
    #expect(text("button") == "button key")
    #expect(text("button.button") == "b" && text("button.key") == "k")
    rig.simulator.feed(.dismissed(policy: "p", key: "k"))
    #expect(text("dismissed") == "key" && text("dismissed.key") == "k")
    rig.load(["p": Self.dump + " --"], reason: .reload)
    #expect(text("start.reason") == "reload")
    #expect(rig.faults == [])
  }

  @Test func `a tunnel over mobile data shows both layers`() {
    rig.simulator.feed(.snapshot(.online()))
    rig.simulator.feed(.snapshot(.tunnelOverCellular))
    rig.simulator.advance(.milliseconds(10))
    let expected = [
      "interface": "wg0", "type": "other", "uses": "{cellular=true other=true}",
      "interfaces": "{{kind=wireguard name=wg0 tunnel=true type=other underlay=wwan0} "
        + "{kind=wwan name=wwan0 tunnel=false type=cellular}}",
      "ipv6": "{interface=wg0 tunnel=true}", "expensive": "true", "expensive_source": "type",
      "gateways": "{}", "since": "0s",
    ]
    for (field, value) in expected { #expect(text("satisfied2.\(field)") == value, "\(field)") }
    #expect(text("satisfied2.ipv4") == nil)
    #expect(text("satisfied2.changed")?.contains("families=true") == true)
    #expect(rig.faults == [])
  }

  @Test func `a network that becomes known later is known to every handler after that`() {
    let rig = Rig(
      """
      local p = { api = 1, every = { tick = "1m" } }
      function p.on_path(ctx, ev)
        ctx.publish("before", (ev.previous or ev).network.id or "none")
      end
      function p.on_timer(ctx) ctx.publish("id", ctx.path("internet").network.id or "none") end
      return p
      """)
    var snapshot = Snapshot.online()
    rig.simulator.feed(.snapshot(snapshot))
    rig.simulator.advance(.seconds(61))
    #expect(rig.value("id")?.text == "none")
    snapshot.gatewayHardware = [
      GatewayHardware(
        interface: 2, gateway: IPAddress(ipv4: 0xC000_0201), address: "02:00:00:00:00:01")
    ]
    rig.simulator.feed(.snapshot(snapshot))
    rig.simulator.advance(.seconds(61))
    #expect(rig.value("id")?.text == "02:00:00:00:00:01")
    rig.offline()
    #expect(rig.value("before")?.text == "02:00:00:00:00:01")
    #expect(rig.faults == [])
  }
}

extension Snapshot {
  /// IPv6 alone, in a WireGuard tunnel that rides on mobile data.
  static var tunnelOverCellular: Snapshot {
    let address = IPAddress("2001:db8::2")
    func link(_ index: Int32, _ name: String, _ type: InterfaceType) -> Interface {
      var link = Interface(index: index, name: name, type: type, flags: [.up, .running, .lowerUp])
      link.operationalState = .unknown
      link.addresses = address.map { [InterfaceAddress($0, prefixLength: 64)] } ?? []
      link.ipv6 = .route(RouteAnswer(hops: [NextHop(interface: index)]))
      link.ipv4 = .noRoute
      return link
    }
    var wwan = link(3, "wwan0", .cellular)
    wwan.kind = "wwan"
    wwan.isPhysical = true
    wwan.cost = LinkCost(isExpensive: true, source: .type)
    var wg = link(4, "wg0", .other)
    wg.kind = "wireguard"
    wg.underlay = .link(3)
    return Snapshot(
      interfaces: [.loopback, wwan, wg],
      ipv6: .route(RouteAnswer(hops: [NextHop(interface: 4)])))
  }
}
