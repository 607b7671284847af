#if os(Linux)
#if Foundation
public import FoundationEssentials
#endif

/// One end of a connection. Here it names gateways; a monitor gives them with the port `any`.
public enum NWEndpoint: Hashable, Sendable, CustomDebugStringConvertible {
  /// A host and its port.
  case hostPort(host: Host, port: Port)
  /// A service of Bonjour.
  case service(name: String, type: String, domain: String, interface: NWInterface?)
  /// A Unix socket's path.
  case unix(path: String)
  #if Foundation
  /// What a URL names. It is there when the package trait `Foundation` is set.
  case url(URL)
  #endif
  /// Never made here; in Apple's API it is an endpoint that has no Swift form.
  case opaque(Opaque)

  /// What only Apple's system has; there is no value of it.
  public enum Opaque: Hashable, Sendable {}

  /// The interface that the endpoint is bound to, if it is to one.
  public var interface: NWInterface? {
    switch self {
    case .hostPort(let host, _): return host.interface
    case .service(_, _, _, let interface): return interface
    case .unix: return nil
    #if Foundation
    case .url: return nil
    #endif
    }
  }

  /// Host and port, or what else it is, for logs.
  public var debugDescription: String {
    switch self {
    case .hostPort(let host, let port):
      // A colon would be one of the address's own.
      if case .ipv6 = host { return "\(host.debugDescription).\(port.rawValue)" }
      return "\(host.debugDescription):\(port.rawValue)"
    case .service(let name, let type, let domain, let interface):
      return "\(name).\(type)\(domain)" + (interface.map { "%" + $0.name } ?? "")
    case .unix(let path): return path
    #if Foundation
    case .url(let url): return url.absoluteString
    #endif
    }
  }

  /// A name or an address.
  public enum Host: Hashable, Sendable, CustomDebugStringConvertible, ExpressibleByStringLiteral {
    /// A name to be resolved, by one interface where there is one.
    case name(String, NWInterface?)
    /// An IPv4 address.
    case ipv4(IPv4Address)
    /// An IPv6 address.
    case ipv6(IPv6Address)

    /// An address where the text is one, else a name. An IPv4 address mapped into IPv6, such as
    /// `::ffff:192.0.2.1`, is IPv4; `%` and an interface of this machine may follow.
    public init(_ string: String) {
      if let address = IPv4Address(string) {
        self = .ipv4(address)
      } else if let address = IPv6Address(string) {
        if address.isIPv4Mapped, let mapped = address.asIPv4 {
          self = .ipv4(mapped)
        } else {
          self = .ipv6(address)
        }
      } else if let zoned = ZonedText(string) {
        self = .name(String(zoned.text), zoned.interface)
      } else {
        self = .name(string, nil)
      }
    }

    /// The same of a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The interface that the host is bound to, if it is to one.
    public var interface: NWInterface? {
      switch self {
      case .name(_, let interface): interface
      case .ipv4(let address): address.interface
      case .ipv6(let address): address.interface
      }
    }

    /// The name or address, with the interface behind `%`.
    public var debugDescription: String {
      switch self {
      case .name(let name, let interface): name + (interface.map { "%" + $0.name } ?? "")
      case .ipv4(let address): address.debugDescription
      case .ipv6(let address): address.debugDescription
      }
    }
  }
}
#endif
