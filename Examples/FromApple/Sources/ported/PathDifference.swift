import Network

/// With the module's name in front, as in code that has a `NWPath` of its own as well.
extension Network.NWPath {
  func differs(from other: Network.NWPath?) -> Bool {
    guard let other else { return true }
    return status != other.status || isExpensive != other.isExpensive
      || firstType != other.firstType || addresses(of: other) != addresses(of: self)
  }

  var firstType: Network.NWInterface.InterfaceType? {
    let types: [Network.NWInterface.InterfaceType] = [
      .wiredEthernet, .wifi, .cellular, .loopback, .other,
    ]
    return types.first(where: usesInterfaceType)
  }

  private func addresses(of path: Network.NWPath) -> Set<String> {
    Set(
      path.gateways.compactMap { gateway in
        guard case .hostPort(let host, _) = gateway else { return nil }
        switch host {
        case .ipv4(let address): return "\(address)"
        case .ipv6(let address): return "\(address)"
        case .name(let name, _): return name
        @unknown default: return nil
        }
      })
  }
}
