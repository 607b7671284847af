import PathCore
import Testing

@testable import PathKernel

@Suite struct TableTests {
  /// #expect cannot hold a call that mutates.
  private func same<Value: Equatable>(
    _ value: Value, _ expected: Value, _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(value == expected, sourceLocation: place)
  }

  private func link(_ index: Int32, _ name: String) -> LinkRecord {
    var link = LinkRecord(index: index)
    link.name = name
    return link
  }

  private func address(_ text: String, on index: Int32, peer: String? = nil) -> AddressRecord {
    let address = IPAddress(text)!
    return AddressRecord(
      interface: index, address: address, peer: peer.flatMap { IPAddress($0) } ?? address,
      prefixLength: 24)
  }

  @Test("N-07: two links of one name are a contradiction, and the later dump decides")
  func sharedName() {
    var table = LinkTable()
    same(table.apply(link(2, "keth0")), .changed)
    same(table.apply(link(9, "eth0")), .changed)
    same(table.apply(link(2, "eth0")), .contradiction)
    same(table.replace(links: [link(2, "keth0"), link(9, "eth0")], addresses: []), true)
    #expect(table.index(named: "eth0") == 9)
    #expect(table.index(named: "keth0") == 2)
    same(table.replace(links: [link(9, "eth0"), link(2, "keth0")], addresses: []), false)
  }

  @Test("Two addresses that differ by their peer alone are two")
  func peers() {
    var table = LinkTable()
    _ = table.apply(link(2, "ppp0"))
    let first = address("192.0.2.1", on: 2, peer: "192.0.2.2")
    let second = address("192.0.2.1", on: 2, peer: "192.0.2.3")
    same(table.apply(first), .changed)
    same(table.apply(second), .changed)
    same(table.apply(second), .none)
    same(table.remove(first), .changed)
    #expect(table.entries.first?.addresses == [second])
    same(table.remove(first), .none)
  }

  @Test("An address of an unknown link, or a link deleted twice, is no crash")
  func strangers() {
    var table = LinkTable()
    same(table.apply(address("192.0.2.1", on: 5)), .contradiction)
    same(table.removeLink(5), .none)
  }

  @Test("N-02: an interrupted dump is repeated, with growing pauses and an end")
  func interruptedDumps() {
    var pauses: [Int] = []
    var ends: [KernelRequests.DumpEnd] = [.interrupted, .interrupted, .complete]
    let end = DumpRepeater.run(tries: 4, pause: { pauses.append($0) }) { ends.removeFirst() }
    #expect(end == .complete)
    #expect(pauses == [0, 1])
    var tries = 0
    let never = DumpRepeater.run(tries: 4, pause: { _ in }) {
      tries += 1
      return .interrupted
    }
    #expect(never == .interrupted)
    #expect(tries == 4)
    let broken = DumpRepeater.run(tries: 4, pause: { _ in }) { .failed("no") }
    #expect(broken == .failed("no"))
  }

  @Test("A gateway's hardware address is kept until it changes, its link fails or it is left")
  func gatewayHardware() {
    var cache = GatewayHardwareCache()
    let gateway = IPAddress("192.0.2.1")!
    let places = [GatewayPlace(interface: 2, address: gateway)]
    same(cache.use(places).count, 1)
    same(cache.use(places).isEmpty, true)
    var answer = NeighbourRecord(interface: 2, address: gateway, hardware: "02:00:5e:00:53:01")
    same(cache.apply(answer), true)
    same(cache.apply(answer), false)
    answer.hardware = nil
    same(cache.apply(answer), false)
    #expect(cache.known(places).map(\.address) == ["02:00:5e:00:53:01"])
    cache.forget(2)
    #expect(cache.known(places).isEmpty)
    same(cache.use(places).count, 1)
    _ = cache.use([])
    answer.hardware = "02:00:5e:00:53:02"
    same(cache.apply(answer), false)
  }

  @Test("A gateway left and taken up again has what was answered meanwhile, never what was known")
  func guessedGateway() {
    var cache = GatewayHardwareCache()
    let places = [GatewayPlace(interface: 2, address: IPAddress("192.0.2.1")!)]
    same(cache.use(places), places)
    let answer = NeighbourRecord(
      interface: 2, address: places[0].address, hardware: "02:00:5e:00:53:01")
    same(cache.apply(answer), true)
    #expect(cache.guesses.isEmpty)
    same(cache.use([]), [])
    #expect(cache.guesses == places)
    cache.guess(places[0], "02:00:5e:00:53:02")
    #expect(cache.known(places).isEmpty, "before the routes say that it is in use")
    same(cache.use(places), [])
    #expect(cache.known(places).map(\.address) == ["02:00:5e:00:53:02"])

    cache.forget(2)
    #expect(cache.guesses == places)
    cache.guess(places[0], nil)
    same(cache.use(places), [])
    #expect(cache.known(places).isEmpty, "nobody answers, and that is an answer")
    cache.forget(2)
    cache.guess(places[0], "02:00:5e:00:53:03")
    same(cache.use([]), [])
    same(cache.use(places), places)
    #expect(cache.known(places).isEmpty, "a guess holds for one look")
    cache.remove(2)
    #expect(cache.guesses.isEmpty)
  }

  @Test("Links are found by their index in whatever order they come and go")
  func order() {
    var table = LinkTable()
    for index in [5, 2, 9, 1, 7] as [Int32] { _ = table.apply(link(index, "l\(index)")) }
    same(table.removeLink(5), .changed)
    #expect(table.entries.map(\.record.index) == [1, 2, 7, 9])
    #expect((0...10).compactMap { table.position(of: $0) } == [0, 1, 2, 3])
    same(table.apply(link(2, "l2")), .none)
    same(table.apply(link(2, "other")), .changed)
    #expect(table.index(named: "l2") == nil)
    #expect(table.index(named: "other") == 2)
  }

  @Test(
    "Patterns match whole names",
    arguments: [
      ("eth0", "eth0", true), ("eth0", "eth01", false), ("eth?", "eth1", true),
      ("eth?", "eth", false),
      ("*", "", true), ("wl*", "wlan0", true), ("wl*", "ewl", false), ("*0", "eth0", true),
      ("e*h*0", "eth10", true), ("**", "x", true), ("", "", true), ("", "a", false),
      ("a*b*c", "aXbYbc", true), ("a*b*c", "aXbYb", false), ("?*", "", false),
    ])
  func patterns(_ pattern: String, _ name: String, _ fits: Bool) {
    #expect(NamePattern(pattern).matches(name) == fits)
  }

  @Test("A hostile pattern does not stall")
  func hostilePattern() {
    let pattern = NamePattern(String(repeating: "a*", count: 200) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 4000)))
  }

  @Test("Only public prefixes are ground for a tunnel")
  func globalPrefixes() {
    for text in ["203.0.113.5", "198.41.0.4", "2001:db8::1"] { #expect(IPAddress(text)!.isGlobal) }
    for text in [
      "10.0.0.0", "100.64.0.0", "172.31.0.0", "192.168.1.0", "224.0.0.0", "fe80::", "fc00::",
    ] {
      #expect(!IPAddress(text)!.isGlobal, "\(text)")
    }
  }
}
