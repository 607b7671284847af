import PathCore
import PathTestKit
import Testing

/// Patterns, calendars, link states and the causes of a change.
@Suite struct ModelTests {
  @Test(arguments: [
    ("eth0", "eth0", true), ("eth0", "eth00", false), ("eth*", "eth", true), ("eth*", "eth0", true),
    ("*", "", true), ("*", "anything", true), ("", "", true), ("", "a", false), ("?", "", false),
    ("?", "a", true), ("e?h?", "eth0", true), ("e?h?", "eth", false), ("*0", "eth00", true),
    ("*0", "eth01", false), ("w*n*", "wwan0", true), ("a*b*c", "aXbXbXc", true),
    ("a*b*c", "aXbXb", false), ("**", "x", true), ("*?", "", false), ("tun*", "xtun0", false),
  ])
  func `a pattern fits the whole name`(_ pattern: String, _ name: String, _ fits: Bool) {
    #expect(NamePattern(pattern).matches(name) == fits)
  }

  @Test func `a pattern made to be slow is not`() {
    let pattern = NamePattern(String(repeating: "a*", count: 64) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 128)))
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z", 4), (951_782_400, "2000-02-29T00:00:00.000Z", 2),
    (4_107_542_399, "2100-02-28T23:59:59.000Z", 7), (4_107_542_400, "2100-03-01T00:00:00.000Z", 1),
    (-1, "1969-12-31T23:59:59.000Z", 3), (1_709_164_800, "2024-02-29T00:00:00.000Z", 4),
    (-2_203_977_600, "1900-02-28T00:00:00.000Z", 3),
  ])
  func `seconds become a civil date`(_ seconds: Int64, _ text: String, _ weekday: Int) {
    let time = WallTime(unixNanoseconds: seconds * 1_000_000_000)
    #expect(time.rfc3339 == text)
    #expect(time.civil.weekday == weekday)
  }

  @Test func `the offset moves the date and is written`() {
    let time = WallTime(unixNanoseconds: -1, offsetSeconds: -12_600, zone: "NST")
    #expect(time.rfc3339 == "1969-12-31T20:29:59.999-03:30")
    let east = WallTime(unixNanoseconds: 1_500_000, offsetSeconds: 20_700)
    #expect(east.rfc3339 == "1970-01-01T05:45:00.001+05:45")
  }

  @Test(arguments: [Int64.min, Int64.max])
  func `the ends of time do not trap`(_ nanoseconds: Int64) {
    for offset in [Int32.min, 0, Int32.max] {
      let time = WallTime(unixNanoseconds: nanoseconds, offsetSeconds: offset)
      #expect((1...12).contains(time.civil.month))
    }
  }

  @Test func `each day of four centuries follows the one before`() {
    var broken: [Int64] = []
    var previous = WallTime(unixNanoseconds: -79_257 * 86_400_000_000_000).civil
    for day in Int64(-79_256)..<67_000 {
      let civil = WallTime(unixNanoseconds: day * 86_400_000_000_000).civil
      let isNext =
        civil.month == previous.month
        ? civil.day == previous.day + 1
        : civil.day == 1 && civil.month == previous.month % 12 + 1 && previous.day >= 28
      if !isNext || civil.weekday != previous.weekday % 7 + 1 { broken.append(day) }
      previous = civil
    }
    #expect(broken.isEmpty)
  }

  static let all: LinkFlags = [.up, .running, .lowerUp]

  static let linkStates: [(LinkFlags, OperationalState, LinkState)] = [
    (all, .up, .usable), (all, .unknown, .usable), (.up, .unknown, .noCarrier),
    ([.up, .lowerUp], .unknown, .noCarrier), (.up, .up, .noCarrier), (all, .dormant, .dormant),
    (.up, .lowerLayerDown, .noCarrier), (all, .testing, .noCarrier), ([], .up, .switchedOff),
    ([.running, .lowerUp], .unknown, .switchedOff),
  ]

  @Test(arguments: linkStates)
  func `flags and operational state decide a link`(
    _ flags: LinkFlags, _ state: OperationalState, _ expected: LinkState
  ) {
    var link = Interface(index: 2, name: "eth0", type: .wired, flags: flags)
    link.operationalState = state
    #expect(link.linkState == expected)
  }

  @Test func `every difference of two paths has its cause`() {
    let old = PathEvaluator.path(of: .online(), filter: .none)
    func causes(_ edit: (inout Path) -> Void) -> [String] {
      var new = old
      edit(&new)
      #expect((new == old) == ChangeCauses(from: old, to: new).isEmpty)
      return ChangeCauses(from: old, to: new).words
    }
    #expect(causes { $0.status = .unsatisfied } == ["status"])
    #expect(causes { $0.reason = .noRoute } == ["reason"])
    #expect(causes { $0.interfaces = [] } == ["interface"])
    #expect(causes { $0.uses = [] } == ["interface"])
    #expect(causes { $0.ipv4?.gateways = [] } == ["network"])
    #expect(causes { $0.network = NetworkIdentity(id: "x") }.isEmpty)
    #expect(causes { $0.ipv4 = nil } == ["interface", "network", "families"])
    #expect(causes { $0.supportsDNS.toggle() } == ["dns"])
    #expect(causes { $0.isExpensive.toggle() } == ["cost"])
    #expect(causes { $0.isConstrained.toggle() } == ["cost"])
    #expect(causes { $0.why = "else" }.isEmpty)
  }

  @Test func `an identity that becomes better known is the same`() {
    let name: NetworkIdentity? = NetworkIdentity(id: "Home", name: "Home", ssid: "Home")
    let hardware: NetworkIdentity? = NetworkIdentity(id: "02::1", name: "Home", ssid: "Home")
    let other: NetworkIdentity? = NetworkIdentity(id: "02::2", name: "Home", ssid: "Home")
    #expect(name.isSameKnown(as: hardware))
    #expect(hardware.isSameKnown(as: nil))
    #expect(!hardware.isSameKnown(as: other))
    #expect(!name.isSameKnown(as: NetworkIdentity(id: "Cafe", name: "Cafe", ssid: "Cafe")))
  }
}
