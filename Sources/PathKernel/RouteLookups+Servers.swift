internal import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// The ways to the name servers.
extension RouteLookups {
  /// The servers with what the kernel says about the way to each. Loopback ones need no route, and
  /// what a link-local one needs is its link.
  func ask(for servers: [NameServer], _ interfaces: [Interface], _ asked: [Int]) -> [NameServer] {
    var servers = servers
    let places = servers.indices.filter { servers[$0].needsRoute }
    if places.isEmpty { return servers }
    ask(places.map { RouteQuery(destination: servers[$0].address) }) { number, lookup in
      servers[places[number]].lookup = lookup
    }
    // A source-specific default (RFC 8028) answers to a source only.
    for place in places where servers[place].address.family == .ipv6 {
      guard servers[place].lookup == .noRoute else { continue }
      let queries = sources(interfaces, asked).map {
        RouteQuery(destination: servers[place].address, source: $0)
      }
      ask(queries) { _, lookup in
        if lookup.isRoute { servers[place].lookup = lookup }
      }
    }
    return servers
  }

  private func sources(_ interfaces: [Interface], _ asked: [Int]) -> [IPAddress] {
    var found: [IPAddress] = []
    for place in asked {
      for entry in interfaces[place].addresses
      where entry.address.family == .ipv6 && entry.isUsable && found.count < Self.sourceLimit {
        found.append(entry.address)
      }
    }
    return found
  }

  private func ask(_ queries: [RouteQuery], _ take: (Int, Lookup) -> Void) {
    requests.counters.lookups += UInt64(queries.count)
    requests.ask(
      count: queries.count,
      write: { number, buffer, sequence in
        requests.write(queries[number], sequence, into: &buffer)
      },
      take: { number, bytes, message throws(Malformed) in
        let route = try RouteParser.parse(bytes, message.payload)
        // This machine's own address: a resolver of its own, and nothing can be in the way.
        if let route, Int(route.type) == Int(RTN_LOCAL) {
          take(number, .route(RouteAnswer(hops: [], table: route.table)))
        } else {
          take(number, answer(route))
        }
      },
      fail: { number, reason in
        // Too many hops to be told are a way all the same.
        if case .refused(EMSGSIZE, _) = reason {
          take(number, .failed("the route has too many hops to be told"))
        } else {
          take(number, refusal(reason, isBoundIPv4: false))
        }
      })
  }
}

extension NameServer {
  /// Whether it is reached by a route that can come and go.
  var needsRoute: Bool { !address.isLoopback && !address.isLinkLocal && !address.isUnspecified }
}
