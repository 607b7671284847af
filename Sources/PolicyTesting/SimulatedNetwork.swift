import PathCore
import PathSimulation

/// The network of a run, shaped in the words of people; beneath it is a model of how Linux answers.
struct SimulatedNetwork {
  let kernel = ScriptedKernel()
  /// What each interface comes back with, in the order in which they were named.
  var plans: [Plan] = []
  var captive: Set<String> = []
  /// `sim.path` made it, and shapes all of it.
  var isOfPath = false

  struct Plan {
    var name: String
    var type: InterfaceType = .wired
    var kind = "device"
    var addresses: [String] = []
    var gateways: [String] = []
    var metric: UInt32 = 0
    var over: String?
    /// Sends everything through it, without a gateway.
    var isDeviceRoute = false
  }

  var names: [String] { plans.map(\.name) }

  func plan(_ name: String) throws(Objection) -> Int {
    guard let place = plans.firstIndex(where: { $0.name == name }) else {
      throw .misuse("there is no interface '\(name)'\(hint(name, names))")
    }
    return place
  }

  /// Best first.
  var primary: String? {
    plans.enumerated().min { ($0.element.metric, $0.offset) < ($1.element.metric, $1.offset) }?
      .element.name
  }

  static func standardMetric(_ type: InterfaceType) -> UInt32 {
    switch type {
    case .wired: 100
    case .wifi: 600
    case .cellular: 700
    default: 800
    }
  }

  /// What the kernel turns down becomes what the test is told.
  static func attempt(_ body: () throws -> Void) throws(Objection) {
    do {
      try body()
    } catch {
      throw .misuse("\(error)")
    }
  }

  /// A link of this plan, up and with all it has.
  func create(_ plan: Plan) throws(Objection) {
    let kind: TestLink.Kind =
      switch plan.kind {
      case "virtual": .virtual
      case "tun": .tun
      case "wireguard": .wireguard
      default: .device
      }
    try Self.attempt {
      try kernel.addLink(TestLink(plan.name, plan.type, kind: kind))
      try kernel.setUp(plan.name)
      if let over = plan.over { try kernel.setUnderlay(plan.name, .link(over)) }
      try give(plan)
    }
  }

  /// Addresses and routes, as a network manager hands them out.
  func give(_ plan: Plan) throws {
    for address in plan.addresses { try kernel.addAddress(plan.name, address, isPending: false) }
    for gateway in plan.gateways {
      let family: AddressFamily = gateway.contains(":") ? .ipv6 : .ipv4
      try kernel.replaceRoute(
        TestRoute(
          family, hops: [TestRoute.Hop(gateway, plan.name)], metric: plan.routeMetric(family)))
    }
    guard plan.isDeviceRoute else { return }
    let families = Set(plan.addresses.map { $0.contains(":") ? AddressFamily.ipv6 : .ipv4 })
    for family in AddressFamily.allCases where families.contains(family) {
      try kernel.replaceRoute(
        TestRoute(
          family, hops: [TestRoute.Hop(nil, plan.name)], metric: plan.routeMetric(family)))
    }
  }

  /// Takes addresses and routes away.
  func take(_ plan: Plan) throws {
    for gateway in plan.gateways {
      let family: AddressFamily = gateway.contains(":") ? .ipv6 : .ipv4
      let route = TestRoute(
        family, hops: [TestRoute.Hop(gateway, plan.name)], metric: plan.routeMetric(family))
      // It may be gone already, with the link.
      try? kernel.deleteRoute(route)
    }
    for address in plan.addresses { try kernel.deleteAddress(plan.name, address) }
  }

  /// Behind a captive portal each request is answered by it.
  func answerAtOnce(_ action: Action) -> ActionResult? {
    guard case .http(let request) = action, !captive.isEmpty else { return nil }
    let carrier = request.interface ?? carrierName
    guard let carrier, captive.contains(carrier) else { return nil }
    if request.expectation.status == 302, request.expectation.contains == nil {
      return ActionResult(.succeeded, statusCode: 302)
    }
    return ActionResult(
      .failed, error: "the network answered with status 302, a redirection", statusCode: 302)
  }

  /// The interface that an ordinary socket's traffic leaves by.
  private var carrierName: String? {
    let snapshot = kernel.snapshot()
    let hop = (snapshot.ipv4.answer ?? snapshot.ipv6.answer)?.hops.first
    return hop.flatMap { snapshot.interface($0.interface)?.name }
  }
}

extension SimulatedNetwork.Plan {
  /// Each family counts in its own numbers; in both the smaller wins.
  fileprivate func routeMetric(_ family: AddressFamily) -> UInt32 {
    family == .ipv4 ? metric : 1024 + metric
  }
}
