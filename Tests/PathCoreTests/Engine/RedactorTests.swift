import PathCore
import PathTestKit
import Testing

/// What a trace says of where it was recorded.
@Suite struct RedactorTests {
  private func address(_ text: String) -> IPAddress { IPAddress(text) ?? IPAddress(ipv4: 0) }

  @Test func `global addresses get stand-ins, one for each, on nets of their own`() {
    var redactor = Redactor()
    let cases = [
      ("8.8.8.8", "192.0.2.8"), ("8.8.4.4", "198.51.100.4"), ("8.8.8.1", "192.0.2.1"),
      ("9.9.9.9", "203.0.113.9"), ("192.0.2.1", "198.18.0.1"), ("1.2.3.4", "198.18.1.4"),
      ("8.8.8.8", "192.0.2.8"), ("2a02:1:2:3::42", "2001:db8:0:1::1"),
      ("2a02:1:2:3::43", "2001:db8:0:1::2"), ("2a02:1:2:4::42", "2001:db8:0:2::1"),
      ("2a02:1:2:3::42", "2001:db8:0:1::1"), ("fd12:3456:789a:1::5", "fd00::1:0:0:0:1"),
    ]
    for (text, standIn) in cases {
      #expect(redactor.address(address(text)) == address(standIn), "\(text)")
    }
  }

  @Test(arguments: [
    "10.1.2.3", "172.16.0.1", "172.31.255.1", "192.168.1.1", "100.64.0.1", "169.254.7.8",
    "127.0.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "ff02::1",
  ]) func `what everybody has stays`(text: String) {
    var redactor = Redactor()
    #expect(redactor.address(address(text)) == address(text))
  }

  @Test(arguments: ["172.32.0.1", "100.128.0.1", "192.169.0.1", "11.0.0.1", "64:ff9b::1"])
  func `what is next to a private range does not`(text: String) {
    var redactor = Redactor()
    #expect(redactor.address(address(text)) != address(text))
  }

  @Test func `a hardware address is found in a name, an identifier and a gateway alike`() {
    var link = Interface(index: 2, name: "wlx3c22fb010203", type: .wifi, flags: [.up])
    link.ssid = "Home Net"
    link.addresses = [InterfaceAddress(address("fe80::3e22:fbff:fe01:203"), prefixLength: 64)]
    var redactor = Redactor()
    let snapshot = redactor.redact(
      Snapshot(
        interfaces: [link],
        gatewayHardware: [
          GatewayHardware(
            interface: 2, gateway: address("192.168.1.1"), address: "3c:22:fb:01:02:03")
        ], unavailable: "3c:22:fb:01:02:03 at 8.8.8.8. said (2a02::1) on Home Net: no"))
    #expect(snapshot.interfaces[0].name == "wlx00005e005300")
    #expect(snapshot.interfaces[0].ssid == "network-1")
    #expect(snapshot.interfaces[0].addresses[0].address == address("fe80::200:5eff:fe00:5300"))
    #expect(snapshot.gatewayHardware[0].address == "00:00:5e:00:53:00")
    #expect(
      snapshot.unavailable
        == "00:00:5e:00:53:00 at 192.0.2.8. said (2001:db8:0:1::1) on network-1: no")
  }

  @Test func `what a command or a server said is free text, and what is no text is left out`() {
    var link = Interface(index: 2, name: "wlan0", type: .wifi, flags: [.up])
    link.ssid = "Home Net"
    var redactor = Redactor()
    _ = redactor.redact(Snapshot(interfaces: [link]))
    let id = ActionID(policy: "p", key: "k", serial: 1)
    func redacted(_ result: ActionResult) -> ActionResult? {
      if case .result(id, let shown) = redactor.redact(.result(id, result)) { shown } else { nil }
    }
    let said = "joined Home Net as 8.8.8.8 (3c:22:fb:01:02:03)"
    let shown = "joined network-1 as 192.0.2.8 (00:00:5e:00:53:00)"
    let result = ActionResult(
      .failed, error: said, exitCode: 3, output: Array(said.utf8), isOutputCut: true)
    var wanted = result
    wanted.error = shown
    wanted.output = Array(shown.utf8)
    #expect(redacted(result) == wanted)
    #expect(
      redacted(ActionResult(.succeeded, output: Array("8.8.8.8".utf8) + [0xFF]))?.output == [])
  }

  @Test func `nothing of it is left in any snapshot's line or sentence`() {
    var redactor = Redactor()
    var secrets: Set<String> = ["3c:22:fb", "3c22fb", "Home Net 5G", "Straße 9", "3e22:fbff"]
    for seed in UInt64(1)...40 {
      var random = RandomFact(seed: seed)
      let snapshot = random.snapshot()
      for link in snapshot.interfaces {
        for entry in link.addresses where Self.isGlobal(entry.address) {
          secrets.insert(entry.address.description)
        }
      }
      let redacted = redactor.redact(snapshot)
      let text =
        Fact.snapshot(redacted).json(at: Moment(awake: .zero, boot: .zero))
        + PathEvaluator.path(of: redacted, filter: .none).why
      for secret in secrets {
        #expect(!text.contains(secret), "seed \(seed): \(secret) is in \(text)")
      }
    }
  }

  /// Long enough not to be a stand-in, or part of one, by chance.
  private static func isGlobal(_ address: IPAddress) -> Bool {
    address.family == .ipv6 && address.high >> 56 != 0xFF && !address.isLinkLocal
      && address.high >> 32 != 0x2001_0DB8
  }

  @Test func `a redacted trace decides the same`() {
    for seed in UInt64(1)...60 {
      let worlds = (listener(settle: .fixed(.seconds(1))), listener(settle: .fixed(.seconds(1))))
      var redactor = Redactor()
      var random = RandomFact(seed: seed)
      for _ in 0..<12 {
        let fact = Fact.snapshot(random.snapshot())
        worlds.0.feed(fact)
        worlds.1.feed(redactor.redact(fact))
        worlds.0.wait(ms: 700)
        worlds.1.wait(ms: 700)
      }
      #expect(worlds.0.told == worlds.1.told, "seed \(seed)")
    }
  }
  @Test func `what policies kept from earlier runs loses its addresses and names too`() throws {
    var link = Interface(index: 2, name: "wlan0", type: .wifi, flags: [.up])
    link.ssid = "Home Net"
    var redactor = Redactor()
    redactor.learn(Snapshot(interfaces: [link]))
    let secret = "Home Net at 8.8.8.8"
    var state = PlainWriter()
    let map = state.beginMap()
    state.text(secret)
    state.integer(5)
    state.text("list" as StaticString)
    state.array(1)
    state.text(secret)
    state.endMap(map, count: 2)
    var memory = PolicyMemory()
    memory.state = PlainData(bytes: state.bytes)
    memory.published = ["n": .text(secret)]
    memory.alerts["k"] = PolicyMemory.Alert(
      content: AlertContent(
        key: "k", title: secret, body: secret, buttons: [AlertButton(id: "b", label: secret)]))
    memory.timers["t"] = PolicyMemory.Timer(deadline: .seconds(1))
    let set = PolicySet(
      reason: .start, loaded: [], memories: ["p": memory], migrated: ["p": .text(secret)])
    guard case .policies(let redacted) = redactor.redact(.policies(set)) else { return }
    let shown = "network-1 at 192.0.2.8"
    let kept = try #require(redacted.memories["p"])
    #expect(redacted.migrated["p"] == .text(shown))
    #expect(kept.state?.jsonText == #"{"\#(shown)":5,"list":["\#(shown)"]}"#)
    #expect(kept.published["n"] == .text(shown))
    #expect(kept.alerts["k"]?.content.title == shown && kept.alerts["k"]?.content.body == shown)
    #expect(kept.alerts["k"]?.content.buttons.first?.label == shown)
    #expect(kept.timers == memory.timers)
  }
}
