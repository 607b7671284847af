import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import NetworkPath

/// What once was told minutes late, with the library.
extension KernelTests.Library {
  /// What a monitor's handler was told.
  private final class Told: Sendable {
    private let path = Mutex<NWPath?>(nil)
    let monitor = NWPathMonitor()

    init() {
      monitor.pathUpdateHandler = { [self] path in self.path.withLock { $0 = path } }
      monitor.start(queue: DispatchQueue(label: "told"))
    }

    var last: NWPath? { path.withLock { $0 } }

    /// Whether it is told within a second that it is so.
    func isTold(_ lab: Lab, _ isSo: (NWPath) -> Bool) -> Bool {
      lab.polls(seconds: 1) { last.map(isSo) == true }
    }
  }

  @Test("A monitor is told at once of the route to a tunnel's server, and of its end")
  func serverRoute() throws {
    let lab = try Lab()
    let tun = try lab.vpn()
    defer { tun.detach() }
    let told = Told()
    defer { told.monitor.cancel() }
    #expect(lab.polls { told.last?.reason == .noUnderlay }, "\(told.last as Any)")
    for _ in 0..<2 {
      try lab.ip("route add 203.0.113.7 via 192.0.2.1")
      #expect(told.isTold(lab) { $0.status == .satisfied })
      try lab.ip("route del 203.0.113.7 via 192.0.2.1")
      #expect(told.isTold(lab) { $0.reason == .noUnderlay })
    }
  }

  @Test("A monitor is told of a resolv.conf that is mounted over, rewritten and unmounted")
  func mountedResolver() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    let mounts = try Mounts()
    defer { mounts.end() }
    try mounts.mount("# nobody", "/run/netvane-base")
    let told = Told()
    defer { told.monitor.cancel() }
    #expect(lab.polls { told.last?.status == .satisfied && told.last?.supportsDNS == false })
    try mounts.mount("nameserver 192.0.2.53", "/run/netvane-mounted")
    #expect(told.isTold(lab) { $0.supportsDNS })
    try "# nobody\n".write(toFile: "/run/netvane-mounted", atomically: false, encoding: .utf8)
    #expect(told.isTold(lab) { !$0.supportsDNS })
    try "nameserver 192.0.2.54\n".write(
      toFile: "/run/netvane-mounted", atomically: false, encoding: .utf8)
    #expect(told.isTold(lab) { $0.supportsDNS })
    mounts.unmount()
    #expect(told.isTold(lab) { !$0.supportsDNS })
  }

  @Test("Descriptors that the program around closes, and uses itself, do not keep the thread busy")
  func closedDescriptors() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    let told = Told()
    #expect(lab.polls { told.last?.status == .satisfied })
    // A file can be read for ever.
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    for taken in [false, true] {
      for descriptor in [KernelSource.shared.call.descriptor, try #require(Self.sets.first)] {
        if taken { #expect(dup2(file, descriptor) == descriptor) } else { close(descriptor) }
        // It wakes up, and waits for what the number stands for now.
        KernelSource.shared.call.make()
        let before = Self.busyNanoseconds
        poll(nil, 0, 300)
        #expect(Self.busyNanoseconds - before < 50_000_000, "\(taken)")
        try lab.ip("route del default")
        #expect(told.isTold(lab) { $0.status == .unsatisfied }, "\(taken)")
        try lab.ip("route add default via 192.0.2.1 dev eth0")
        #expect(told.isTold(lab) { $0.status == .satisfied }, "\(taken)")
        // Nobody took it back, and it is nobody's any more.
        if taken { #expect(fcntl(descriptor, F_GETFD) >= 0) }
      }
    }
    // It can still be called.
    let second = Told()
    #expect(second.isTold(lab) { $0.status == .satisfied })
    second.monitor.cancel()
    told.monitor.cancel()
    #expect(lab.polls(seconds: 2) { Self.thread == nil })
  }

  /// The directory of the library's thread; nil while there is none.
  private static var thread: String? {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.map { "/proc/self/task/\($0)" }.first {
      (try? String(contentsOfFile: "\($0)/comm", encoding: .utf8)) == "netvane-path\n"
    }
  }

  private static var busyNanoseconds: Int {
    let text = thread.flatMap { try? String(contentsOfFile: "\($0)/schedstat", encoding: .utf8) }
    return text?.split(separator: " ").first.flatMap { Int($0) } ?? 0
  }

  /// The sets of descriptors that readers wait for, by what is in them: resolv.conf, mounts, timer.
  private static var sets: [Int32] {
    (3..<256 as Range<Int32>).filter { descriptor in
      let path = "/proc/self/fdinfo/\(descriptor)"
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let tags = text.split(separator: "\n").compactMap { line in
        let words = line.split { $0 == " " || $0 == "\t" }
        return words.firstIndex(of: "data:").map { words[$0 + 1] }
      }
      return Set(["3", "4", "5"]).isSubset(of: Set(tags))
    }
  }
}
