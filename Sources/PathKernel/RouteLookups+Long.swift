internal import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Routes with so many hops that no answer holds them (EMSGSIZE).
extension RouteLookups {
  private static let dumpLimit = 4096

  /// The hop that the kernel would take. Only an unbound question may be asked like this: to a
  /// bound one the kernel makes an on-link answer up where there is no route.
  func chosenHop(_ family: AddressFamily) -> Lookup {
    let destination = family == .ipv4 ? ipv4Address : ipv6Address
    let query = RouteQuery(destination: destination, wantsRoute: false)
    var lookup = Lookup.failed("no answer")
    requests.counters.lookups += 1
    requests.ask(
      count: 1,
      write: { _, buffer, sequence in requests.write(query, sequence, into: &buffer) },
      take: { _, bytes, message throws(Malformed) in
        var route = try RouteParser.parse(bytes, message.payload)
        // What the kernel chose here, not what the route names.
        route?.source = nil
        lookup = answer(route)
      },
      fail: { _, reason in lookup = refusal(reason, isBoundIPv4: false) })
    return lookup
  }

  /// The best of the link's routes in the main table that cover the lookup address, as a dump shows
  /// them; of its hops those of this link.
  func dumped(_ family: AddressFamily, _ interface: Int32) -> Lookup {
    let destination = family == .ipv4 ? ipv4Address : ipv6Address
    var best: RouteRecord?
    let end = requests.dumpRoutes(family, interface: interface, limit: Self.dumpLimit) {
      bytes, message in
      guard let route = try? RouteParser.parse(bytes, message.payload),
        Int(route.type) == Int(RTN_UNICAST), route.table == UInt32(RT_TABLE_MAIN.rawValue)
      else { return }
      let length = Int(route.prefixLength)
      if let prefix = route.destination {
        guard destination.isWithin(prefix, length: length) else { return }
      } else if length > 0 {
        return
      }
      if let best,
        (Int(best.prefixLength), route.metric) >= (length, best.metric)
      {
        return
      }
      best = route
    }
    guard var route = best else {
      if case .failed(let reason) = end { return .failed(reason) }
      return .failed("the route has too many hops to be told")
    }
    route.hops.removeAll { $0.interface != interface }
    return answer(route)
  }
}
