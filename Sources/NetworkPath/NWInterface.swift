#if os(Linux)
internal import PathCore

/// A network interface. Two with the same name and index are the same one, whatever else is known
/// of them.
public struct NWInterface: Hashable, Sendable, CustomDebugStringConvertible {
  /// What kind of link it is. Tunnels and bridges of virtual ports are `other`.
  public enum InterfaceType: Hashable, Sendable, CaseIterable {
    /// Virtual or not known.
    case other
    /// Wi-Fi.
    case wifi
    /// A modem for a mobile network.
    case cellular
    /// A cable.
    case wiredEthernet
    /// The machine itself.
    case loopback
  }

  /// What kind of link it is.
  public let type: InterfaceType
  /// The kernel's name for it, such as `eth0`.
  public let name: String
  /// The kernel's number for it.
  public let index: Int
  /// The kernel's word for a link that is no device of its own (`wireguard`, `vlan`, `bridge` …);
  /// empty for a device. Not in Apple's API.
  public let kind: String
  /// Whether it carries traffic inside other traffic. Not in Apple's API.
  public let isTunnel: Bool
  /// The name of the link that a tunnel rides on, where known. Not in Apple's API.
  public let underlay: String?

  /// An interface for tests; a monitor makes its own.
  public init(
    type: InterfaceType, name: String, index: Int, kind: String = "", isTunnel: Bool = false,
    underlay: String? = nil
  ) {
    self.type = type
    self.name = name
    self.index = index
    self.kind = kind
    self.isTunnel = isTunnel
    self.underlay = underlay
  }

  /// The same name and index.
  public static func == (left: NWInterface, right: NWInterface) -> Bool {
    left.index == right.index && left.name == right.name
  }

  /// Over name and index.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(name)
  }

  /// The name.
  public var debugDescription: String { name }
}

extension NWInterface {
  init(_ interface: PathInterface) {
    self.init(
      type: InterfaceType(interface.type), name: interface.name, index: Int(interface.index),
      kind: interface.kind, isTunnel: interface.isTunnel, underlay: interface.underlay)
  }

  var core: PathInterface {
    PathInterface(
      index: Int32(clamping: index), name: name, type: type.core, kind: kind, isTunnel: isTunnel,
      underlay: underlay)
  }
}

extension NWInterface.InterfaceType {
  init(_ type: PathCore.InterfaceType) {
    self =
      switch type {
      case .wifi: .wifi
      case .wired: .wiredEthernet
      case .cellular: .cellular
      case .loopback: .loopback
      case .other: .other
      }
  }

  var core: PathCore.InterfaceType {
    switch self {
    case .other: .other
    case .wifi: .wifi
    case .cellular: .cellular
    case .wiredEthernet: .wired
    case .loopback: .loopback
    }
  }
}
#endif
