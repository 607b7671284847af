import PathCore
import PathKernel
import Testing

/// Defaults that a plain question does not show whole.
extension KernelTests.PathFacts {
  @Test("A default with more hops than an answer holds is a way out, bound and unbound")
  func manyHops() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["10.1.0.1/16", "2001:db8::1:1/64"])
    // As many as `ip` can say at once, and more than a page, which is all that an answer holds.
    let hops = (1...245).map { "nexthop via 10.1.1.\($0) dev eth0" }
    try lab.ip("route add default \(hops.joined(separator: " "))")
    try lab.batch(
      (1...200).map { "route append ::/0 via 2001:db8::\($0 + 100) dev eth0" })
    let snapshot = lab.ready(try lab.reader(), "eth0")
    let eth0 = lab.index("eth0")
    for lookup in [snapshot.ipv4, snapshot.ipv6] { #expect(Set(lookup.exits) == [eth0]) }
    let link = snapshot.named("eth0")
    for lookup in [link?.ipv4, link?.ipv6] { #expect(Set(lookup?.exits ?? []) == [eth0]) }
    for filter in [PathFilter.none, PathFilter(isBound: true)] {
      let path = PathEvaluator.path(of: snapshot, filter: filter)
      #expect(path.status == .satisfied, "\(path.why)")
      #expect(path.supportsIPv4 && path.supportsIPv6)
      #expect(path.why.utf8.count < 160, "\(path.why)")
    }
  }

  @Test("A macvlan without an address of its own takes the source that its route names")
  func namedSource() throws {
    let lab = try Lab()
    try lab.wire("eth0")
    try lab.ip(
      """
      link add mv0 link eth0 type macvlan
      address add 203.0.113.5/32 dev lo
      link set mv0 up
      route add default via 169.254.1.1 dev mv0 onlink src 203.0.113.5
      """)
    let snapshot = lab.ready(try lab.reader(), "eth0", "mv0")
    #expect(snapshot.ipv4.answer?.source == IPAddress("203.0.113.5"))
    #expect(snapshot.named("mv0")?.ipv4?.exits == [lab.index("mv0")])
    let path = PathEvaluator.path(of: snapshot, filter: .none)
    #expect(path.primary?.name == "mv0", "\(path.why)")
  }
}
