import NetworkPath
import Synchronization
import Testing

/// How long a monitor lives that nobody holds.
struct LifeTests {
  private final class Witness: Sendable {}

  private let network = ScriptedNetwork.wifi()
  private let ears = Ears()

  /// As in a function that returns before anything happened.
  private func startAndLetGo(_ body: @escaping @Sendable (NWPath) -> Void = { _ in }) {
    let monitor = NWPathMonitor(network: network)
    let ears = ears
    monitor.pathUpdateHandler = { path in
      body(path)
      ears.handler(path)
    }
    monitor.start(queue: ears.queue)
  }

  @Test func `one that is started with a handler goes on when it is let go`() async {
    startAndLetGo()
    await network.delivered()
    network.disconnect("wlan0")
    network.connect("wlan0")
    await network.delivered()
    #expect(ears.statuses == [.satisfied, .unsatisfied, .satisfied])
  }

  @Test func `a handler that is set after the start keeps it alive, and nil ends that`() async {
    weak var trace: NWPathMonitor?
    do {
      let monitor = NWPathMonitor(network: network)
      monitor.start(queue: ears.queue)
      monitor.pathUpdateHandler = ears.handler
      trace = monitor
    }
    await network.delivered()
    #expect(ears.story == ["wlan0"] && trace != nil)
    trace?.pathUpdateHandler = nil
    #expect(trace == nil)
    network.disconnect("wlan0")
    ears.queue.sync {}
    #expect(ears.story == ["wlan0"])
  }

  @Test func `cancel ends it with all that its handler holds`() async {
    weak var trace: NWPathMonitor?
    weak var held: Witness?
    do {
      let witness = Witness()
      held = witness
      let monitor = NWPathMonitor(network: network)
      let ears = ears
      monitor.pathUpdateHandler = { path in
        _ = witness
        ears.handler(path)
      }
      monitor.start(queue: ears.queue)
      trace = monitor
    }
    await network.delivered()
    #expect(trace != nil && held != nil)
    trace?.cancel()
    #expect(trace == nil && held == nil)
    network.disconnect("wlan0")
    ears.queue.sync {}
    #expect(ears.statuses == [.satisfied])
  }

  @Test func `one without a handler, or that was not started, ends when it is let go`() {
    weak var started: NWPathMonitor?
    weak var idle: NWPathMonitor?
    do {
      let one = NWPathMonitor(network: network)
      one.start(queue: ears.queue)
      let other = NWPathMonitor(network: network)
      other.pathUpdateHandler = ears.handler
      (started, idle) = (one, other)
    }
    #expect(started == nil && idle == nil)
    network.disconnect("wlan0")
    ears.queue.sync {}
    #expect(ears.heard == [])
  }

  @Test func `iterations do not keep it alive, and go on without it`() async {
    weak var trace: NWPathMonitor?
    var iterator: NWPathMonitor.Iterator
    do {
      let monitor = NWPathMonitor(network: network)
      _ = monitor.currentPath
      iterator = monitor.makeAsyncIterator()
      trace = monitor
    }
    #expect(trace == nil)
    #expect(await iterator.next()?.status == .satisfied)
    network.disconnect("wlan0")
    #expect(await iterator.next()?.status == .unsatisfied)
  }

  @Test func `a stream that is built around a local monitor yields until its reader is done`() async
  {
    weak var trace: NWPathMonitor?
    do {
      let (network, queue) = (network, ears.queue)
      let monitor = NWPathMonitor(network: network)
      trace = monitor
      let paths = AsyncStream<NWPath> { continuation in
        monitor.pathUpdateHandler = { continuation.yield($0) }
        continuation.onTermination = { _ in monitor.cancel() }
        monitor.start(queue: queue)
      }
      var statuses: [NWPath.Status] = []
      for await path in paths {
        statuses.append(path.status)
        if statuses.count == 3 { break }
        if path.status == .satisfied {
          network.disconnect("wlan0")
        } else {
          network.connect("wlan0")
        }
      }
      #expect(statuses == [.satisfied, .unsatisfied, .satisfied])
    }
    ears.queue.sync {}
    for _ in 0..<1000 where trace != nil { await Task.yield() }
    #expect(trace?.queue == nil)
  }

  @Test func `what ends with a replaced handler may call its monitor`() async {
    /// Cancels in its `deinit`, as many an owner does.
    final class Owner: Sendable {
      let monitor: NWPathMonitor
      init(_ monitor: NWPathMonitor) { self.monitor = monitor }
      deinit { monitor.cancel() }
    }
    let monitor = NWPathMonitor(network: network)
    do {
      let owner = Owner(monitor)
      monitor.pathUpdateHandler = { _ in _ = owner }
    }
    monitor.start(queue: ears.queue)
    await network.delivered()
    monitor.pathUpdateHandler = ears.handler
    #expect(monitor.queue == nil)
    ears.listen(to: monitor)
    await network.delivered()
    #expect(ears.story == ["wlan0"])
  }
}
