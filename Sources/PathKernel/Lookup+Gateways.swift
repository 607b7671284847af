internal import PathCore

/// Which neighbours tell one network from another.
extension Lookup {
  /// The gateways of the hops, each once and not too many.
  func addGateways(to places: inout [GatewayPlace]) {
    guard case .route(let answer) = self else { return }
    for hop in answer.hops where places.count < SocketFilter.gatewayLimit {
      guard let gateway = hop.gateway else { continue }
      let place = GatewayPlace(interface: hop.interface, address: gateway)
      if !places.contains(place) { places.append(place) }
    }
  }
}
