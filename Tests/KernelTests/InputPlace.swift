import Foundation
import Glibc
import PathCore
import PathKernel

/// A network in which one input of a verdict can be changed.
final class InputPlace {
  let lab: Lab
  private let folder = "/run/netvane-inputs"
  private var settings: KernelSettings
  private var tun: TunDevice?
  private var radio: Int32 = -1
  /// Whether the kernel's answers fail.
  private var isFailing = false

  init() throws {
    lab = try Lab()
    settings = lab.settings
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(
      atPath: "\(folder)/class/rfkill/rfkill0", withIntermediateDirectories: true)
  }

  deinit {
    tun?.detach()
    if radio >= 0 { close(radio) }
  }

  func follower() throws -> Follower {
    Follower(
      try KernelReader(settings: settings) { [unowned self] call in
        isFailing && call == .receive ? ENOMEM : nil
      })
  }

  /// Prepares the network for the changes that it returns; none where nothing can change while a
  /// reader lives.
  func changes(of input: VerdictInput) throws -> [InputChange] {
    switch input {
    case .links: try links()
    case .linkState: try linkState()
    case .linkStack: try linkStack()
    case .addresses: try addresses()
    case .routes: try routes()
    case .farRoutes: try farRoutes()
    case .routeExpiry: try routeExpiry()
    case .radioSwitches: try radioSwitches()
    case .nameServers: try nameServers()
    case .gatewayHardware: try gatewayHardware()
    case .answers: try answers()
    // A reader is made with them; others hold for the next one.
    case .settings: []
    // No reader knows the name of a wireless network.
    case .notReadYet: []
    }
  }

  private func online() throws {
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
  }

  private func ip(_ line: String, _ isJudged: @escaping (Follower) -> Bool) -> InputChange {
    InputChange(what: line, make: { [lab] in try lab.ip(line) }, isJudged: isJudged)
  }

  private func put(_ name: String, _ text: String, atomically: Bool = false) throws {
    try "\(text)\n".write(toFile: "\(folder)/\(name)", atomically: atomically, encoding: .utf8)
  }

  // MARK: Links and addresses

  private func links() throws -> [InputChange] {
    settings.interfaces = [
      InterfaceRule("wwan*", type: .cellular), InterfaceRule("wlan*", type: .wifi),
    ]
    try online()
    return [
      ip("link property add dev eth0 altname wwan9") { $0.path.primary?.type == .cellular },
      ip("link property del dev eth0 altname wwan9") { $0.path.primary?.type == .wired },
      ip("link del eth0") { $0.path.status == .unsatisfied },
      ip("link add wlan0 type veth peer name wlan0p netns far") {
        $0.path.why.contains("wlan0")
      },
    ]
  }

  private func linkState() throws -> [InputChange] {
    // With equal indexes at both ends the kernel holds carrier events back for up to a second.
    try lab.ip(
      """
      link add eth0 index 1000 type veth peer name eth0p netns far
      -n far link set eth0p up
      link set eth0 up
      address add 192.0.2.10/24 dev eth0
      route add default via 192.0.2.1 dev eth0
      """)
    return [
      InputChange(
        what: "the cable is pulled", make: { [lab] in try lab.setCarrier("eth0", false) },
        isJudged: { $0.path.reason == .deadDefaultRoute }),
      InputChange(
        what: "the cable is back", make: { [lab] in try lab.setCarrier("eth0", true) },
        isJudged: { $0.path.status == .satisfied }),
      ip("link set eth0 down") { $0.path.reason == .noInterface },
    ]
  }

  private func linkStack() throws -> [InputChange] {
    try lab.wire("eth0")
    try lab.ip(
      """
      link add br0 type bridge
      link set br0 up
      address add 192.0.2.10/24 dev br0
      link set eth0 master br0
      route add default via 192.0.2.1 dev br0
      """)
    return [
      ip("link set eth0 nomaster") {
        $0.last.named("br0")?.bridgePorts == nil && $0.path.primary?.type != .wired
      }
    ]
  }

  private func addresses() throws -> [InputChange] {
    try lab.wire("eth0", ["192.0.2.10/24"])
    return [
      ip("address del 192.0.2.10/24 dev eth0") { $0.path.reason == .noAddress },
      ip("address add 192.0.2.10/24 dev eth0") { $0.path.reason == .noRoute },
      ip("-6 address add 2001:db8::10/64 dev eth0 nodad") { follower in
        follower.last.named("eth0")?.addresses.contains {
          $0.isUsable && $0.address.family == .ipv6 && !$0.address.isLinkLocal
        } == true
      },
    ]
  }

  // MARK: Routes

  private func routes() throws -> [InputChange] {
    settings.resolverPath = "\(folder)/resolv.conf"
    try put("resolv.conf", "nameserver 203.0.113.53")
    try online()
    return [
      ip("route del default") { $0.path.reason == .noRoute },
      ip("route add default via 192.0.2.1 dev eth0") { $0.path.status == .satisfied },
      ip("route add unreachable 203.0.113.0/24") { !$0.path.supportsDNS },
      ip("route del unreachable 203.0.113.0/24") { $0.path.supportsDNS },
      ip("rule add pref 100 prohibit") { $0.path.reason == .routeRefused },
      ip("rule del pref 100") { $0.path.status == .satisfied },
      ip("route replace default via 192.0.2.2 dev eth0") {
        $0.path.gateways.map(\.description) == ["192.0.2.2"]
      },
    ]
  }

  private func farRoutes() throws -> [InputChange] {
    tun = try lab.vpn()
    return [
      ip("route add 203.0.113.7 via 192.0.2.1") { $0.path.status == .satisfied },
      ip("route del 203.0.113.7 via 192.0.2.1") { $0.path.reason == .noUnderlay },
    ]
  }

  private func routeExpiry() throws -> [InputChange] {
    try lab.wire("eth0", ["2001:db8::10/64"])
    var end = ContinuousClock.now
    return [
      InputChange(
        what: "a route comes that ends after two seconds",
        make: { [lab] in
          try lab.ip("-6 route add default via fe80::1 dev eth0 expires 2")
          end = ContinuousClock.now + .seconds(2)
        }, isJudged: { $0.path.status == .satisfied }),
      InputChange(
        what: "it ends", limit: .seconds(1),
        make: {
          let left = end - ContinuousClock.now
          poll(nil, 0, Int32(max(.zero, left) / .milliseconds(1)))
        }, isJudged: { $0.path.reason == .noRoute }),
    ]
  }

  // MARK: What is no netlink

  private func radioSwitches() throws -> [InputChange] {
    try lab.wire("wlan0", ["192.0.2.10/24"])
    settings.sysfsRoot = folder
    settings.radioDevicePath = "\(folder)/device"
    for (name, text) in [("type", "wlan"), ("hard", "0"), ("soft", "0")] {
      try put("class/rfkill/rfkill0/\(name)", text)
    }
    guard mkfifo(settings.radioDevicePath, 0o600) == 0 else { throw KernelError("mkfifo") }
    radio = open(settings.radioDevicePath, O_RDWR | O_CLOEXEC)
    try lab.ip("link set wlan0 down")
    func change(_ isBlocked: Bool) -> InputChange {
      InputChange(
        what: isBlocked ? "the radio is switched off" : "the radio is switched on",
        make: { [unowned self] in
          try put("class/rfkill/rfkill0/soft", isBlocked ? "1" : "0")
          let event = [UInt8](repeating: 0, count: 9)
          guard write(radio, event, event.count) == event.count else { throw KernelError("write") }
        }, isJudged: { ($0.path.reason == .radioOff) == isBlocked })
    }
    return [change(true), change(false)]
  }

  private func nameServers() throws -> [InputChange] {
    settings.resolverPath = "\(folder)/resolv.conf"
    try put("resolv.conf", "nameserver 192.0.2.53")
    try online()
    func change(_ text: String, atomically: Bool, _ isThere: Bool) -> InputChange {
      InputChange(
        what: "resolv.conf says '\(text)'", limit: .seconds(1),
        make: { [unowned self] in try put("resolv.conf", text, atomically: atomically) },
        isJudged: { $0.path.supportsDNS == isThere })
    }
    return [
      change("# nobody", atomically: true, false),
      change("nameserver 192.0.2.54", atomically: false, true),
      change("# nobody", atomically: false, false),
    ]
  }

  private func gatewayHardware() throws -> [InputChange] {
    try online()
    func change(_ address: String) -> InputChange {
      ip("neighbour replace 192.0.2.1 lladdr \(address) dev eth0 nud permanent") {
        $0.last.gatewayHardware.first?.address == address
      }
    }
    return [change("02:00:00:00:00:01"), change("02:00:00:00:00:02")]
  }

  private func answers() throws -> [InputChange] {
    try online()
    return [
      InputChange(
        what: "the kernel's answers fail",
        make: { [unowned self] in
          isFailing = true
          try lab.ip("address add 198.51.100.1/32 dev lo")
        }, isJudged: { $0.path.reason == .unknown }),
      InputChange(
        what: "the kernel answers again", settles: false,
        make: { [unowned self] in isFailing = false },
        isJudged: { $0.path.status == .satisfied }),
    ]
  }
}
