import Foundation
import Glibc
import PathCore
import PathKernel
import PathSimulation
import PathTestKit

/// The stories' network on the kernel this process has to itself: `ip`, cables whose far ends lie
/// in another namespace, types by the configuration, tunnels by tun devices.
///
/// One reader follows the whole story by its events. Steps are collected and done when somebody
/// looks; each look first asks for the links that were touched, which makes the kernel finish what
/// it does later by itself (carriers, see `linkwatch_sync_dev` in `rtnl_getlink`).
final class RealNetwork: TestNetwork {
  let abilities = RealNetwork.sureAbilities
  /// What every kernel that tests run on can do.
  static let sureAbilities: Set<TestAbility> = [.dormancy, .neighbours]

  /// What every configuration of the stories says about links of these names.
  private static let rules = [
    InterfaceRule("eth*", type: .wired), InterfaceRule("keth*", type: .wired),
    InterfaceRule("usb*", type: .wired, isExpensive: true),
    InterfaceRule("wlan*", type: .wifi), InterfaceRule("wwan*", type: .cellular),
    InterfaceRule("wwp*", type: .cellular),
  ]
  /// Duplicate detection, the slowest thing here, takes two seconds.
  private static let patience = 5.0

  private let lab: Lab
  private let folder: String
  private var reader: KernelReader
  private var settings: KernelSettings
  private var steps: [Step] = []
  private var touched: Set<String> = []
  private var cables: [String: String] = [:]
  private var tunnels: [String: TunDevice] = [:]
  private var pending: Set<String> = []
  private var lastStep = Date()
  private var last: Snapshot?

  /// One command line of `ip` behind options that hold for a whole batch of them.
  private struct Step {
    var options: [String]
    var line: String
  }

  init() throws {
    lab = try Lab()
    folder = "/run/netvane-story"
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    settings = KernelSettings()
    settings.interfaces = Self.rules
    settings.resolverPath = "\(folder)/resolv.conf"
    reader = try KernelReader(settings: settings)
  }

  /// Gives up the tunnels, which then go by themselves.
  func close() {
    for tunnel in tunnels.values { tunnel.detach() }
    tunnels = [:]
  }

  // MARK: Looking

  func snapshot() throws -> Snapshot {
    try finish()
    let news = reader.drain()
    // Only news may change the answer: what no event told of would show as a failure.
    if let last, case .nothing = news { return last }
    let snapshot = reader.snapshot()
    last = snapshot
    return snapshot
  }

  func waitForNews() throws -> Bool {
    try finish()
    while true {
      let left = Self.patience + lastStep.timeIntervalSinceNow
      guard left > 0 else { return false }
      var end = pollfd(fd: reader.eventDescriptor, events: Int16(POLLIN), revents: 0)
      if poll(&end, 1, Int32(left * 1000) + 1) > 0 { return true }
    }
  }

  /// Whether a look from scratch finds what the events had told. Says what differs.
  func drift() throws -> String? {
    var known = try snapshot()
    var fresh = try KernelReader(settings: settings).snapshot()
    // Duplicate detection ends when it likes.
    for position in known.interfaces.indices {
      known.interfaces[position].addresses.removeAll { !$0.isUsable }
    }
    for position in fresh.interfaces.indices {
      fresh.interfaces[position].addresses.removeAll { !$0.isUsable }
    }
    return known == fresh ? nil : "the events tell of \(known), a fresh look of \(fresh)"
  }

  // MARK: Doing

  private func near(_ line: String) { add([], line) }

  private func add(_ options: [String], _ line: String) {
    steps.append(Step(options: options, line: line))
  }

  private func touch(_ name: String) { touched.insert(name) }

  /// Carries out what was collected, in order, in as few processes as may be.
  private func finish() throws {
    guard !steps.isEmpty || !touched.isEmpty else { return }
    for name in touched.sorted() { near("link show dev \(name)") }
    touched = []
    let all = steps
    steps = []
    var start = 0
    while start < all.count {
      let end = all[start...].firstIndex { $0.options != all[start].options } ?? all.count
      try lab.batch(all[start..<end].map(\.line), options: all[start].options)
      start = end
    }
    lastStep = Date()
  }

  // MARK: Links

  func addLink(_ link: TestLink) throws {
    switch link.kind {
    case .device:
      try checkRules(link)
      // Far names are never used twice, so that renaming here needs no thought there.
      let far = "c\(cables.count)x\(link.name)"
      cables[link.name] = far
      near("link add \(link.name) type veth peer name \(far) netns far")
      add(["-n", "far"], "link set \(far) up")
    case .virtual:
      // Both ends on this side: twice the noise.
      near("link add \(link.name) type veth peer name \(link.name)p")
      near("link set \(link.name)p up")
    case .bridge: near("link add \(link.name) type bridge")
    // No kernel that tests run on is sure to have WireGuard; to a reader, a tun is as good.
    case .tap:
      try finish()
      tunnels[link.name] = try TunDevice(link.name, isTap: true)
    case .wireguard, .tun:
      try finish()
      tunnels[link.name] = try TunDevice(link.name)
    case .bond, .vlan, .ppp, .ipip:
      throw TestNetworkError("there are no links of the kind \(link.kind) here")
    }
  }

  /// The story's word about a link must be what the configuration makes of it.
  private func checkRules(_ link: TestLink) throws {
    let rule = Self.rules.first { $0.pattern.matches(link.name, alternatives: []) }
    guard rule?.type == link.type, rule?.isExpensive ?? false == link.isExpensive else {
      throw TestNetworkError("no rule makes \(link.name) what the story says")
    }
  }

  func deleteLink(_ name: String) throws {
    touched.remove(name)
    if let tunnel = tunnels.removeValue(forKey: name) {
      try finish()
      tunnel.detach()
    } else {
      near("link del \(name)")
    }
  }

  func rename(_ name: String, to newName: String) throws {
    near("link set \(name) name \(newName)")
    cables[newName] = cables.removeValue(forKey: name)
    if touched.remove(name) != nil { touch(newName) }
  }

  func addAlternativeName(_ name: String, to link: String) throws {
    near("link property add dev \(link) altname \(name)")
  }

  func deleteAlternativeName(_ name: String, of link: String) throws {
    near("link property del dev \(link) altname \(name)")
  }

  func setUp(_ name: String) throws {
    near("link set \(name) up")
    touch(name)
  }

  func setDown(_ name: String) throws {
    near("link set \(name) down")
    touch(name)
  }

  func setCarrier(_ name: String, _ hasCarrier: Bool) throws {
    if let tunnel = tunnels[name] {
      try finish()
      try tunnel.setCarrier(hasCarrier)
      return touch(name)
    }
    guard let far = cables[name] else { throw TestNetworkError("\(name) has no cable") }
    add(["-n", "far"], "link set \(far) \(hasCarrier ? "up" : "down")")
    for name in cables.keys { touch(name) }
  }

  func setMaster(_ name: String, _ master: String?) throws {
    near("link set \(name) " + (master.map { "master \($0)" } ?? "nomaster"))
    touch(name)
    if let master { touch(master) }
  }

  func setOperationalState(_ name: String, _ state: OperationalState?) throws {
    let word = state == .dormant ? "dormant" : "default"
    near("link set \(name) mode \(word)")
    near("link set \(name) state \(state == .dormant ? "dormant" : "up")")
    touch(name)
  }

  // MARK: Addresses

  func addAddress(_ name: String, _ address: String, isPending: Bool) throws {
    if isPending {
      pending.insert(address)
      return near("address add \(address) dev \(name)")
    }
    // What is being checked is usable when the kernel says so, not when the story does.
    if pending.remove(address) != nil { return }
    if address.contains(":") {
      near("address replace \(address) dev \(name) nodad valid_lft 7200 preferred_lft 3600")
    } else {
      near("address replace \(address) dev \(name)")
    }
  }

  func deleteAddress(_ name: String, _ address: String) throws {
    near("address del \(address) dev \(name)")
  }

  // MARK: Routes

  func addRoute(_ route: TestRoute) throws { near("route add \(words(route))") }
  func appendRoute(_ route: TestRoute) throws { near("route append \(words(route))") }
  func replaceRoute(_ route: TestRoute) throws { near("route replace \(words(route))") }
  func deleteRoute(_ route: TestRoute) throws { near("route del \(words(route))") }

  private func words(_ route: TestRoute) -> String {
    var words: [String] = []
    if route.kind != .unicast { words.append(route.kind.rawValue) }
    if route.destination == "default" {
      words.append(route.family == .ipv4 ? "0.0.0.0/0" : "::/0")
    } else {
      words.append(route.destination)
    }
    if let source = route.source { words.append("from \(source)") }
    if let source = route.preferredSource { words.append("src \(source)") }
    if let metric = route.metric { words.append("metric \(metric)") }
    words.append("table \(route.table)")
    let hops = route.hops.map { hop in
      let family = route.family == .ipv4 && (hop.gateway ?? "").contains(":") ? "inet6 " : ""
      return (hop.gateway.map { "via \(family)\($0) " } ?? "") + "dev \(hop.interface)"
    }
    if hops.count > 1 {
      words += hops.map { "nexthop \($0)" }
    } else {
      words += hops
    }
    if let nexthop = route.nexthop { words.append("nhid \(nexthop)") }
    // Not every gateway of the stories is in the prefix of an address.
    if route.preferredSource != nil, hops.count == 1, route.hops[0].gateway != nil {
      words.append("onlink")
    }
    return words.joined(separator: " ")
  }

  func setNexthop(_ id: UInt32, gateway: String, interface: String) throws {
    near("nexthop replace id \(id) via \(gateway) dev \(interface)")
  }

  func deleteNexthop(_ id: UInt32) throws { near("nexthop del id \(id)") }

  func addRule(_ rule: TestRule) throws { add(options(rule), "rule add \(words(rule))") }
  func deleteRule(_ rule: TestRule) throws { add(options(rule), "rule del \(words(rule))") }

  private func options(_ rule: TestRule) -> [String] { rule.family == .ipv6 ? ["-6"] : [] }

  private func words(_ rule: TestRule) -> String {
    var words = ["pref \(rule.priority)"]
    if rule.isInverted { words.append("not") }
    if let source = rule.source { words.append("from \(source)") }
    if let mark = rule.mark { words.append("fwmark \(mark)") }
    words.append("table \(rule.table)")
    if let length = rule.suppressPrefixLength { words.append("suppress_prefixlength \(length)") }
    return words.joined(separator: " ")
  }

  func setIgnoresRoutesWithLinkdown(_ ignores: Bool) throws {
    try finish()
    for family in ["ipv4", "ipv6"] {
      for scope in ["all", "default"] {
        try lab.sysctl("\(family)/conf/\(scope)/ignore_routes_with_linkdown", ignores ? 1 : 0)
      }
    }
    lastStep = Date()
  }

  // MARK: What is beside the routes

  /// By a rename, as those who write resolv.conf do it.
  func setResolverFile(_ text: String) throws {
    try finish()
    try text.write(toFile: settings.resolverPath, atomically: true, encoding: .utf8)
    lastStep = Date()
  }

  /// A program that is configured anew starts anew.
  func setUnderlay(_ name: String, _ underlay: TestUnderlay) throws {
    try finish()
    settings.underlays.removeAll { $0.pattern.matches(name, alternatives: []) }
    switch underlay {
    case .unsaid: break
    case .always: settings.underlays.append(UnderlayRule(name, .always))
    case .link(let link): settings.underlays.append(UnderlayRule(name, .interface(link)))
    }
    reader = try KernelReader(settings: settings)
    last = nil
  }

  func setAcceptsUniqueLocal(_ name: String, _ accepts: Bool) throws {
    try configure(InterfaceRule(name, acceptsUniqueLocal: accepts))
  }

  func setOnDemand(_ name: String, _ isOnDemand: Bool) throws {
    try configure(InterfaceRule(name, isOnDemand: isOnDemand))
  }

  private func configure(_ rule: InterfaceRule) throws {
    try finish()
    settings.interfaces.insert(rule, at: 0)
    reader = try KernelReader(settings: settings)
    last = nil
  }

  func setGatewayHardware(_ gateway: String, on name: String, _ address: String) throws {
    near("neighbour replace \(gateway) lladdr \(address) dev \(name)")
  }

  func setRadioBlocked(_ name: String, _ isBlocked: Bool) throws {
    throw TestNetworkError("there are no radios here")
  }

  func setWirelessName(_ name: String, _ ssid: String?) throws {
    throw TestNetworkError("there are no radios here")
  }
}
