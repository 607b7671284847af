import PathCore
import PathTestKit
import Testing

/// The lines that traces and `--json` are made of.
@Suite struct TraceFormTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return writer.text
  }

  @Test func `a snapshot is one stable line`() {
    let snapshot = Snapshot.online("eth0", type: .wired)
    let loopback =
      #"{"index":1,"name":"lo","type":"loopback","flags":["up","running","lowerUp","loopback"],"#
      + #""operstate":"unknown","addresses":[{"address":"127.0.0.1/8"}]}"#
    let route =
      #"{"route":{"hops":[{"interface":2,"gateway":"192.0.2.1"}],"#
      + #""table":254,"metric":0,"prefix":0}}"#
    let link =
      #"{"index":2,"name":"eth0","type":"wired","flags":["up","running","lowerUp"],"#
      + #""operstate":"up","physical":true,"addresses":[{"address":"192.0.2.10/24"}],"#
      + #""ipv4":\#(route),"ipv6":"noRoute"}"#
    #expect(
      text { snapshot.writeJSON(into: &$0) }
        == #"{"interfaces":[\#(loopback),\#(link)],"ipv4":\#(route),"ipv6":"noRoute","#
        + #""nameServers":[{"address":"192.0.2.53"}]}"#)
  }

  @Test func `a path is one stable line`() {
    let path = PathEvaluator.path(of: .online("eth0", type: .wired), filter: .none)
    let interface = #"{"index":2,"name":"eth0","type":"wired"}"#
    #expect(
      text { path.writeJSON(into: &$0) }
        == #"{"status":"satisfied","reason":"none","why":"eth0 (wired) carries IPv4 through "#
        + #"192.0.2.1.","interfaces":[\#(interface)],"ipv4":{"interface":\#(interface),"#
        + #""gateways":["192.0.2.1"]},"dns":true,"uses":["wired"],"expensive":false,"#
        + #""constrained":false}"#)
  }

  /// Not test arguments: those are printed, and some of these would clear the screen.
  @Test func `control characters are escaped and nothing else is`() {
    let pairs = [
      ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\t\0", #""\u000a\u0009\u0000""#),
      ("\u{1B}[2J", #""\u001b[2J""#), ("\u{7F}", #""\u007f""#), ("\u{85}x", #""\u0085x""#),
      ("é日本", #""é日本""#), ("\u{C0}", "\"\u{C0}\""),
    ]
    for (raw, written) in pairs {
      #expect(text { $0.string(raw) } == written)
    }
  }

  @Test func `no line of a random snapshot breaks`() {
    for seed in UInt64(0)..<500 {
      var random = RandomSnapshots(seed: seed)
      let line = text { random.snapshot().writeJSON(into: &$0) }
      #expect(line.hasPrefix("{") && line.hasSuffix("}"))
      #expect(!line.contains(",,") && !line.contains("[,") && !line.contains("{,"))
    }
  }

  @Test func `the explanation names what was asked and why a link does not count`() {
    let offline = PathEvaluator.explanation(of: .offline(), filter: PathFilter(required: .wired))
    #expect(
      offline.lines.contains { $0.contains("left out by the filter: no layer of it is wired") })
    #expect(offline.lines.contains { $0.contains("glibc") })
    let online = PathEvaluator.explanation(of: .online(), filter: .none)
    #expect(
      online.lines.contains("IPv4, any interface: through 192.0.2.1 by wlan0, main table, metric 0")
    )
    #expect(online.lines.contains("wlan0 (wifi): carries the path, link works"))
  }

  @Test func `who cannot ask the kernel does not call the network down`() {
    let path = PathEvaluator.path(of: Snapshot(unavailable: "no netlink"), filter: .wifi)
    #expect(path.status == .requiresConnection)
    #expect(path.reason == .unknown)
    #expect(path.why.contains("no netlink"))
  }

  @Test func `a lookup that failed is not a missing route`() {
    var snapshot = Snapshot.offline()
    snapshot.ipv4 = .failed("interrupted")
    let path = PathEvaluator.path(of: snapshot, filter: .none)
    #expect(path.status == .requiresConnection)
    #expect(path.reason == .unknown)
  }
}
