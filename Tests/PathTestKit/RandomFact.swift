package import PathCore

/// Facts of every shape, for round trips: nothing in them needs to make sense.
package struct RandomFact {
  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  package mutating func moment() -> Moment {
    Moment(
      awake: .nanoseconds(Int64(random.next() >> 2)), boot: .nanoseconds(Int64(random.next() >> 2)),
      wall: WallTime(
        unixNanoseconds: Int64(bitPattern: random.next()),
        offsetSeconds: random.pick([0, 3600, -12_600]),
        zone: random.pick(["UTC", "CET", "", "<+03>"])))
  }

  package mutating func fact() -> Fact {
    switch random.number(0...10) {
    case 0...3: .snapshot(snapshot())
    case 4: .policies(policySet())
    case 5: .gap(detail: text())
    case 6:
      .timer(TimerID(random.pick(TimerID.Kind.allCases), policy: text(), name: text()))
    case 7: .button(policy: text(), key: text(), button: text())
    case 8: .dismissed(policy: text(), key: text())
    case 9:
      .result(ActionID(policy: text(), key: text(), serial: random.next()), result())
    default: random.pick([.asleep, .resumed, .stop])
    }
  }

  private mutating func result() -> ActionResult {
    ActionResult(
      random.pick([.succeeded, .failed, .refused, .dropped]), error: text(),
      exitCode: random.pick([nil, 0, 255, .min]), signal: random.pick([nil, 9]),
      statusCode: random.pick([nil, 204]),
      output: random.pick([[], Array(text().utf8), [0xFF, 0, 10], Array("192.0.2.1".utf8)]),
      isOutputCut: random.chance(50))
  }

  private mutating func text() -> String {
    random.pick([
      "", "wlan0", "caf\u{e9}", "a \"b\" \\ c", "\u{1B}[31m\n\t", "\u{85}\u{7F}", "网络",
      "\u{202E}abc", "x:y/z", "\0",
    ])
  }

  package mutating func snapshot() -> Snapshot {
    var snapshot = Snapshot(ipv4: lookup(.ipv4), ipv6: lookup(.ipv6))
    for index in 0..<random.number(0...4) {
      snapshot.interfaces.append(interface(Int32(index * 3 + 1)))
    }
    for _ in 0..<random.number(0...3) {
      snapshot.nameServers.append(
        NameServer(
          address(), zone: random.pick(["", "wlan0"]),
          lookup: random.chance(50) ? lookup(.ipv4) : nil))
    }
    for _ in 0..<random.number(0...2) {
      snapshot.gatewayHardware.append(
        GatewayHardware(interface: 2, gateway: address(), address: "3c:22:fb:01:02:03"))
    }
    snapshot.ignoredLinks = random.pick([0, 17])
    snapshot.userID = random.pick([0, 1000, .max])
    if random.chance(10) { snapshot.unavailable = text() }
    return snapshot
  }

  private mutating func interface(_ index: Int32) -> Interface {
    var link = Interface(
      index: index, name: random.pick(["eth0", "wlan0", "enx3c22fb010203", "tun\u{7}"]),
      type: random.pick(InterfaceType.allCases),
      flags: LinkFlags(rawValue: UInt8(random.next() & 31)))
    if random.chance(20) { link.alternativeNames = [text(), "enp0s25"] }
    link.kind = random.pick(["", "veth", "wireguard"])
    link.operationalState = random.pick(OperationalState.allCases)
    link.master = random.pick([0, 4])
    link.lower = random.pick([0, 9])
    link.underlay = random.pick([.notNeeded, .always, .unknown, .link(1), .link(77)])
    link.isTap = random.chance(20)
    link.isOnDemand = random.chance(20)
    link.isPhysical = random.chance(50)
    link.isRadioBlocked = random.chance(20)
    link.acceptsUniqueLocal = random.chance(20)
    if random.chance(30) {
      link.cost = LinkCost(
        isExpensive: random.chance(50), source: random.pick([.none, .type, .driver, .config]),
        isConstrained: random.chance(50))
    }
    for _ in 0..<random.number(0...3) {
      link.addresses.append(
        InterfaceAddress(
          address(), prefixLength: UInt8(random.number(0...128)), isPending: random.chance(20)))
    }
    if random.chance(20) { link.bridgePorts = random.pick([[], [1, 4]]) }
    link.hasGatewayRoute = random.chance(20)
    if random.chance(40) { link.ssid = random.pick(["Home Net 5G", "Straße 9", ""]) }
    if random.chance(60) { link.ipv4 = lookup(.ipv4) }
    if random.chance(60) { link.ipv6 = lookup(.ipv6) }
    return link
  }

  private mutating func lookup(_ family: AddressFamily) -> Lookup {
    switch random.number(0...5) {
    case 0: return .noRoute
    case 1: return .refused(random.pick(RouteRefusal.allCases))
    case 2: return .failed(text())
    default:
      var hops: [NextHop] = []
      for _ in 0..<random.number(1...2) {
        hops.append(
          NextHop(
            interface: Int32(random.number(1...9)), gateway: random.chance(70) ? address() : nil,
            isDead: random.chance(20)))
      }
      return .route(
        RouteAnswer(
          hops: hops, table: random.pick([254, 51_820, .max]), metric: random.pick([0, 600, .max]),
          prefixLength: random.pick([0, 1, 32]), source: random.chance(20) ? address() : nil))
    }
  }

  package mutating func address() -> IPAddress {
    switch random.number(0...7) {
    case 0: IPAddress(ipv4: UInt32(truncatingIfNeeded: random.next()))
    case 1: IPAddress(ipv4: 0xC0A8_0100 | UInt32(random.number(0...255)))
    case 2: IPAddress(ipv4: 0x0808_0800 | UInt32(random.number(0...1023)))
    case 3: IPAddress(ipv6High: 0xFE80 << 48, low: random.next(), scope: random.pick([0, 2]))
    case 4: IPAddress(ipv6High: 0xFE80 << 48, low: 0x3E22_FBFF_FE01_0203, scope: 2)
    case 5: IPAddress(ipv6High: 0x2A02_1234_5678_0000 | random.next() % 4, low: random.next() % 64)
    case 6: IPAddress(ipv6High: 0xFD12_3456_789A_0001, low: random.next() % 16)
    default: IPAddress(ipv6High: random.next(), low: random.next())
    }
  }

  private mutating func memory() -> PolicyMemory {
    var memory = PolicyMemory()
    memory.state = random.pick([nil, .text(text())])
    memory.version = random.pick([0, 7])
    memory.wasStarted = random.chance(50)
    for _ in 0..<random.number(0...2) {
      memory.timers[text()] = PolicyMemory.Timer(
        deadline: .seconds(random.number(0...99)), untilChange: random.pick([nil, "internet"]),
        acrossReboot: random.chance(50))
      memory.recurring[text()] = PolicyMemory.Turn(deadline: .seconds(8), period: .seconds(9))
      let key = text()
      memory.alerts[key] = PolicyMemory.Alert(
        content: AlertContent(
          key: key, title: text(), body: text(), buttons: [AlertButton(id: text(), label: text())]),
        expires: random.pick([nil, .seconds(7)]), isExpiryHeld: random.chance(50))
      memory.published[text()] = .text(text())
    }
    return memory
  }

  private mutating func policySet() -> PolicySet {
    var set = PolicySet(reason: random.pick(StartReason.allCases), loaded: [])
    for name in ["a", "b"].prefix(random.number(0...2)) {
      var monitor = MonitorDeclaration(
        name: text(), settle: random.pick([.standard, .function, .fixed(.milliseconds(300))]),
        settleMax: random.pick([nil, .seconds(40)]))
      monitor.filter = PathFilter(
        required: random.pick([nil, .wifi]), prohibited: InterfaceTypeSet(rawValue: 5),
        interface: random.pick([nil, "tun*"]), ignored: random.pick([[], ["wg?"]]),
        isBound: random.chance(50))
      set.loaded.append(
        PolicyDeclaration(
          name: name, about: text(), isEnabled: random.chance(80), monitors: [monitor],
          every: random.pick([[], [RecurringTimer(name: "t", period: .seconds(9))]]),
          handlers: random.pick([[], [.path], Set(Handler.allCases)]),
          state: random.pick([.emptyMap, .text("\u{0}x")]), version: random.pick([0, 7])))
      if random.chance(50) { set.changed.insert(name) }
      if random.chance(40) { set.memories[name] = memory() }
      if random.chance(20) { set.migrated[name] = .text(text()) }
    }
    for name in set.changed.sorted() where random.chance(70) { set.hashes[name] = "0123abcd" }
    set.config = random.pick([nil, "89ef"])
    if random.chance(40) {
      set.rejected = [
        PolicyFault(
          policy: "c", handler: random.pick([nil, .path]), kind: .load, file: "c.lua", line: 3,
          message: text())
      ]
    }
    return set
  }
}
