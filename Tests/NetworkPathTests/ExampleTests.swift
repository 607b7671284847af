import Dispatch
import Foundation
import NetworkPath
import NetworkPathNotifications
import Synchronization
import Testing

@testable import Examples

/// The everyday shapes of code around a monitor, over a scripted network.
@MainActor struct ExampleTests {
  private let network = ScriptedNetwork([.wired("eth0"), .cellular("wwan0")])
  private let queue = DispatchQueue(label: "examples")

  private func follow(_ isSo: () -> Bool, _ location: SourceLocation = #_sourceLocation) async {
    for _ in 0..<100_000 where !isSo() { await Task.yield() }
    #expect(isSo(), sourceLocation: location)
  }

  @Test func `print on change`() async {
    let lines = Mutex<[String]>([])
    let monitor = network.monitor()
    printOnChange(monitor, queue) { line in lines.withLock { $0.append(line) } }
    network.disconnect("eth0")
    network.disconnect("wwan0")
    await network.delivered()
    let said = lines.withLock { $0 }
    #expect(said.prefix(2) == ["connected by eth0", "connected by wwan0"])
    #expect(said.count == 3 && said[2].hasPrefix("not connected: "))
  }

  @Test func `observable state`() async {
    let model = ConnectionModel(network.monitor())
    #expect(model.title == "Online" && model.maySyncPhotos)
    network.disconnect("eth0")
    await follow { model.title == "Online (metered)" }
    #expect(!model.maySyncPhotos)
    network.disconnect("wwan0")
    await follow { model.title == "Offline" }
    #expect(!model.maySyncPhotos)
  }

  @Test func `a notification on change only`() async {
    let center = NotificationCenter()
    let heard = Mutex<[NWPath.Status]>([])
    var broadcast: Broadcast? = Broadcast(network, center: center, queue: queue)
    broadcast?.onChange { path in heard.withLock { $0.append(path.status) } }
    broadcast?.onChange { path in heard.withLock { $0.append(path.status) } }
    await network.delivered()
    #expect(heard.withLock { $0 } == [])
    network.interfaces = []
    network.interfaces = []
    await network.delivered()
    #expect(heard.withLock { $0 } == [.unsatisfied, .unsatisfied])
    broadcast = nil
    network.interfaces = [.wifi("wlan0")]
    await network.delivered()
    queue.sync {}
    #expect(heard.withLock { $0 }.count == 2)
  }

  @Test func `stop and start again`() async {
    let heard = Mutex<[Bool]>([])
    let watch = StopAndStart(network.monitor()) { isUp in heard.withLock { $0.append(isUp) } }
    for _ in 0..<3 {
      watch.isWatching = true
      watch.isWatching = true
      await network.delivered()
      watch.isWatching = false
      #expect(!watch.isWatching)
    }
    network.interfaces = []
    watch.isWatching = true
    await network.delivered()
    #expect(heard.withLock { $0 } == [true, true, true, false])
  }

  @Test func `a switch that is let go while it is on turns off`() async {
    let heard = Mutex(0)
    let monitor = network.monitor()
    do {
      let watch = StopAndStart(monitor) { _ in heard.withLock { $0 += 1 } }
      watch.isWatching = true
      await network.delivered()
    }
    #expect(monitor.queue == nil)
    network.interfaces = []
    await network.delivered()
    #expect(heard.withLock { $0 } == 1)
  }

  @Test func `a banner says what is so, and no outage hides behind it`() async {
    let banner = ReconnectBanner()
    let monitor = network.monitor()
    let task = Task { await banner.follow(monitor) }
    let all = network.interfaces
    await follow { banner.banner == .hidden }
    network.interfaces = []
    await follow { banner.banner == .notConnected }
    network.interfaces = all
    await follow { banner.banner == .backOnline }
    network.advance(by: .seconds(4))
    // One second before the banner would go, another outage: it must stay said for its whole time.
    network.interfaces = []
    await follow { banner.banner == .notConnected }
    network.advance(by: .seconds(60))
    for _ in 0..<1000 { await Task.yield() }
    #expect(banner.banner == .notConnected)
    network.interfaces = all
    await follow { banner.banner == .backOnline }
    // Another interface is no news for the banner, and does not keep it.
    network.disconnect("eth0")
    for _ in 0..<1000 { await Task.yield() }
    network.advance(by: .seconds(5))
    await follow { banner.banner == .hidden }
    task.cancel()
    await task.value
  }

  @Test func `a launch gate opens by the type of the connection, or says why not`() async {
    #expect(await LaunchGate.decide(network.monitor()) == .main(.wiredEthernet))
    network.disconnect("eth0")
    #expect(await LaunchGate.decide(network.monitor()) == .main(.cellular))
    network.disconnect("wwan0")
    let network = network
    let decision = Task { await LaunchGate.decide(network.monitor()) }
    let clock = Task {
      while !Task.isCancelled {
        network.advance(by: .milliseconds(500))
        await Task.yield()
      }
    }
    let why = network.monitor().currentPath.why
    #expect(await decision.value == .offline(why))
    clock.cancel()
  }

  @Test func `an error view loads once when the path is back, however often it was asked`() async {
    let loads = Mutex(0)
    let view = ErrorView(network.monitor()) {
      loads.withLock { $0 += 1 }
      return "hello"
    }
    let task = Task { await view.follow() }
    await follow { view.content == .page("hello") }
    let all = network.interfaces
    network.interfaces = []
    let why = network.monitor().currentPath.why
    await follow { view.content == .error(why) }
    for _ in 0..<5 { view.tryAgain() }
    network.interfaces = all
    await follow { view.content == .page("hello") }
    for _ in 0..<1000 { await Task.yield() }
    #expect(loads.withLock { $0 } == 2)
    task.cancel()
  }

  @Test func `an error view says when the page does not load`() async {
    struct Failure: Error {}
    let view = ErrorView(network.monitor()) { throw Failure() }
    view.tryAgain()
    await follow { view.content == .error("The page did not load.") }
  }
}
