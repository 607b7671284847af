import Dispatch
import Foundation
import NetworkPath
import Synchronization
import Testing

extension KernelTests {
  /// The library's monitors on a real kernel. Case numbers are those of public bug reports.
  @Suite struct Monitors {}
}

/// What one monitor's handler was told.
private final class Listening: Sendable {
  private let paths = Mutex<[NWPath]>([])
  let monitor: NWPathMonitor
  let queue = DispatchQueue(label: "told")

  init(_ monitor: NWPathMonitor = NWPathMonitor()) {
    self.monitor = monitor
    monitor.pathUpdateHandler = { [weak self] path in self?.paths.withLock { $0.append(path) } }
    monitor.start(queue: queue)
  }

  deinit { monitor.cancel() }

  var all: [NWPath] { paths.withLock { $0 } }
  /// `satisfied eth0`.
  var story: [String] {
    all.map { path in
      ([String(describing: path.status)] + path.availableInterfaces.map(\.name)).joined(
        separator: " ")
    }
  }
}

extension Lab {
  /// A cable with a default route, up and answering.
  fileprivate func online(_ name: String = "eth0", net: Int = 2, metric: Int = 100) throws {
    try wire(name, ["192.0.\(net).10/24"], farAddresses: ["192.0.\(net).1/24"])
    _ = ready(try reader(), name)
    try ip("route add default via 192.0.\(net).1 dev \(name) metric \(metric)")
  }

  /// What is said within a moment, if that is it; else what was said.
  fileprivate func hears(_ told: Listening, _ wanted: [String]) -> [String] {
    _ = polls(seconds: 5) { told.story.count >= wanted.count }
    // Nothing more comes behind it.
    _ = polls(seconds: 0.1) { told.story.count > wanted.count }
    return told.story
  }
}

extension KernelTests.Monitors {
  @Test("M-01: the first path is told once, down as it may be, to every kind of monitor")
  func firstDown() throws {
    let lab = try Lab()
    for monitor in [
      NWPathMonitor(), NWPathMonitor(requiredInterfaceType: .wifi),
      NWPathMonitor(prohibitedInterfaceTypes: [.cellular]),
    ] {
      let told = Listening(monitor)
      #expect(lab.hears(told, ["unsatisfied"]) == ["unsatisfied"])
      monitor.cancel()
    }
  }

  @Test("A cable that is pulled and plugged in again is told at once, and nothing else")
  func cable() throws {
    let lab = try Lab()
    try lab.online()
    let told = Listening()
    #expect(lab.hears(told, ["satisfied eth0"]) == ["satisfied eth0"])
    try lab.setCarrier("eth0", false)
    #expect(lab.hears(told, ["", ""]).last == "unsatisfied")
    #expect(told.all.last?.reason == .deadDefaultRoute)
    #expect(told.monitor.currentPath == told.all.last)
    try lab.setCarrier("eth0", true)
    let story = ["satisfied eth0", "unsatisfied", "satisfied eth0"]
    #expect(lab.hears(told, story) == story)
    let path = try #require(told.all.last)
    #expect(path.gateways == [.hostPort(host: "192.0.2.1", port: .any)])
    #expect(path.supportsIPv4 && !path.supportsIPv6 && path.usesInterfaceType(.wiredEthernet))
    #expect(path.availableInterfaces.first?.index == Int(lab.index("eth0")))
    #expect(path.explanation.contains { $0.hasPrefix("eth0 (wired") })
  }

  @Test("M-02: two interfaces that change their order are one change")
  func order() throws {
    let lab = try Lab()
    try lab.online("eth0", net: 2, metric: 100)
    try lab.online("eth1", net: 3, metric: 600)
    let told = Listening()
    #expect(lab.hears(told, [""]) == ["satisfied eth0 eth1"])
    try lab.batch([
      "route add default via 192.0.2.1 dev eth0 metric 700",
      "route del default via 192.0.2.1 dev eth0 metric 100",
    ])
    #expect(lab.hears(told, ["", ""]) == ["satisfied eth0 eth1", "satisfied eth1 eth0"])
  }

  @Test("M-04: an address whose lifetime is refreshed is no change")
  func refreshes() throws {
    let lab = try Lab()
    try lab.online()
    try lab.ip("address add 2001:db8::10/64 dev eth0 nodad")
    let told = Listening()
    #expect(lab.hears(told, [""]).count == 1)
    for round in 0..<5 {
      try lab.ip(
        "address change 2001:db8::10/64 dev eth0 valid_lft \(600 + round) preferred_lft 300")
    }
    _ = lab.polls(seconds: 0.2) { false }
    #expect(told.story.count == 1)
  }

  @Test("M-05: the present path is true before anybody started")
  func presentPath() throws {
    let lab = try Lab()
    #expect(NWPathMonitor().currentPath.status == .unsatisfied)
    try lab.online()
    let monitor = NWPathMonitor()
    #expect(monitor.currentPath.status == .satisfied)
    #expect(monitor.queue == nil)
  }

  @Test("M-06: a name's interface is found again when it was made anew")
  func rebinds() throws {
    let lab = try Lab()
    let told = Listening(NWPathMonitor(filter: NWPathFilter(interface: "eth*")))
    #expect(lab.hears(told, [""]) == ["unsatisfied"])
    for _ in 0..<2 {
      try lab.online()
      _ = lab.polls { told.all.last?.status == .satisfied }
      try lab.ip("link del eth0")
      _ = lab.polls { told.all.last?.status == .unsatisfied }
    }
    let statuses = told.all.map(\.status).reduce(into: [NWPath.Status]()) { list, status in
      if list.last != status { list.append(status) }
    }
    #expect(
      statuses == [.unsatisfied, .satisfied, .unsatisfied, .satisfied, .unsatisfied])
  }

  @Test("M-08: cancelled is silent, even by an owner who goes, the others hear everything")
  func cancelAndRelease() throws {
    let lab = try Lab()
    try lab.online()
    let steady = Listening()
    let cancelled = Listening()
    var released: Listening? = Listening()
    for told in [steady, cancelled, released!] { #expect(lab.hears(told, [""]).count == 1) }
    cancelled.queue.sync { cancelled.monitor.cancel() }
    released = nil
    for _ in 0..<2 {
      try lab.setCarrier("eth0", false)
      _ = lab.polls { steady.all.last?.status == .unsatisfied }
      try lab.setCarrier("eth0", true)
      _ = lab.polls { steady.all.last?.status == .satisfied }
    }
    #expect(steady.all.count == 5)
    #expect(cancelled.all.count == 1 && released == nil)
    cancelled.monitor.start(queue: cancelled.queue)
    #expect(lab.hears(cancelled, ["", ""]).last == "satisfied eth0")
    try lab.setCarrier("eth0", false)
    #expect(lab.hears(cancelled, ["", "", ""]).last == "unsatisfied")
  }

  @Test("A monitor that nobody keeps is called until it is cancelled")
  func withoutOwner() throws {
    let lab = try Lab()
    try lab.online()
    let statuses = Mutex<[NWPath.Status]>([])
    weak var trace: NWPathMonitor?
    do {
      let monitor = NWPathMonitor()
      monitor.pathUpdateHandler = { path in statuses.withLock { $0.append(path.status) } }
      monitor.start(queue: DispatchQueue(label: "without an owner"))
      trace = monitor
    }
    #expect(lab.polls { statuses.withLock { $0 } == [.satisfied] })
    try lab.setCarrier("eth0", false)
    #expect(lab.polls { statuses.withLock { $0 } == [.satisfied, .unsatisfied] })
    trace?.cancel()
    #expect(trace == nil)
    #expect(lab.polls { !Self.threads.contains("netvane-path") })
  }

  @Test("A monitor of Wi-Fi alone is called once while the cable changes ten times")
  func filtered() throws {
    let lab = try Lab()
    try lab.online()
    let wifi = Listening(NWPathMonitor(requiredInterfaceType: .wifi))
    let steady = Listening()
    #expect(lab.hears(wifi, [""]) == ["unsatisfied"])
    for _ in 0..<5 {
      try lab.setCarrier("eth0", false)
      #expect(lab.polls { steady.all.last?.status == .unsatisfied })
      try lab.setCarrier("eth0", true)
      #expect(lab.polls { steady.all.last?.status == .satisfied })
    }
    #expect(steady.all.count == 11)
    #expect(lab.hears(wifi, [""]) == ["unsatisfied"])
  }

  @Test("M-10: an interface that comes after the monitor is seen")
  func comesLater() throws {
    let lab = try Lab()
    let told = Listening(NWPathMonitor(filter: NWPathFilter(interface: "eth9")))
    #expect(lab.hears(told, [""]) == ["unsatisfied"])
    try lab.online("eth9")
    #expect(lab.polls { told.story.last == "satisfied eth9" })
  }

  @Test("A thousand monitors cost one socket and hear the same, and nothing stays of them")
  func thousand() throws {
    let lab = try Lab()
    try lab.online()
    let before = Self.descriptors
    var all = (0..<1000).map { _ in Listening() }
    #expect(lab.polls { all.allSatisfy { $0.all.count == 1 } })
    // Three for two sockets, one for resolv.conf, one for mounts, one for a timer, one that stands
    // for them all, one to call the thread by; /dev/rfkill where there is one.
    #expect(Self.descriptors <= before + 9)
    #expect(Self.threads.filter { $0 == "netvane-path" }.count == 1)
    try lab.setCarrier("eth0", false)
    #expect(lab.polls { all.allSatisfy { $0.story == ["satisfied eth0", "unsatisfied"] } })
    for told in all.prefix(500) { told.monitor.cancel() }
    all = []
    #expect(lab.polls { !Self.threads.contains("netvane-path") })
    #expect(lab.polls { Self.descriptors <= before + 1 })
  }

  @Test("A change reaches an iteration and an observable status")
  @MainActor func sequences() async throws {
    let lab = try Lab()
    try lab.online()
    let status = NetworkStatus()
    #expect(status.isConnected && status.connectionType == .wiredEthernet)
    var changes = NWPathMonitor().changes.makeAsyncIterator()
    #expect(await changes.next()?.isInitial == true)
    try lab.setCarrier("eth0", false)
    let change = await changes.next()
    #expect(change?.causes.contains(.status) == true)
    #expect(change?.previous?.status == .satisfied)
    for _ in 0..<1000 where status.isConnected { try await Task.sleep(for: .milliseconds(2)) }
    #expect(!status.isConnected)
    async let back = NWPathMonitor().waitUntilSatisfied(timeout: .seconds(10))
    try lab.setCarrier("eth0", true)
    #expect(try await back.status == .satisfied)
    await #expect(throws: NWPathTimeout.self) {
      try await NWPathMonitor(requiredInterfaceType: .cellular)
        .waitUntilSatisfied(timeout: .milliseconds(50))
    }
  }

  @Test("What settles is not told before it has held")
  func settles() throws {
    let lab = try Lab()
    try lab.online()
    let told = Listening(NWPathMonitor(settle: .milliseconds(400)))
    #expect(lab.hears(told, [""]).count == 1)
    try lab.setCarrier("eth0", false)
    try lab.setCarrier("eth0", true)
    _ = lab.polls(seconds: 0.6) { false }
    #expect(told.story == ["satisfied eth0"])
    try lab.setCarrier("eth0", false)
    #expect(lab.hears(told, ["", ""]) == ["satisfied eth0", "unsatisfied"])
  }

  private static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }

  private static var threads: [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.compactMap { task in
      try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
  }
}

/// What carries a path, by public reports, as the library tells it.
extension KernelTests.Monitors {
  @Test("P-01: switched off and on again, a link has no routes until somebody gives it some")
  func switchedOff() throws {
    let lab = try Lab()
    try lab.online()
    let told = Listening()
    #expect(lab.hears(told, [""]) == ["satisfied eth0"])
    try lab.ip("link set eth0 down")
    #expect(lab.polls { told.all.last?.status == .unsatisfied })
    try lab.ip("link set eth0 up")
    // No news for a handler, but known.
    #expect(lab.polls { told.monitor.currentPath.reason == .noRoute })
    #expect(told.story == ["satisfied eth0", "unsatisfied"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    #expect(lab.polls { told.story.last == "satisfied eth0" })
  }

  @Test("P-02: a route through a pulled cable is no path, and the one that could serve is named")
  func deadDefault() throws {
    let lab = try Lab()
    try lab.online("eth0", net: 2, metric: 100)
    try lab.online("eth1", net: 3, metric: 600)
    let told = Listening()
    let without = Listening(NWPathMonitor(filter: NWPathFilter(ignored: ["eth0"])))
    #expect(lab.hears(told, [""]) == ["satisfied eth0 eth1"])
    try lab.setCarrier("eth0", false)
    #expect(lab.polls { told.all.last?.reason == .deadDefaultRoute })
    #expect(told.all.last?.alternatives.map(\.name) == ["eth1"])
    #expect(without.story == ["satisfied eth1"])
    try lab.ip("route del default via 192.0.2.1 dev eth0")
    #expect(lab.polls { told.story.last == "satisfied eth1" })
    #expect(without.story == ["satisfied eth1"])
  }

  @Test("P-07, M-03: one's own tunnel that comes and goes is no news for who ignores it")
  func ownTunnel() throws {
    let lab = try Lab()
    try lab.online()
    let told = Listening(NWPathMonitor(filter: NWPathFilter(ignored: ["tun*"])))
    let everything = Listening()
    #expect(lab.hears(told, [""]) == ["satisfied eth0"])
    for _ in 0..<5 {
      let tunnel = try TunDevice("tun9")
      try lab.ip(
        """
        link set tun9 up
        address add 10.9.0.2/24 dev tun9
        route add default dev tun9 metric 50
        """)
      #expect(lab.polls { everything.all.last?.availableInterfaces.first?.name == "tun9" })
      #expect(everything.all.last?.availableInterfaces.first?.isTunnel == true)
      tunnel.detach()
      #expect(lab.polls { everything.story.last == "satisfied eth0" })
    }
    #expect(told.story == ["satisfied eth0"])
  }

  @Test("P-09, P-14: a gateway of the other family, and none at all, are ways out")
  func oddGateways() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"], farAddresses: ["192.0.2.1/24"])
    _ = lab.ready(try lab.reader(), "eth0")
    let told = Listening()
    #expect(lab.hears(told, [""]) == ["unsatisfied"])
    try lab.ip("-4 route add default via inet6 fe80::1 dev eth0")
    #expect(lab.polls { told.story.last == "satisfied eth0" })
    #expect(told.all.last?.gateways.map(\.debugDescription) == ["fe80::1%eth0.0"])
    #expect(told.all.last?.supportsIPv4 == true && told.all.last?.supportsIPv6 == false)
    try lab.ip(
      """
      route add default dev eth0 metric 5
      -4 route del default via inet6 fe80::1 dev eth0
      """)
    #expect(lab.polls { told.all.last?.gateways == [] && told.all.last?.status == .satisfied })
  }

  @Test("P-10: a route that refuses is no path")
  func refused() throws {
    let lab = try Lab()
    try lab.online()
    let told = Listening()
    #expect(lab.hears(told, [""]) == ["satisfied eth0"])
    try lab.ip("route add unreachable default metric 10")
    #expect(lab.polls { told.all.last?.reason == .routeRefused })
    try lab.ip("route del unreachable default metric 10")
    #expect(lab.polls { told.story.last == "satisfied eth0" })
  }

  @Test("M-07, M-09: containers and foreign routes by the thousand are no news")
  func noise() throws {
    let lab = try Lab()
    try lab.online()
    let told = Listening()
    #expect(lab.hears(told, [""]) == ["satisfied eth0"])
    try lab.batch(
      (0..<12).flatMap { number in
        [
          "link add br\(number) type bridge",
          "address add 172.\(number + 16).0.1/16 dev br\(number)",
          "link set br\(number) up", "link add v\(number) type veth peer name w\(number)",
          "link set v\(number) master br\(number)", "link set v\(number) up",
          "link set w\(number) up",
        ]
      })
    try lab.batch(
      (0..<2000).map { "route add 10.\($0 / 250).\($0 % 250).0/24 via 192.0.2.1 table 200" })
    _ = lab.polls(seconds: 0.5) { told.story.count > 1 }
    #expect(told.story == ["satisfied eth0"])
    try lab.setCarrier("eth0", false)
    #expect(lab.polls(seconds: 1) { told.all.last?.status == .unsatisfied })
  }
}
