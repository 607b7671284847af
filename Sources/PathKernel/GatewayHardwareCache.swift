internal import PathCore

/// Where a gateway is.
struct GatewayPlace: Hashable {
  var interface: Int32
  var address: IPAddress
}

/// The hardware addresses of the gateways in use: what tells one network from another.
///
/// An address once known stays until another one answers, the gateway is no longer used or its
/// link fails. The kernel forgets sooner, and its forgetting is no change of network.
struct GatewayHardwareCache {
  private struct Entry {
    let place: GatewayPlace
    /// Nil while nobody has answered.
    var hardware: String?
    /// What is not in use has no hardware address here: it may be another network by now.
    var isInUse = true
    /// What was answered about a guess in this look; nil when nothing was asked.
    var guess: String??
  }

  /// The gateways that were asked for together last, whether still in use or not: the socket
  /// filter lets news about them through.
  private var entries: [Entry] = []

  /// Gateways that were in use: they may be again, so a look asks for them together with the routes
  /// instead of after them.
  var guesses: [GatewayPlace] {
    var guesses: [GatewayPlace] = []
    for number in entries.indices where !entries[number].isInUse {
      guesses.append(entries[number].place)
    }
    return guesses
  }

  /// Takes the answer about a guess. It counts if the next `use` names that gateway.
  mutating func guess(_ place: GatewayPlace, _ hardware: String?) {
    if let number = number(of: place) { entries[number].guess = .some(hardware) }
  }

  /// Takes over the gateways in use and returns those not asked for yet.
  mutating func use(_ places: [GatewayPlace]) -> [GatewayPlace] {
    for number in entries.indices {
      if !places.contains(entries[number].place) {
        entries[number].isInUse = false
        entries[number].hardware = nil
      } else if !entries[number].isInUse, let answer = entries[number].guess {
        entries[number].isInUse = true
        entries[number].hardware = answer
      }
      entries[number].guess = nil
    }
    var fresh: [GatewayPlace] = []
    for place in places {
      if let number = number(of: place) {
        if entries[number].isInUse { continue }
        entries[number].isInUse = true
      } else {
        entries.append(Entry(place: place))
      }
      fresh.append(place)
    }
    if !fresh.isEmpty { entries.removeAll { !$0.isInUse } }
    return fresh
  }

  private func number(of place: GatewayPlace) -> Int? {
    for number in entries.indices where entries[number].place == place { return number }
    return nil
  }

  /// Whether the entry is about a gateway in use and says something new.
  mutating func apply(_ neighbour: NeighbourRecord) -> Bool {
    let place = GatewayPlace(interface: neighbour.interface, address: neighbour.address)
    guard let number = number(of: place), entries[number].isInUse,
      let hardware = neighbour.hardware, entries[number].hardware != hardware
    else { return false }
    entries[number].hardware = hardware
    return true
  }

  /// What lay behind a link that failed may be another network when it returns.
  mutating func forget(_ interface: Int32) {
    for number in entries.indices where entries[number].place.interface == interface {
      entries[number].isInUse = false
      entries[number].hardware = nil
    }
  }

  /// The link is gone for good: its index may be another link's next.
  mutating func remove(_ interface: Int32) {
    entries.removeAll { $0.place.interface == interface }
  }

  /// What is known of these gateways, in their order.
  func known(_ places: [GatewayPlace]) -> [GatewayHardware] {
    var known: [GatewayHardware] = []
    for place in places {
      guard let number = number(of: place), let hardware = entries[number].hardware else {
        continue
      }
      known.append(
        GatewayHardware(interface: place.interface, gateway: place.address, address: hardware))
    }
    return known
  }
}
