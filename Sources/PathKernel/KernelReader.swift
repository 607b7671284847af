import CLinux
package import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

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
  private var radios = RadioSwitches()
  private let lookups: RouteLookups
  private var selected = Selected()
  /// The tables must be read anew before they are used.
  private var isStale = true
  /// The tables, and what events made of them.
  private var intake = Intake()

  /// The links that count, by the tables and the switches.
  private struct Selected {
    /// With the answers of the last look.
    var interfaces: [Interface] = []
    var ignored = 0
    /// The places of those to look up.
    var asked: [Int] = []
    /// The links that the unbound answers had named.
    var named: [Int32] = []
    /// False after tables or switches changed.
    var isCurrent = false
  }

  /// Time until a default in use ends by itself; its delete message can lag by half a minute, so
  /// look again then. As of the last snapshot.
  package var nextExpiry: Duration? { lookups.nextExpiry }

  /// Subscribes first and reads later, so nothing falls in between.
  package init(settings: KernelSettings = KernelSettings()) throws(KernelError) {
    self.settings = settings
    userID = geteuid()
    classifier = LinkClassifier(settings)
    events = try EventSocket(settings)
    requests = try KernelRequests(userID: userID)
    lookups = RouteLookups(requests, settings)
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
    var counters = intake.counters
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
    intake.hints = KernelHints(rawValue: 0)
    let malformedBefore = events.malformed
    let lost = events.receive(into: &intake)
    if events.malformed != malformedBefore { intake.hints.add(.reread) }
    let hints = intake.hints
    if hints.touch(.reread) { isStale = true }
    if hints.touch(.linksOrAddresses) { selected.isCurrent = false }
    if let lost {
      intake.counters.overruns += 1
      isStale = true
      return .lost(lost)
    }
    return hints.rawValue == 0 ? .nothing : .changed(hints)
  }

  /// Whether resolv.conf names other servers now.
  package func drainResolver() -> Bool { resolver.drain() }

  /// Reads everything anew. Returns whether the tables had drifted from the kernel's, or what
  /// sends no event (servers behind an unwatched link, switches of radios) is different now.
  package func reconcile() -> Bool {
    let oldRadios = radios
    let hasDrifted = reconcileTables()
    intake.table.doubtDevices()
    let hasNewServers = resolver.reload()
    return hasDrifted || hasNewServers || oldRadios != radios
  }

  private func reconcileTables() -> Bool {
    for _ in 0..<Self.dumpTries {
      _ = drain()
      var fresh = intake.table
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
      var fresh = intake.table
      let (end, _) = read(into: &fresh)
      if case .failed(let reason) = end {
        var snapshot = Self.unavailable(reason, settings: settings)
        snapshot.nameServers = resolver.servers
        return snapshot
      }
      adopt(fresh, end)
    }
    select()
    // First the filter, then the question: what changes in between is heard of.
    events.setServers(resolver.servers)
    lookups.look(&selected.interfaces, selected.asked, &intake.hardware)
    let named = lookups.named
    if named != selected.named, lacks(named) {
      selected.isCurrent = false
      select(named)
      lookups.look(&selected.interfaces, selected.asked, &intake.hardware)
    }
    let servers = lookups.ask(for: resolver.servers, selected.interfaces, selected.asked)
    let hardware = gatewayHardware()
    var unavailable: String?
    if case .failed(let reason) = lookups.ipv4, case .failed = lookups.ipv6 {
      unavailable = reason
    }
    return Snapshot(
      interfaces: selected.interfaces, ipv4: lookups.ipv4, ipv6: lookups.ipv6,
      nameServers: servers, gatewayHardware: hardware, ignoredLinks: selected.ignored,
      userID: userID, unavailable: unavailable)
  }

  /// The same links as before when it was only routes that changed: the tables may be long.
  private func select(_ fresh: [Int32]? = nil) {
    if intake.table.prepare(classifier) {
      radios = RadioSwitches(classifier.sysfs)
      selected.isCurrent = false
    }
    if selected.isCurrent { return }
    let named = fresh ?? selected.named
    let selection = InterfaceSelection(
      intake.table, radios: radios, countsBridgeUplink: settings.countsBridgeUplink, named: named)
    selected = Selected(
      interfaces: selection.interfaces, ignored: selection.ignored,
      asked: RouteLookups.worthAsking(selection.interfaces, named: named), named: named,
      isCurrent: true)
  }

  /// Whether an unbound answer leads to a link that was not asked for itself, or one that is shown
  /// only for the sake of an earlier answer.
  private func lacks(_ named: [Int32]) -> Bool {
    let asked = selected.asked.map { selected.interfaces[$0].index }
    return named.contains { !asked.contains($0) && intake.table.position(of: $0) != nil }
      || selected.named.contains { !named.contains($0) }
  }

  /// Asks for gateways not seen before; later news about them comes by events.
  private func gatewayHardware() -> [GatewayHardware] {
    var places: [GatewayPlace] = []
    lookups.ipv4.addGateways(to: &places)
    lookups.ipv6.addGateways(to: &places)
    let fresh = intake.hardware.use(places)
    if !fresh.isEmpty {
      // First the filter, then the question: an answer that changes in between is heard of.
      events.setGateways(places.map(\.address.withoutScope))
      requests.neighbours(fresh) { _ = intake.hardware.apply($0) }
    }
    return intake.hardware.known(places)
  }

  // MARK: Tables

  private func adopt(_ fresh: LinkTable, _ end: KernelRequests.DumpEnd) {
    intake.table = fresh
    radios = RadioSwitches(classifier.sysfs)
    selected.isCurrent = false
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
    intake.counters.malformed += malformed
    if case .failed = end { return (end, false) }
    return (end, table.replace(links: links, addresses: addresses))
  }
}

extension Lookup {
  /// The gateways of the hops, each once and not too many.
  fileprivate func addGateways(to places: inout [GatewayPlace]) {
    guard case .route(let answer) = self else { return }
    for hop in answer.hops where places.count < SocketFilter.gatewayLimit {
      guard let gateway = hop.gateway else { continue }
      let place = GatewayPlace(interface: hop.interface, address: gateway)
      if !places.contains(place) { places.append(place) }
    }
  }
}
