import Glibc
import PathCore
import PathKernel
import Synchronization
import Testing

@testable import NetworkPath

extension KernelTests {
  /// What the library asks a real kernel beside its monitors.
  @Suite struct Library {}
}

extension KernelTests.Library {
  /// A cable with a default route, up and answering.
  private func online(_ lab: Lab) throws {
    try lab.wire("eth0", ["192.0.2.10/24"], farAddresses: ["192.0.2.1/24"])
    _ = lab.ready(try lab.reader(), "eth0")
    try lab.ip("route add default via 192.0.2.1 dev eth0")
  }

  @Test("The present path is true after each change, though no monitor was started")
  func unstarted() throws {
    let lab = try Lab()
    try online(lab)
    let monitor = NWPathMonitor()
    for _ in 0..<20 {
      #expect(monitor.currentPath.status == .satisfied)
      try lab.ip("route del default")
      #expect(monitor.currentPath.status == .unsatisfied)
      try lab.ip("route add default via 192.0.2.1 dev eth0")
    }
  }

  @Test("The present path is read again without a descriptor to be had")
  func unstartedOpensNothing() throws {
    let lab = try Lab()
    try online(lab)
    let monitors = [NWPathMonitor(), NWPathMonitor(requiredInterfaceType: .wiredEthernet)]
    for monitor in monitors { #expect(monitor.currentPath.status == .satisfied) }
    var limit = rlimit()
    #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    let former = limit
    // Below this every number is taken.
    var taken: [Int32] = []
    while taken.last ?? 0 < 32 { taken.append(dup(0)) }
    limit.rlim_cur = rlim_t(taken.last ?? 0) + 1
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    #expect(dup(0) < 0)
    for _ in 0..<100 {
      for monitor in monitors { #expect(monitor.currentPath.status == .satisfied) }
    }
    var again = former
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &again) == 0)
    for descriptor in taken { close(descriptor) }
  }

  @Test("A monitor that is started takes the place of what unstarted ones have opened")
  func startedTakesOver() throws {
    let lab = try Lab()
    try online(lab)
    let monitor = NWPathMonitor()
    #expect(monitor.currentPath.status == .satisfied)
    let heard = Mutex(0)
    monitor.pathUpdateHandler = { _ in heard.withLock { $0 += 1 } }
    monitor.start(queue: DispatchQueue(label: "started"))
    // Before the first reading of the thread, most likely.
    #expect(monitor.currentPath.status == .satisfied)
    #expect(lab.polls { heard.withLock { $0 } == 1 })
    #expect(monitor.currentPath.status == .satisfied)
    let running = Self.sockets
    monitor.cancel()
    // One for events, which has two numbers, and one for questions, and none beside them.
    #expect(lab.polls(seconds: 2) { Self.sockets == running - 3 })
    _ = lab.polls(seconds: 0.1) { false }
    #expect(Self.sockets == running - 3)
  }

  private static var sockets: Int {
    (0..<256).count { number in
      var info = stat()
      return fstat(Int32(number), &info) == 0 && info.st_mode & S_IFMT == S_IFSOCK
    }
  }

  @Test("In a storm that overruns the socket all is read anew at most once a second")
  func overruns() throws {
    let lab = try Lab()
    try online(lab)
    var settings = KernelSettings()
    // The kernel makes it as small as it allows.
    settings.receiveBufferBytes = 1
    var watch = KernelWatch(settings)
    #expect(watch.read().ipv4 != .noRoute)
    let storm = (0..<40).map { "link set eth0 mtu \(1400 + $0)" }
    let start = Clock.awake.now
    var (rounds, reads) = (0, 0)
    while Clock.awake.now < start + .milliseconds(2500) {
      try lab.batch(storm)
      rounds += 1
      if watch.wait(call: nil, until: .zero) {
        _ = watch.read()
        reads += 1
      }
    }
    // Each of the readings may have one more behind it.
    #expect(rounds > 20 && reads <= 6, "\(rounds) rounds, \(reads) readings")
    try lab.ip("route del default")
    var isRight = false
    #expect(
      lab.polls(seconds: 2) {
        if watch.wait(call: nil, until: .zero) { isRight = watch.read().ipv4 == .noRoute }
        return isRight
      })
  }

  @Test("A monitor of Ethernet channels sees a cable that leads nowhere")
  func ethernetChannel() throws {
    let lab = try Lab()
    let monitor = NWPathMonitor.ethernetChannel
    #expect(monitor.currentPath.status == .unsatisfied)
    try lab.wire("eth0", ["192.0.2.10/24"])
    #expect(lab.polls { monitor.currentPath.availableInterfaces.map(\.name) == ["eth0"] })
    #expect(NWPathMonitor().currentPath.status == .unsatisfied)
    try lab.setCarrier("eth0", false)
    #expect(lab.polls { monitor.currentPath.reason == .noCarrier })
  }

  @Test("A zone is the interface that the kernel calls so, by any of its names")
  func zones() throws {
    let lab = try Lab()
    try online(lab)
    try lab.ip("link property add dev eth0 altname uplink-of-the-house")
    let index = Int(lab.index("eth0"))
    for zone in ["eth0", "uplink-of-the-house", "\(index)"] {
      let interface = try #require(IPv6Address("fe80::1%\(zone)")?.interface)
      #expect(interface.name == "eth0" && interface.index == index)
      #expect(interface.type == .wiredEthernet)
    }
    #expect(IPv6Address("fe80::1%eth1") == nil && IPv6Address("fe80::1%\(index + 99)") == nil)
  }
}
