import Network

/// `host:port` from a settings field, where the port may be a service's name.
struct ServerAddress: CustomStringConvertible {
  let endpoint: NWEndpoint

  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let port = NWEndpoint.Port(String(parts[1])) else { return nil }
    endpoint = .hostPort(host: NWEndpoint.Host(String(parts[0])), port: port)
  }

  /// Whether it is this machine, without asking a name server.
  var isLocal: Bool {
    guard case .hostPort(let host, _) = endpoint else { return false }
    switch host {
    case .ipv4(let address): return address.isLoopback || address.isLinkLocal
    case .ipv6(let address): return address.isLoopback || address.asIPv4?.isLoopback == true
    case .name(let name, _): return name == "localhost"
    @unknown default: return false
    }
  }

  var description: String { endpoint.debugDescription }
}

/// A list of both kinds, in the form of language mode 5 too.
func multicastGroups() -> [any IPAddress] {
  [IPv4Address.mdnsGroup, IPv6Address.linkLocalNodes, IPv4Address.allHostsGroup]
}
