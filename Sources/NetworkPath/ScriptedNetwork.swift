#if os(Linux)
internal import Dispatch
internal import PathCore
internal import Synchronization

/// A network that does what a test says, with a clock that runs when a test says so. Give it to a
/// monitor in place of the kernel:
///
///     let network = ScriptedNetwork([.wifi("wlan0")])
///     let monitor = NWPathMonitor(network: network)
///     network.disconnect("wlan0")
///     await network.delivered()
///
/// The verdicts are worked out as they are for the kernel's network, filters and all.
public final class ScriptedNetwork: PathSource, Sendable {
  /// An interface of a scripted network.
  public struct Interface: Hashable, Sendable {
    /// Its name, which no other may have.
    public var name: String
    /// What kind of link it is.
    public var type: NWInterface.InterfaceType
    /// Whether there is a carrier, with addresses and routes.
    public var isConnected = true
    /// Whether traffic costs money; true for cellular ones unless set otherwise.
    public var isExpensive = false
    /// Whether data should be saved.
    public var isConstrained = false
    /// Whether it has an IPv4 address and a default route for it.
    public var hasIPv4 = true
    /// Whether it has an IPv6 address and a default route for it.
    public var hasIPv6 = false
    /// The gateway's hardware address, which tells networks apart.
    public var gatewayHardware: String?

    /// A connected interface with IPv4.
    public init(_ name: String, _ type: NWInterface.InterfaceType) {
      self.name = name
      self.type = type
      isExpensive = type == .cellular
    }

    /// A connected Wi-Fi interface.
    public static func wifi(_ name: String) -> Interface { Interface(name, .wifi) }
    /// A connected modem, which is expensive.
    public static func cellular(_ name: String) -> Interface { Interface(name, .cellular) }
    /// A connected cable.
    public static func wired(_ name: String) -> Interface { Interface(name, .wiredEthernet) }
  }

  private struct State {
    var board = PathBoard()
    var interfaces: [Interface]
    /// The kernel never gives an index twice.
    var indexes: [String: Int32] = [:]
    var hasDNS: Bool
    var time = Duration.zero
  }

  private let state: Mutex<State>
  private let start = ContinuousClock.now

  /// The interfaces in the order of preference; the first that is connected carries.
  public init(_ interfaces: [Interface] = [], hasDNS: Bool = true) {
    state = Mutex(State(interfaces: interfaces, hasDNS: hasDNS))
    change { _ in }
  }

  // MARK: What happens

  /// The interfaces in the order of preference.
  public var interfaces: [Interface] {
    get { state.withLock { $0.interfaces } }
    set { change { $0 = newValue } }
  }

  /// Any number of changes that are seen as one.
  public func change(_ body: (inout [Interface]) -> Void) {
    state.withLock { state in
      body(&state.interfaces)
      publish(&state)
    }
  }

  /// The cable is plugged in, the radio finds its network.
  public func connect(_ name: String) { setConnected(name, true) }

  /// The cable is pulled, the radio loses its network.
  public func disconnect(_ name: String) { setConnected(name, false) }

  private func setConnected(_ name: String, _ isConnected: Bool) {
    change { interfaces in
      for index in interfaces.indices where interfaces[index].name == name {
        interfaces[index].isConnected = isConnected
      }
    }
  }

  /// Whether name servers are configured.
  public var hasDNS: Bool {
    get { state.withLock { $0.hasDNS } }
    set {
      state.withLock { state in
        state.hasDNS = newValue
        publish(&state)
      }
    }
  }

  /// Every monitor's path is this one, whatever its filter, until the network changes.
  public func send(_ path: NWPath) {
    state.withLock { $0.board.take(scripted: path, at: $0.time) }
  }

  /// Lets time pass: changes settle, and waits end.
  public func advance(by time: Duration) {
    state.withLock { state in
      let end = state.time + max(time, .zero)
      while let next = state.board.nextDeadline, next <= end {
        state.time = max(state.time, next)
        state.board.wake(at: state.time)
      }
      state.time = end
    }
  }

  /// Returns when every handler has returned that was told of something before.
  public func delivered() async {
    for queue in queues.withLock({ Array($0.values) }) {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume() }
      }
    }
  }

  // MARK: The source

  private let queues = Mutex<[ObjectIdentifier: DispatchQueue]>([:])

  func use(_ queue: DispatchQueue) {
    queues.withLock { $0[ObjectIdentifier(queue)] = queue }
  }

  func leave(_ queue: DispatchQueue) {
    queues.withLock { $0[ObjectIdentifier(queue)] = nil }
  }

  func add(_ listener: PathBoard.Listener) -> Int {
    state.withLock { $0.board.add(listener, at: $0.time) }
  }

  func remove(_ id: Int) { state.withLock { $0.board.remove(id) } }

  func path(for query: PathQuery) -> NWPath {
    state.withLock { $0.board.path(for: query) } ?? NWPath(status: .requiresConnection)
  }

  var now: Duration { state.withLock { $0.time } }

  private func publish(_ state: inout State) {
    let snapshot = Self.snapshot(&state)
    state.board.take(snapshot, at: state.time, captured: start.advanced(by: state.time))
  }

  /// What the kernel would show of it: addresses of the documentation nets, default routes with
  /// ascending metrics.
  private static func snapshot(_ state: inout State) -> Snapshot {
    var snapshot = Snapshot()
    for (place, scripted) in state.interfaces.enumerated() {
      let index = state.indexes[scripted.name] ?? Int32(clamping: state.indexes.count + 2)
      state.indexes[scripted.name] = index
      var interface = PathCore.Interface(
        index: index, name: scripted.name, type: scripted.type.core, flags: [.up])
      interface.isPhysical = true
      interface.operationalState = scripted.isConnected ? .up : .down
      interface.cost = LinkCost(
        isExpensive: scripted.isExpensive,
        source: scripted.isExpensive
          ? scripted.type == .cellular ? .type : .config : .none,
        isConstrained: scripted.isConstrained)
      if scripted.isConnected {
        interface.flags.formUnion([.running, .lowerUp])
        connect(&interface, scripted, place, &snapshot)
      }
      snapshot.interfaces.append(interface)
    }
    snapshot.interfaces.sort { $0.index < $1.index }
    if state.hasDNS {
      snapshot.nameServers = [NameServer(PathCore.IPAddress(ipv4: 0xC000_0235))]
    }
    return snapshot
  }

  private static func connect(
    _ interface: inout PathCore.Interface, _ scripted: Interface, _ place: Int,
    _ snapshot: inout Snapshot
  ) {
    let metric = UInt32(clamping: 100 * (place + 1))
    let net = UInt32(truncatingIfNeeded: place & 0xFF)
    if scripted.hasIPv4 {
      // 198.18.0.0/15 (RFC 2544).
      let gateway = PathCore.IPAddress(ipv4: 0xC612_0001 | net << 8)
      interface.addresses.append(
        InterfaceAddress(PathCore.IPAddress(ipv4: 0xC612_000A | net << 8), prefixLength: 24))
      let route = route(interface.index, gateway, metric)
      interface.ipv4 = route
      if snapshot.ipv4 == .noRoute { snapshot.ipv4 = route }
      addHardware(scripted, interface, gateway, &snapshot)
    }
    if scripted.hasIPv6 {
      // 2001:db8::/32 (RFC 3849).
      let high = 0x2001_0DB8_0000_0000 | UInt64(net)
      let gateway = PathCore.IPAddress(ipv6High: high, low: 1)
      interface.addresses.append(
        InterfaceAddress(PathCore.IPAddress(ipv6High: high, low: 0xA), prefixLength: 64))
      let route = route(interface.index, gateway, metric)
      interface.ipv6 = route
      if snapshot.ipv6 == .noRoute { snapshot.ipv6 = route }
      addHardware(scripted, interface, gateway, &snapshot)
    }
  }

  private static func addHardware(
    _ scripted: Interface, _ interface: PathCore.Interface, _ gateway: PathCore.IPAddress,
    _ snapshot: inout Snapshot
  ) {
    guard let address = scripted.gatewayHardware else { return }
    snapshot.gatewayHardware.append(
      GatewayHardware(interface: interface.index, gateway: gateway, address: address))
  }

  private static func route(
    _ index: Int32, _ gateway: PathCore.IPAddress, _ metric: UInt32
  ) -> Lookup {
    .route(
      RouteAnswer(hops: [NextHop(interface: index, gateway: gateway)], metric: metric))
  }
}
#endif
