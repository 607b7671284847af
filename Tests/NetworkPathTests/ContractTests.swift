import Dispatch
import NetworkPath
import Synchronization
import Testing

/// What a monitor promises, each promise by itself.
struct ContractTests {
  private let network = ScriptedNetwork.wifi()
  private let ears = Ears()

  // MARK: The first path

  @Test func `the first path is told always, and once`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await network.delivered()
    #expect(ears.story == ["wlan0"])
    network.advance(by: .seconds(3600))
    await network.delivered()
    #expect(ears.story == ["wlan0"])
  }

  @Test func `the first path is told when there is none`() async {
    network.disconnect("wlan0")
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await network.delivered()
    #expect(ears.statuses == [.unsatisfied])
  }

  @Test func `what changes before the first delivery is told in order`() async {
    let monitor = NWPathMonitor(network: network)
    ears.queue.suspend()
    ears.listen(to: monitor)
    network.disconnect("wlan0")
    network.connect("wlan0")
    ears.queue.resume()
    await network.delivered()
    #expect(ears.statuses == [.satisfied, .unsatisfied, .satisfied])
    #expect(ears.heard.map(\.sequence) == [1, 2, 3])
  }

  // MARK: The handler

  @Test func `a handler that is set after the start is told the present path`() async {
    let monitor = NWPathMonitor(network: network)
    monitor.start(queue: ears.queue)
    await network.delivered()
    monitor.pathUpdateHandler = ears.handler
    await network.delivered()
    #expect(ears.story == ["wlan0"])
    network.disconnect("wlan0")
    await network.delivered()
    #expect(ears.statuses == [.satisfied, .unsatisfied])
  }

  @Test func `a handler that is set before the first delivery is told once`() async {
    let monitor = NWPathMonitor(network: network)
    ears.queue.suspend()
    monitor.start(queue: ears.queue)
    monitor.pathUpdateHandler = ears.handler
    ears.queue.resume()
    await network.delivered()
    #expect(ears.story == ["wlan0"])
  }

  @Test func `another handler in its place is told the next change only`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await network.delivered()
    let others = Ears()
    monitor.pathUpdateHandler = others.handler
    await network.delivered()
    #expect(others.heard == [])
    network.disconnect("wlan0")
    await network.delivered()
    #expect(others.statuses == [.unsatisfied])
    #expect(ears.statuses == [.satisfied])
    monitor.pathUpdateHandler = nil
    network.connect("wlan0")
    await network.delivered()
    #expect(others.statuses == [.unsatisfied])
  }

  @Test func `calls come one after the other on a concurrent queue`() async {
    let ears = Ears(concurrent: true)
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    for _ in 0..<200 {
      network.disconnect("wlan0")
      network.connect("wlan0")
    }
    await network.delivered()
    #expect(ears.heard.count == 401)
    #expect(!ears.overlapped)
    #expect(ears.heard.map(\.sequence) == Array(1...401))
  }

  // MARK: Changes

  @Test func `an equal path is not told again`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    for _ in 0..<5 { network.change { $0 = [.wifi("wlan0")] } }
    network.send(monitor.currentPath)
    await network.delivered()
    #expect(ears.story == ["wlan0"])
  }

  @Test func `a monitor of Wi-Fi alone is not called for what happens to the cable`() async {
    let network = ScriptedNetwork([.wired("eth0"), .cellular("wwan0")])
    let monitor = NWPathMonitor(filter: NWPathFilter(required: .wifi), network: network)
    ears.listen(to: monitor)
    var iterator = monitor.makeAsyncIterator()
    let first = await iterator.next()
    for _ in 0..<5 {
      network.disconnect("eth0")
      network.connect("eth0")
    }
    network.interfaces = []
    await network.delivered()
    #expect(ears.statuses == [.unsatisfied])
    let now = monitor.currentPath
    #expect(now == first && !(now != ears.heard[0]))
    // It is known all the same.
    #expect(now.reason != first?.reason && now.alternatives != first?.alternatives)
    monitor.cancel()
    #expect(await iterator.next() == nil)
  }

  @Test func `a monitor of Ethernet channels sees cables with a carrier, routes or none`() async {
    let network = ScriptedNetwork([.wifi("wlan0"), .wired("eth0"), .wired("eth1")])
    network.change { interfaces in
      interfaces[2].hasIPv4 = false
      interfaces[1].isConnected = false
    }
    let monitor = NWPathMonitor.ethernetChannel(network: network)
    ears.listen(to: monitor)
    network.disconnect("wlan0")
    network.disconnect("eth1")
    network.connect("eth0")
    await network.delivered()
    #expect(ears.story == ["eth1", "unsatisfied", "eth0"])
    let first = ears.heard[0]
    #expect(first.usesInterfaceType(.wiredEthernet) && !first.usesInterfaceType(.wifi))
    #expect(!first.supportsIPv4 && !first.supportsDNS && first.gateways == [])
    #expect(ears.heard[1].reason == .noCarrier && ears.heard[1].explanation.count == 1)
    network.interfaces = []
    #expect(monitor.currentPath.reason == .noInterface)
  }

  @Test func `changes tell what a handler is not called for`() async {
    let network = ScriptedNetwork([.wired("eth0")])
    let monitor = NWPathMonitor(filter: NWPathFilter(required: .wifi), network: network)
    var iterator = monitor.changes.makeAsyncIterator()
    _ = await iterator.next()
    network.disconnect("eth0")
    let change = await iterator.next()
    #expect(change?.causes.contains(.reason) == true && change?.path == change?.previous)
  }

  @Test func `after a loss the same path is told again`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    network.disconnect("wlan0")
    network.connect("wlan0")
    await network.delivered()
    #expect(ears.statuses == [.satisfied, .unsatisfied, .satisfied])
    #expect(ears.heard.first == ears.heard.last)
  }

  @Test func `several changes at once are one`() async {
    let network = ScriptedNetwork.everything()
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    network.change { interfaces in
      interfaces[0].isConnected = false
      interfaces[1].isExpensive = true
    }
    await network.delivered()
    #expect(ears.story == ["eth0", "wlan0"])
    #expect(ears.heard.last?.isExpensive == true)
  }

  // MARK: Start and cancel

  @Test func `to start twice is harmless`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    let other = DispatchQueue(label: "other")
    monitor.start(queue: other)
    #expect(monitor.queue === ears.queue)
    await network.delivered()
    #expect(ears.story == ["wlan0"])
  }

  @Test func `nothing is told after cancel, and cancel twice is harmless`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await network.delivered()
    monitor.cancel()
    monitor.cancel()
    #expect(monitor.queue == nil)
    network.disconnect("wlan0")
    await network.delivered()
    ears.queue.sync {}
    #expect(ears.statuses == [.satisfied])
  }

  @Test func `what was on its way when cancel returned to the queue is not told`() async {
    let monitor = NWPathMonitor(network: network)
    ears.queue.suspend()
    ears.listen(to: monitor)
    network.disconnect("wlan0")
    monitor.cancel()
    ears.queue.resume()
    ears.queue.sync {}
    #expect(ears.heard == [])
  }

  @Test func `after cancel it may be started again, and tells the present path first`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await network.delivered()
    for _ in 0..<3 {
      monitor.cancel()
      network.disconnect("wlan0")
      monitor.start(queue: ears.queue)
      network.connect("wlan0")
      await network.delivered()
    }
    #expect(
      ears.statuses == [.satisfied] + [.unsatisfied, .satisfied, .unsatisfied, .satisfied]
        + [.unsatisfied, .satisfied])
  }

  @Test func `a handler may cancel its own monitor, and start it again`() async {
    let monitor = NWPathMonitor(network: network)
    let heard = Mutex<[String]>([])
    let again = DispatchQueue(label: "again")
    monitor.pathUpdateHandler = { [unowned monitor] path in
      let place = monitor.queue === again ? "again" : "first"
      heard.withLock { $0.append("\(place) \(path.status)") }
      guard place == "first", path.status == .unsatisfied else { return }
      monitor.cancel()
      monitor.start(queue: again)
    }
    ears.queue.suspend()
    monitor.start(queue: ears.queue)
    network.disconnect("wlan0")
    // On its way when the handler cancels, so never told.
    network.connect("wlan0")
    network.disconnect("wlan0")
    ears.queue.resume()
    ears.queue.sync {}
    await network.delivered()
    network.connect("wlan0")
    await network.delivered()
    let story = ["first satisfied", "first unsatisfied", "again unsatisfied", "again satisfied"]
    #expect(heard.withLock { $0 } == story)
  }

  @Test func `monitors do not disturb each other`() async {
    let network = ScriptedNetwork.everything()
    let all = NWPathMonitor(network: network)
    let wifi = NWPathMonitor(filter: NWPathFilter(required: .wifi), network: network)
    let ears = Ears()
    let others = Ears()
    ears.listen(to: all)
    others.listen(to: wifi)
    network.disconnect("eth0")
    network.disconnect("wlan0")
    await network.delivered()
    all.cancel()
    network.connect("wlan0")
    await network.delivered()
    #expect(ears.story == ["eth0", "wlan0", "wwan0"])
    #expect(others.story == ["wlan0", "unsatisfied", "wlan0"])
  }

  // MARK: The present path

  @Test func `the present path is true before the start, in between and after`() async {
    let monitor = NWPathMonitor(network: network)
    #expect(monitor.currentPath.status == .satisfied)
    network.disconnect("wlan0")
    #expect(monitor.currentPath.status == .unsatisfied)
    ears.listen(to: monitor)
    network.connect("wlan0")
    #expect(monitor.currentPath.status == .satisfied)
    monitor.cancel()
    network.disconnect("wlan0")
    #expect(monitor.currentPath.status == .unsatisfied)
  }

  @Test func `the present path can be set, until the next change`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await network.delivered()
    monitor.currentPath = NWPath(status: .requiresConnection)
    #expect(monitor.currentPath.status == .requiresConnection)
    network.disconnect("wlan0")
    await network.delivered()
    #expect(monitor.currentPath.status == .unsatisfied)
  }

  @Test func `it is read from many threads at once`() async {
    let monitor = NWPathMonitor(network: network)
    ears.listen(to: monitor)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<200 { _ = monitor.currentPath.status } }
      }
      group.addTask {
        for _ in 0..<200 {
          network.disconnect("wlan0")
          network.connect("wlan0")
        }
      }
      group.addTask {
        for _ in 0..<50 {
          monitor.pathUpdateHandler = ears.handler
          _ = monitor.queue
        }
      }
    }
    await network.delivered()
    #expect(monitor.currentPath.status == .satisfied)
    #expect(ears.heard.last?.status == .satisfied)
  }
}
