import PathCore
import PathSimulation

/// `sim.path { … }`: a network that gives a path with these fields.
extension Simulation {
  private static let pathInterfaces: [(name: String, type: InterfaceType)] = [
    ("eth0", .wired), ("wlan0", .wifi), ("wwan0", .cellular), ("other0", .other),
  ]

  enum StatusWord: String, CaseIterable { case satisfied, unsatisfied, requiresConnection }
  enum CarrierWord: String, CaseIterable { case wifi, wired, cellular, other }

  func setPath(_ question: Question) throws(Objection) {
    let options = try question.options(
      0, ["constrained", "dns", "expensive", "ssid", "status", "type"])
    let status = try options.word("status", StatusWord.self, "status") ?? .satisfied
    let word = try options.word("type", CarrierWord.self, "interface type") ?? .wifi
    if !isStarted {
      network.isOfPath = true
      try createPathInterfaces()
    } else if !network.isOfPath {
      throw .misuse(
        "sim.path belongs to a case without sim.network: here use net.drop and the like")
    }
    let isExpensive = try options.bool("expensive")
    let isConstrained = try options.bool("constrained") ?? false
    let ssid = try options.text("ssid")
    let hasServers = try options.bool("dns") ?? true
    try setServers(hasServers ? .null : .bool(false))
    let (kernel, network) = (network.kernel, network)
    try SimulatedNetwork.attempt {
      for plan in network.plans {
        guard plan.type.description == word.rawValue else {
          try kernel.setDown(plan.name)
          continue
        }
        try kernel.setUp(plan.name)
        try network.give(plan)
        try kernel.setCarrier(plan.name, status != .unsatisfied)
        try kernel.setOperationalState(plan.name, status == .requiresConnection ? .dormant : nil)
        try kernel.setExpensive(plan.name, isExpensive)
        try kernel.setConstrained(plan.name, isConstrained)
        try kernel.setWirelessName(plan.name, ssid)
      }
    }
    if !isStarted { try start() }
    try look()
  }

  private func createPathInterfaces() throws(Objection) {
    for (place, entry) in Self.pathInterfaces.enumerated() {
      let net = 10 + place
      let plan = SimulatedNetwork.Plan(
        name: entry.name, type: entry.type, addresses: ["198.51.100.\(net)/24"],
        gateways: ["198.51.100.1"], metric: SimulatedNetwork.standardMetric(entry.type))
      try network.create(plan)
      network.plans.append(plan)
    }
  }
}
