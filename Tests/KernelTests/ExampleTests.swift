import Dispatch
import Foundation
import NetworkPath
import Synchronization
import Testing

@testable import Examples

extension KernelTests {
  /// The everyday shapes of code around a monitor, over a cable that is pulled.
  @Suite struct ExampleShapes {}
}

@MainActor extension KernelTests.ExampleShapes {
  private func online() throws -> Lab {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"], farAddresses: ["192.0.2.1/24"])
    _ = lab.ready(try lab.reader(), "eth0")
    try lab.ip("route add default via 192.0.2.1 dev eth0")
    return lab
  }

  private func follow(
    _ isSo: () -> Bool, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 0..<2500 where !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    #expect(isSo(), sourceLocation: location)
  }

  @Test("Print on change; stop and start again")
  func printing() async throws {
    let lab = try online()
    let lines = Mutex<[String]>([])
    let monitor = NWPathMonitor()
    printOnChange(monitor, DispatchQueue(label: "print")) { line in
      lines.withLock { $0.append(line) }
    }
    try await follow { lines.withLock { $0 } == ["connected by eth0"] }
    try lab.setCarrier("eth0", false)
    try await follow { lines.withLock { $0.last?.hasPrefix("not connected: ") } == true }
    let heard = Mutex<[Bool]>([])
    let watch = StopAndStart(NWPathMonitor()) { isUp in heard.withLock { $0.append(isUp) } }
    watch.isWatching = true
    try await follow { heard.withLock { $0 } == [false] }
    watch.isWatching = false
    try lab.setCarrier("eth0", true)
    try await follow { lines.withLock { $0.last } == "connected by eth0" }
    watch.isWatching = true
    try await follow { heard.withLock { $0 } == [false, true] }
  }

  @Test("Code as it is written for Apple's systems, compiled as it is")
  func typical() async throws {
    let lab = try online()
    let lines = Mutex<[String]>([])
    let watcher = ConnectionWatcher()
    watcher.onChange = { line in lines.withLock { $0.append(line) } }
    watcher.start()
    try await follow { lines.withLock { $0 } == ["connected by eth0"] }
    #expect(watcher.isConnected && !watcher.isExpensive)
    #expect(watcher.connectionType == .wiredEthernet)
    for turn in 1...3 {
      try lab.setCarrier("eth0", false)
      try await follow { lines.withLock { $0.count } == 2 * turn }
      try lab.setCarrier("eth0", true)
      try await follow { lines.withLock { $0.count } == 2 * turn + 1 }
    }
    let turns = Array(repeating: ["not connected", "connected by eth0"], count: 3).joined()
    #expect(lines.withLock { $0 } == ["connected by eth0"] + turns)
    watcher.stop()
    try lab.setCarrier("eth0", false)
    try await Task.sleep(for: .milliseconds(100))
    watcher.start()
    try await follow { lines.withLock { $0.count } == 8 }
    #expect(!watcher.isConnected && watcher.connectionType == nil)
  }

  @Test("Observable state; a notification on change only")
  func observing() async throws {
    let lab = try online()
    let model = ConnectionModel(NWPathMonitor())
    let center = NotificationCenter()
    let heard = Mutex<[NWPath.Status]>([])
    let queue = DispatchQueue(label: "notes")
    let broadcast = Broadcast(center: center, queue: queue)
    broadcast.onChange { path in heard.withLock { $0.append(path.status) } }
    // A monitor of another test may still run; its path is as of the last news that it has seen.
    try await follow { model.title == "Online" && model.maySyncPhotos }
    // Who came later is told later: the poster has its first path by then, which is no change.
    _ = try await NWPathMonitor().waitUntilSatisfied(timeout: .seconds(10))
    queue.sync {}
    try lab.setCarrier("eth0", false)
    try await follow { model.title == "Offline" }
    try await follow { heard.withLock { $0 } == [.unsatisfied] }
    try lab.setCarrier("eth0", true)
    try await follow { model.title == "Online" }
    try await follow { heard.withLock { $0.last } == .satisfied }
  }

  @Test("A reconnect banner; a launch gate; an error view with retry")
  func reacting() async throws {
    let lab = try online()
    let banner = ReconnectBanner()
    let monitor = NWPathMonitor()
    let task = Task { await banner.follow(monitor) }
    let loads = Mutex(0)
    let view = ErrorView(NWPathMonitor()) {
      loads.withLock { $0 += 1 }
      return "hello"
    }
    let viewing = Task { await view.follow() }
    try await follow { view.content == .page("hello") }
    #expect(await LaunchGate.decide(monitor) == .main(.wiredEthernet))
    try lab.setCarrier("eth0", false)
    try await follow { banner.banner == .notConnected }
    for _ in 0..<3 { view.tryAgain() }
    guard case .offline(let why) = await LaunchGate.decide(monitor, patience: .milliseconds(50))
    else {
      Issue.record("the gate is open without a path")
      return
    }
    #expect(view.content == .error(why))
    try lab.setCarrier("eth0", true)
    try await follow { banner.banner == .backOnline }
    try await follow { view.content == .page("hello") }
    #expect(loads.withLock { $0 } == 2)
    // Within the five seconds: the second outage is said, and stays said.
    try lab.setCarrier("eth0", false)
    try await follow { banner.banner == .notConnected }
    try await Task.sleep(for: .milliseconds(5100))
    #expect(banner.banner == .notConnected)
    for task in [task, viewing] { task.cancel() }
  }
}
