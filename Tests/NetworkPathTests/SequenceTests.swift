import NetworkPath
import Testing

/// Monitors as sequences, waits, and the observable status.
struct SequenceTests {
  private let network = ScriptedNetwork.wifi()

  @Test func `an iteration begins with the present path and follows the changes`() async {
    var iterator = NWPathMonitor(network: network).makeAsyncIterator()
    #expect(await iterator.next()?.status == .satisfied)
    network.disconnect("wlan0")
    #expect(await iterator.next()?.status == .unsatisfied)
    network.connect("wlan0")
    #expect(await iterator.next()?.status == .satisfied)
  }

  @Test func `a monitor that nobody else holds is iterated all the same`() async {
    var statuses: [NWPath.Status] = []
    for await path in NWPathMonitor(network: network) {
      statuses.append(path.status)
      if statuses.count == 3 { break }
      if path.status == .satisfied { network.disconnect("wlan0") } else { network.connect("wlan0") }
    }
    #expect(statuses == [.satisfied, .unsatisfied, .satisfied])
  }

  @Test func `several iterations and a handler each hear everything`() async {
    let monitor = NWPathMonitor(network: network)
    let ears = Ears()
    var first = monitor.makeAsyncIterator()
    var second = monitor.makeAsyncIterator()
    ears.listen(to: monitor)
    network.disconnect("wlan0")
    await network.delivered()
    for _ in 0..<2 {
      let path = await first.next()
      #expect(await second.next() == path)
    }
    #expect(ears.statuses == [.satisfied, .unsatisfied])
  }

  @Test func `cancel ends every iteration`() async {
    let monitor = NWPathMonitor(network: network)
    var iterator = monitor.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    monitor.cancel()
    #expect(await iterator.next() == nil)
    // A new one begins anew.
    var another = monitor.makeAsyncIterator()
    #expect(await another.next()?.status == .satisfied)
  }

  @Test func `the end of a task ends its iteration`() async {
    let monitor = NWPathMonitor(network: network)
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for await _ in monitor {
        count += 1
        continuation.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(await task.value == 1)
    network.disconnect("wlan0")
    #expect(monitor.currentPath.status == .unsatisfied)
  }

  @Test func `who reads slowly gets the newest, and no path twice in a row`() async {
    var iterator = NWPathMonitor(network: network).makeAsyncIterator()
    _ = await iterator.next()
    for _ in 0..<100 {
      network.disconnect("wlan0")
      network.connect("wlan0")
    }
    var last = await iterator.next()
    var count = 1
    while count < 16 {
      let next = await iterator.next()
      #expect(next != last)
      last = next
      count += 1
    }
    #expect(last?.status == .satisfied)
    #expect(last?.sequence == 201)
  }

  @Test func `changes say what differs`() async {
    let network = ScriptedNetwork([.wired("eth0"), .wifi("wlan0")])
    var iterator = NWPathMonitor(network: network).changes.makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.isInitial == true && first?.causes == [])
    network.disconnect("eth0")
    let second = await iterator.next()
    #expect(second?.causes == [.interface, .network])
    #expect(second?.previous?.availableInterfaces.map(\.name) == ["eth0", "wlan0"])
    network.change { $0[1].isConstrained = true }
    #expect(await iterator.next()?.causes == [.cost])
    network.hasDNS = false
    #expect(await iterator.next()?.causes == [.dns])
    network.disconnect("wlan0")
    #expect(await iterator.next()?.causes.contains(.status) == true)
  }

  // MARK: Waiting

  @Test func `a wait for what is so already ends at once`() async throws {
    let path = try await NWPathMonitor(network: network).waitUntilSatisfied(timeout: .zero)
    #expect(path.availableInterfaces.map(\.name) == ["wlan0"])
  }

  @Test func `a wait ends when the path comes`() async throws {
    network.disconnect("wlan0")
    let monitor = NWPathMonitor(network: network)
    async let path = monitor.waitUntilSatisfied()
    network.connect("wlan0")
    #expect(try await path.status == .satisfied)
  }

  @Test func `a wait ends when its time is over, by the clock of the script`() async throws {
    network.disconnect("wlan0")
    let network = network
    let monitor = NWPathMonitor(network: network)
    let wait = Task { try await monitor.waitUntilSatisfied(timeout: .seconds(60)) }
    let clock = Task {
      while !Task.isCancelled {
        network.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    do {
      _ = try await wait.value
      Issue.record("there was no path")
    } catch {
      #expect((error as? NWPathTimeout)?.path.status == .unsatisfied)
    }
    clock.cancel()
  }

  @Test func `a wait ends with its task`() async {
    network.disconnect("wlan0")
    let monitor = NWPathMonitor(network: network)
    let wait = Task { try await monitor.waitUntilSatisfied() }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }

  // MARK: Settling

  @Test func `a change is told when it has held`() async {
    let monitor = NWPathMonitor(settle: .seconds(2), network: network)
    let ears = Ears()
    ears.listen(to: monitor)
    network.disconnect("wlan0")
    network.advance(by: .milliseconds(1999))
    network.connect("wlan0")
    network.advance(by: .seconds(10))
    await network.delivered()
    #expect(ears.statuses == [.satisfied])
    network.disconnect("wlan0")
    network.advance(by: .milliseconds(1999))
    await network.delivered()
    #expect(ears.statuses == [.satisfied])
    network.advance(by: .milliseconds(1))
    await network.delivered()
    #expect(ears.statuses == [.satisfied, .unsatisfied])
  }

  @Test func `a blip an hour ago does not hurry a later change`() async {
    let monitor = NWPathMonitor(settle: .seconds(2), network: network)
    let ears = Ears()
    ears.listen(to: monitor)
    func blip() {
      network.disconnect("wlan0")
      network.advance(by: .milliseconds(50))
      network.connect("wlan0")
    }
    blip()
    network.advance(by: .seconds(3600))
    blip()
    // As long a rest as a change must last is enough.
    network.advance(by: .seconds(2))
    for _ in 0..<20 {
      blip()
      network.advance(by: .seconds(2))
    }
    await network.delivered()
    #expect(ears.statuses == [.satisfied])
    network.disconnect("wlan0")
    network.advance(by: .milliseconds(1999))
    await network.delivered()
    #expect(ears.statuses == [.satisfied])
    network.advance(by: .milliseconds(1))
    await network.delivered()
    #expect(ears.statuses == [.satisfied, .unsatisfied])
  }

  @Test func `unrest with rests that are too short is told after its time`() async {
    let monitor = NWPathMonitor(settle: .seconds(2), network: network)
    let ears = Ears()
    ears.listen(to: monitor)
    for _ in 0..<16 {
      network.disconnect("wlan0")
      network.advance(by: .seconds(1))
      network.connect("wlan0")
      network.advance(by: .milliseconds(1999))
    }
    await network.delivered()
    #expect(ears.statuses.prefix(2) == [.satisfied, .unsatisfied])
  }

  @Test func `unrest without end is told after its time`() async {
    let network = ScriptedNetwork.everything()
    let monitor = NWPathMonitor(settle: .seconds(2), network: network)
    let ears = Ears()
    ears.listen(to: monitor)
    for round in 0..<40 {
      network.change { interfaces in
        for index in interfaces.indices { interfaces[index].isConnected = round % 2 == 1 }
        interfaces[2].isConnected = round % 2 == 1
        interfaces[0].isConnected = false
      }
      network.advance(by: .seconds(1))
    }
    await network.delivered()
    #expect(ears.heard.count == 2)
  }

  // MARK: The observable status

  @MainActor @Test func `a status is right from the start and follows`() async {
    let network = ScriptedNetwork.everything()
    let status = NetworkStatus(NWPathMonitor(network: network))
    #expect(status.isConnected && status.connectionType == .wiredEthernet)
    network.disconnect("eth0")
    network.disconnect("wlan0")
    await follow { status.connectionType == .cellular }
    #expect(status.isExpensive && !status.isConstrained)
    network.disconnect("wwan0")
    await follow { !status.isConnected }
    #expect(status.connectionType == nil && !status.isExpensive)
  }

  @MainActor @Test func `a status that nobody holds ends`() async {
    weak var trace: NetworkStatus?
    do {
      let status = NetworkStatus(NWPathMonitor(network: network))
      trace = status
      network.disconnect("wlan0")
      await follow { !status.isConnected }
    }
    await follow { trace == nil }
    #expect(trace == nil)
  }

  @MainActor private func follow(_ isSo: () -> Bool) async {
    for _ in 0..<100_000 where !isSo() { await Task.yield() }
    #expect(isSo())
  }
}
