package import PathCore
package import PathSimulation

/// A story about a network: what somebody does to it, and what verdicts that must give. The same
/// stories run on the scripted kernel and on a real one.
package struct NetworkScenario: Sendable, CustomStringConvertible {
  package typealias Steps = @Sendable (ScenarioRun) throws -> Void

  /// A sentence.
  package var name: String
  /// What the network must be able to do for it.
  package var needs: Set<TestAbility>
  package var steps: Steps

  package init(_ name: String, needs: Set<TestAbility> = [], _ steps: @escaping Steps) {
    self.name = name
    self.needs = needs
    self.steps = steps
  }

  package var description: String { name }

  /// Plays the story and returns what went otherwise than expected, one line each.
  package func failures(on network: any TestNetwork) -> [String] {
    let run = ScenarioRun(network)
    do {
      try steps(run)
    } catch {
      run.failures.append("the network turned a step down: \(error)")
    }
    if run.checks == 0 { run.failures.append("nothing was checked") }
    return run.failures
  }

  package static let all: [NetworkScenario] =
    routing + policyRouting + preferences + tunnels + links + addresses + classes + names
    + sources + uplinks + servers + crowds
}

/// One telling of a story: the network it happens on and what was found.
package final class ScenarioRun {
  package let network: any TestNetwork
  fileprivate(set) var failures: [String] = []
  fileprivate(set) var checks = 0

  init(_ network: any TestNetwork) { self.network = network }

  package func path(_ filter: PathFilter = .none) throws -> Path {
    PathEvaluator.path(of: try network.snapshot(), filter: filter)
  }

  /// Compares what the network gives now with what it should. A network that may have more to say
  /// is waited for.
  package func expect(
    _ moment: String, _ expected: Expectation, under filter: PathFilter = .none
  ) throws {
    checks += 1
    var differences = expected.differences(from: try path(filter))
    while !differences.isEmpty, try network.waitForNews() {
      differences = expected.differences(from: try path(filter))
    }
    failures += differences.map { "\(moment): \($0)" }
  }

  /// Does something that must not change the path at all.
  package func expectNoChange(
    _ moment: String, under filter: PathFilter = .none, while body: () throws -> Void
  ) throws {
    checks += 1
    let before = try path(filter)
    try body()
    let after = try path(filter)
    if before != after {
      let causes = ChangeCauses(from: before, to: after).words.joined(separator: " ")
      failures.append("\(moment): changed \(causes), to: \(after.why)")
    }
  }

  package func require(_ moment: String, _ holds: Bool) {
    checks += 1
    if !holds { failures.append(moment) }
  }
}

/// What a path should be; what is nil is not looked at.
package struct Expectation: Sendable {
  package var status: PathStatus
  package var reason: PathReason?
  package var unsatisfiedReason: UnsatisfiedReason?
  package var order: [String]?
  package var alternatives: [String]?
  package var gateways: [String]?
  /// The interface that carries the family, "" for none.
  package var ipv4: String?
  package var ipv6: String?
  package var type: InterfaceType?
  package var uses: [InterfaceType]?
  package var dns: Bool?
  package var isExpensive: Bool?
  package var underlay: String?
  /// Words that the sentence must hold.
  package var why: [String]

  package static func satisfied(
    _ order: String..., gateways: [String]? = nil, ipv4: String? = nil, ipv6: String? = nil,
    type: InterfaceType? = nil, uses: [InterfaceType]? = nil, dns: Bool? = nil,
    isExpensive: Bool? = nil, underlay: String? = nil, why: [String] = []
  ) -> Expectation {
    Expectation(
      status: .satisfied, reason: PathReason.none, unsatisfiedReason: nil, order: order,
      alternatives: [], gateways: gateways, ipv4: ipv4, ipv6: ipv6, type: type, uses: uses,
      dns: dns, isExpensive: isExpensive, underlay: underlay, why: why)
  }

  package static func unsatisfied(
    _ reason: PathReason, alternatives: [String]? = nil,
    unsatisfiedReason: UnsatisfiedReason? = nil, why: [String] = []
  ) -> Expectation {
    Expectation(
      status: .unsatisfied, reason: reason, unsatisfiedReason: unsatisfiedReason, order: [],
      alternatives: alternatives, gateways: [], ipv4: "", ipv6: "", type: nil, uses: [],
      dns: false, isExpensive: false, underlay: nil, why: why)
  }

  package static func requiresConnection(
    _ reason: PathReason, order: [String]? = nil
  ) -> Expectation {
    Expectation(
      status: .requiresConnection, reason: reason, unsatisfiedReason: nil, order: order,
      alternatives: nil, gateways: [], ipv4: "", ipv6: "", type: nil, uses: nil, dns: false,
      isExpensive: nil, underlay: nil, why: [])
  }

  func differences(from path: Path) -> [String] {
    var found: [String] = []
    func compare<Value: Equatable>(_ what: String, _ wanted: Value?, _ got: Value) {
      if let wanted, wanted != got { found.append("\(what) is \(got), not \(wanted)") }
    }
    compare("status", status, path.status)
    compare("reason", reason, path.reason)
    compare("unsatisfied reason", unsatisfiedReason, path.unsatisfiedReason)
    compare("order", order, path.interfaces.map(\.name))
    compare("alternatives", alternatives, path.alternatives.map(\.name))
    compare("gateways", gateways, path.gateways.map(\.description))
    compare("IPv4", ipv4, path.ipv4?.interface.name ?? "")
    compare("IPv6", ipv6, path.ipv6?.interface.name ?? "")
    compare("type", type, path.primary?.type ?? .loopback)
    compare("uses", uses.map { $0.map(\.description) }, path.uses.types.map(\.description))
    compare("DNS", dns, path.supportsDNS)
    compare("expensive", isExpensive, path.isExpensive)
    compare("underlay", underlay, path.primary?.underlay ?? "")
    for word in why where !path.why.contains(word) {
      found.append("the sentence “\(path.why)” lacks “\(word)”")
    }
    return found.isEmpty ? [] : found + ["  it says: \(path.why)"]
  }
}
