import PathCore
import PathSimulation

/// Shaping the network.
extension Simulation {
  private static let interfaceKeys = [
    "address", "constrained", "expensive", "gateway", "kind", "metric", "ssid", "type",
  ]
  private static let interfacesMost = 64

  enum InterfaceWord: String, CaseIterable { case wifi, wired, cellular, loopback, other }
  enum KindWord: String, CaseIterable { case device, virtual, tun, wireguard }

  /// `sim.network { … }`: all interfaces that there are.
  func setNetwork(_ question: Question) throws(Objection) {
    guard !isStarted else {
      throw .misuse("the network is there already: change it with net.add, net.drop and the like")
    }
    guard let pairs = question[0].pairs, !pairs.isEmpty, pairs.count <= Self.interfacesMost else {
      throw .misuse("sim.network takes a table of 1 to \(Self.interfacesMost) interfaces by name")
    }
    var servers: PlainValue = .null
    for pair in pairs {
      guard let name = pair.key.text, !name.isEmpty else {
        throw .misuse("sim.network: an interface's name is a text, not \(Question.shown(pair.key))")
      }
      if name == "dns" { servers = pair.value } else { try addInterface(name, pair.value) }
    }
    if network.plans.isEmpty { throw .misuse("sim.network has no interface") }
    try setServers(servers)
    try start()
    try look()
  }

  /// Where a run is played before there is a network: Wi-Fi, as most have.
  func setStandardNetwork() throws(Objection) {
    guard !isStarted else { return }
    let plan = SimulatedNetwork.Plan(
      name: "wlan0", type: .wifi, addresses: ["192.0.2.10/24"], gateways: ["192.0.2.1"],
      metric: 600)
    try network.create(plan)
    network.plans.append(plan)
    try setServers(.null)
    try start()
    try look()
  }

  func addInterface(_ name: String, _ value: PlainValue) throws(Objection) {
    let options = try Options(value, "the interface \(name)", Self.interfaceKeys)
    var plan = SimulatedNetwork.Plan(name: name)
    let given = try options.word("type", InterfaceWord.self, "interface type")
    guard let type = InterfaceType(word: (given ?? .wired).rawValue) else { return }
    plan.type = type
    plan.kind = try options.word("kind", KindWord.self, "kind of link")?.rawValue ?? "device"
    plan.addresses = try Self.addresses(options)
    plan.gateways = try options.texts("gateway")
    plan.metric =
      try options.integer("metric", 0...100_000).map { UInt32(clamping: $0) }
      ?? SimulatedNetwork.standardMetric(plan.type)
    let expensive = try options.bool("expensive")
    let constrained = try options.bool("constrained")
    let ssid = try options.text("ssid")
    let kernel = network.kernel
    try network.create(plan)
    network.plans.append(plan)
    try SimulatedNetwork.attempt {
      if let expensive { try kernel.setExpensive(name, expensive) }
      if let constrained { try kernel.setConstrained(name, constrained) }
      if let ssid { try kernel.setWirelessName(name, ssid) }
    }
  }

  /// Addresses with their prefixes, which a test easily forgets.
  private static func addresses(_ options: Options) throws(Objection) -> [String] {
    let texts = try options.texts("address")
    for text in texts where !text.contains("/") {
      throw .misuse("\(options.what): the address '\(text)' needs its prefix, as in '\(text)/24'")
    }
    return texts
  }

  /// Name servers: a list, false for none, nil for one.
  func setServers(_ value: PlainValue) throws(Objection) {
    if value == .null { return network.kernel.setResolverFile("nameserver 192.0.2.53\n") }
    if value.bool == false { return network.kernel.setResolverFile("") }
    let servers = try Options("dns", [("dns", value)]).texts("dns")
    for server in servers where IPAddress(server) == nil {
      throw .misuse("dns: '\(server)' is no address")
    }
    network.kernel.setResolverFile(servers.map { "nameserver \($0)\n" }.joined())
  }

  /// The kernel has news: what it shows now is read.
  func look() throws(Objection) {
    try charge(100 + 10 * network.plans.count * network.plans.count)
    try feed(.snapshot(network.kernel.snapshot()))
  }

  // MARK: net.…

  func changeNetwork(_ question: Question) throws(Objection) {
    _ = try started()
    guard !network.isOfPath else {
      throw .misuse("after sim.path the network is what sim.path says; net needs sim.network")
    }
    switch question.verb {
    case "net.add":
      let name = try question.text(0, "an interface's name")
      try addInterface(name, question[1])
    case "net.remove": try remove(try question.text(0, "an interface's name"))
    case "net.vpn": try addTunnel(question)
    case "net.dns": try setServers(question[0])
    case "net.roam": try roam(question)
    default: try changeInterface(question)
    }
    try look()
  }

  private func changeInterface(_ question: Question) throws(Objection) {
    let name = try question.text(0, "an interface's name")
    let plan = network.plans[try network.plan(name)]
    let kernel = network.kernel
    switch question.verb {
    case "net.drop": try SimulatedNetwork.attempt { try kernel.setCarrier(name, false) }
    case "net.restore": try SimulatedNetwork.attempt { try kernel.setCarrier(name, true) }
    case "net.down": try SimulatedNetwork.attempt { try kernel.setDown(name) }
    case "net.up":
      let network = network
      try SimulatedNetwork.attempt {
        try kernel.setUp(name)
        try network.give(plan)
      }
    case "net.join": try join(name, question)
    case "net.metered":
      let isExpensive = try question.bool(1)
      try SimulatedNetwork.attempt { try kernel.setExpensive(name, isExpensive) }
    case "net.constrained":
      let isConstrained = try question.bool(1)
      try SimulatedNetwork.attempt { try kernel.setConstrained(name, isConstrained) }
    case "net.captive":
      if try question.bool(1) { network.captive.insert(name) } else { network.captive.remove(name) }
    case "net.block": try block(name, try question.bool(1), plan)
    default: throw .misuse("\(question.verb) is no verb")
    }
  }

  /// rfkill: the radio is silent, and its link goes down with it.
  private func block(
    _ name: String, _ isBlocked: Bool, _ plan: SimulatedNetwork.Plan
  ) throws(Objection) {
    let (kernel, network) = (network.kernel, network)
    try SimulatedNetwork.attempt {
      try kernel.setRadioBlocked(name, isBlocked)
      if isBlocked {
        try kernel.setDown(name)
      } else {
        try kernel.setUp(name)
        try network.give(plan)
      }
    }
  }

  private func remove(_ name: String) throws(Objection) {
    let place = try network.plan(name)
    let kernel = network.kernel
    try SimulatedNetwork.attempt { try kernel.deleteLink(name) }
    network.plans.remove(at: place)
    network.captive.remove(name)
  }

  private func addTunnel(_ question: Question) throws(Objection) {
    let options = try question.options(0, ["address", "gateway", "metric", "name", "over"])
    guard let name = try options.text("name"), let over = try options.text("over") else {
      throw .misuse("net.vpn needs a name, and the interface that it goes over")
    }
    _ = try network.plan(over)
    var plan = SimulatedNetwork.Plan(name: name, type: .other, kind: "wireguard")
    plan.over = over
    plan.addresses = try Self.addresses(options)
    plan.gateways = try options.texts("gateway")
    plan.isDeviceRoute = plan.gateways.isEmpty
    plan.metric = try options.integer("metric", 0...100_000).map { UInt32(clamping: $0) } ?? 50
    try network.create(plan)
    network.plans.append(plan)
  }

  /// Another network by the same interface.
  private func join(_ name: String, _ question: Question) throws(Objection) {
    let options = try question.options(1, ["address", "gateway", "ssid"], isOptional: true)
    let place = try network.plan(name)
    let old = network.plans[place]
    var plan = old
    let addresses = try Self.addresses(options)
    let gateways = try options.texts("gateway")
    if !addresses.isEmpty { plan.addresses = addresses }
    if !gateways.isEmpty { plan.gateways = gateways }
    let ssid = try options.text("ssid")
    let (kernel, before) = (network.kernel, network)
    try SimulatedNetwork.attempt {
      try before.take(old)
      try kernel.setUp(name)
      try kernel.setCarrier(name, true)
      if let ssid { try kernel.setWirelessName(name, ssid) }
      try before.give(plan)
    }
    network.plans[place] = plan
  }

  /// The link is dormant for a moment, then there is another access point or network.
  private func roam(_ question: Question) throws(Objection) {
    let name = try question.text(0, "an interface's name")
    _ = try network.plan(name)
    let kernel = network.kernel
    try SimulatedNetwork.attempt { try kernel.setOperationalState(name, .dormant) }
    try look()
    try run(for: Self.roamingTime)
    try SimulatedNetwork.attempt { try kernel.setOperationalState(name, nil) }
    try join(name, question)
  }

  private static let roamingTime = Duration.milliseconds(100)
}
