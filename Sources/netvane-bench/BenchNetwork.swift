import Glibc

/// A cable whose far end is in another namespace, with an address and a default route; IPv6 is off,
/// so that no duplicate address detection plays in.
final class BenchNetwork {
  static let link = "eth0"
  /// A configuration in which the link is a cable, not a container's port.
  static let configuration = "/run/netvane-bench.lua"
  private static let address: UInt32 = 0xC000_0202
  private static let gateway: UInt32 = 0xC000_0201

  let near: ChangeSocket
  private let far: ChangeSocket
  private let index: Int32
  private let farIndex: Int32

  /// The changes whose latency is measured, in pairs.
  enum Change: String {
    case down, up, routeGone, routeBack, addressGone, addressBack
  }

  init() throws(WorkloadError) {
    let quiet =
      "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6; "
      + "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; ip link set lo up"
    // With equal indexes at both ends the kernel holds carrier events back for up to a second; how
    // many links there were before must not matter.
    try Child.shell(
      """
      test -e /proc/sys/net/ipv6 && sh -c '\(quiet)'
      ip netns add far
      ip netns exec far sh -c '\(quiet)'
      ip -n far link add spare type veth peer name spare2
      ip link add \(Self.link) index 1000 type veth peer name far0 netns far
      ip -n far address add 192.0.2.1/24 dev far0
      ip -n far link set far0 up
      ip address add 192.0.2.2/24 dev \(Self.link)
      ip link set \(Self.link) up
      ip route add default via 192.0.2.1 dev \(Self.link) proto static
      echo 'return { interfaces = { \(Self.link) = { type = "wired" } } }' >\(Self.configuration)
      """)
    near = try ChangeSocket()
    far = try ChangeSocket(namespace: "far")
    index = Int32(unsafe if_nametoindex(Self.link))
    // After lo and the spare pair.
    let text = Self.farIndexes()
    guard let found = text else { throw WorkloadError(message: "the far end is not there") }
    farIndex = found
    if farIndex == index { throw WorkloadError(message: "both ends of the cable have one index") }
  }

  deinit { try? Child.shell("ip link del \(Self.link); ip netns del far") }

  private static func farIndexes() -> Int32? {
    guard let child = try? Child(["/bin/sh", "-c", "ip -n far -o link show far0"]) else {
      return nil
    }
    child.readAll()
    return child.lines.first.flatMap { Int32($0.prefix { $0 != ":" }) }
  }

  /// Does it; the time right before.
  @discardableResult
  func make(_ change: Change) throws(WorkloadError) -> Int64 {
    switch change {
    case .down: try far.setLink(farIndex, isUp: false)
    case .up: try far.setLink(farIndex, isUp: true)
    case .routeGone: try near.setDefault(Self.gateway, exists: false)
    case .routeBack: try near.setDefault(Self.gateway, exists: true)
    case .addressGone: try near.setAddress(Self.address, 24, of: index, exists: false)
    case .addressBack: try near.setAddress(Self.address, 24, of: index, exists: true)
    }
  }
}
