import CLinux
import Glibc
package import PathCore

/// Reads the kernel's view of the network: events keep its tables of links and addresses, and each
/// snapshot asks for the routes anew. One thread owns it; it reports facts and judges nothing.
package final class KernelReader {
  private static let dumpTries = 4

  private let settings: KernelSettings
  private let events: EventSocket
  private let requests: KernelRequests
  private let resolver: ResolverWatch
  private let classifier: LinkClassifier
  private let userID: UInt32
  private var table = LinkTable()
  private var radios = RadioSwitches()
  private var hardware = GatewayHardwareCache()
  /// What the tables and the switches say of the links that count; nil after either changed.
  private var selected: (interfaces: [Interface], ignored: Int)?
  /// The tables must be read anew before they are used.
  private var isStale = true
  private var news = Intake()

  /// Time until a default in use ends by itself; its delete message can lag by half a minute, so
  /// look again then. As of the last snapshot.
  package private(set) var nextExpiry: Duration?

  /// Subscribes first and reads later, so nothing falls in between.
  package init(settings: KernelSettings = KernelSettings()) throws(KernelError) {
    self.settings = settings
    userID = geteuid()
    classifier = LinkClassifier(settings)
    events = try EventSocket(settings)
    requests = try KernelRequests(userID: userID)
    resolver = ResolverWatch(path: settings.resolverPath)
  }

  /// What there is to say when netlink cannot be had.
  package static func unavailable(
    _ reason: String, settings: KernelSettings = KernelSettings()
  ) -> Snapshot {
    var snapshot = Snapshot(ipv4: .failed(reason), ipv6: .failed(reason), unavailable: reason)
    snapshot.nameServers = ResolverFile.read(settings.resolverPath)
    snapshot.userID = geteuid()
    return snapshot
  }

  /// Readable when `drain()` has something to read.
  package var eventDescriptor: Int32 { events.descriptor }
  /// Readable when `drainResolver()` has something to read; negative when nothing tells of it, and
  /// `reconcile()` alone finds other servers.
  package var resolverDescriptor: Int32 { resolver.descriptor }

  package var counters: KernelCounters {
    var counters = news.counters
    counters.malformed += events.malformed
    counters.ignoredForeign = events.foreignDatagrams
    counters.dumps = requests.counters.dumps
    counters.interruptedDumps = requests.counters.interruptedDumps
    counters.lookups = requests.counters.lookups
    return counters
  }

  // MARK: Events

  /// Reads what is pending, up to a bound, without waiting.
  package func drain() -> KernelNews {
    news.hints = []
    let malformedBefore = events.malformed
    let lost = events.receive { bytes, message in
      news.take(bytes, message, &table, &hardware)
    }
    if events.malformed != malformedBefore { news.hints.insert(.reread) }
    if news.hints.contains(.reread) { isStale = true }
    if !news.hints.isDisjoint(with: [.link, .address, .reread]) { selected = nil }
    if let lost {
      news.counters.overruns += 1
      isStale = true
      return .lost(lost)
    }
    return news.hints.isEmpty ? .nothing : .changed(news.hints)
  }

  /// Whether resolv.conf names other servers now.
  package func drainResolver() -> Bool { resolver.drain() }

  /// Reads everything anew. Returns whether the tables had drifted from the kernel's, or what
  /// sends no event (servers behind an unwatched link, switches of radios) is different now.
  package func reconcile() -> Bool {
    let oldRadios = radios
    let hasDrifted = reconcileTables()
    table.doubtDevices()
    let hasNewServers = resolver.reload()
    return hasDrifted || hasNewServers || oldRadios != radios
  }

  private func reconcileTables() -> Bool {
    for _ in 0..<Self.dumpTries {
      _ = drain()
      var fresh = table
      let (end, hasDrifted) = read(into: &fresh)
      if case .failed = end {
        isStale = true
        return false
      }
      // What differs may be a change whose event is still on its way: take that in and compare
      // again.
      if end == .complete, hasDrifted, drain() != .nothing { continue }
      adopt(fresh, end)
      return hasDrifted
    }
    isStale = true
    return true
  }

  // MARK: Snapshot

  /// Everything a verdict rests on, now. Never fails: what could not be read says so.
  package func snapshot() -> Snapshot {
    if isStale {
      let (end, _) = read(into: &table)
      if case .failed(let reason) = end {
        var snapshot = Self.unavailable(reason, settings: settings)
        snapshot.nameServers = resolver.servers
        return snapshot
      }
      adopt(table, end)
    }
    let links = selectLinks()
    var snapshot = Snapshot(
      interfaces: links.interfaces, nameServers: resolver.servers, ignoredLinks: links.ignored,
      userID: userID)
    var lookups = RouteLookups(requests, settings)
    lookups.fill(&snapshot)
    nextExpiry = lookups.nextExpiry
    snapshot.gatewayHardware = gatewayHardware(snapshot)
    if case .failed(let reason) = snapshot.ipv4, case .failed = snapshot.ipv6 {
      snapshot.unavailable = reason
    }
    return snapshot
  }

  /// The same links as before when it was only routes that changed: the tables may be long.
  private func selectLinks() -> (interfaces: [Interface], ignored: Int) {
    if table.prepare(classifier.nature) {
      radios = RadioSwitches(classifier.sysfs)
      selected = nil
    }
    if let selected { return selected }
    let selection = InterfaceSelection(
      table, radios: radios, countsBridgeUplink: settings.countsBridgeUplink)
    selected = (selection.interfaces, selection.ignored)
    return (selection.interfaces, selection.ignored)
  }

  /// Asks for gateways not seen before; later news about them comes by events.
  private func gatewayHardware(_ snapshot: Snapshot) -> [GatewayHardware] {
    var hops: [NextHop] = []
    for hop in [snapshot.ipv4, snapshot.ipv6].compactMap(\.answer).flatMap(\.hops)
    where hop.gateway != nil && hops.count < SocketFilter.gatewayLimit
      && !hops.contains(where: { $0.interface == hop.interface && $0.gateway == hop.gateway })
    {
      hops.append(hop)
    }
    let fresh = hardware.use(hops)
    if !fresh.isEmpty {
      // First the filter, then the question: an answer that changes in between is heard of.
      events.setGateways(hops.compactMap(\.gateway).map(\.withoutScope))
      for case .value(let neighbour) in requests.neighbours(fresh) { _ = hardware.apply(neighbour) }
    }
    return hardware.entries(hops)
  }

  // MARK: Tables

  private func adopt(_ fresh: LinkTable, _ end: KernelRequests.DumpEnd) {
    table = fresh
    radios = RadioSwitches(classifier.sysfs)
    selected = nil
    // What came of a dump that never got through undisturbed is better than nothing.
    isStale = end != .complete
  }

  /// Dumps links and addresses until the kernel says that nothing changed meanwhile.
  private func read(
    into table: inout LinkTable
  ) -> (end: KernelRequests.DumpEnd, hasDrifted: Bool) {
    var links: [LinkRecord] = []
    var addresses: [AddressRecord] = []
    var malformed: UInt64 = 0
    let end = DumpRepeater.run(tries: Self.dumpTries) {
      links.removeAll(keepingCapacity: true)
      addresses.removeAll(keepingCapacity: true)
      let end = requests.dumpLinks { bytes, message in
        guard message.type == UInt16(RTM_NEWLINK) else { return }
        do throws(Malformed) {
          let parsed = try LinkParser.parse(bytes, message.payload, isDelete: false)
          if case .known(let link) = parsed { links.append(link) }
        } catch {
          malformed += 1
        }
      }
      guard end == .complete else { return end }
      return requests.dumpAddresses { bytes, message in
        guard message.type == UInt16(RTM_NEWADDR) else { return }
        do throws(Malformed) {
          if let address = try AddressParser.parse(bytes, message.payload) {
            addresses.append(address)
          }
        } catch {
          malformed += 1
        }
      }
    }
    news.counters.malformed += malformed
    if case .failed = end { return (end, false) }
    return (end, table.replace(links: links, addresses: addresses))
  }
}
