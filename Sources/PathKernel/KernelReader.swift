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
  static let dumpTries = 4

  let settings: KernelSettings
  private let fault: KernelFault?
  let wakes: WakeSet
  var alarms: Alarms
  let resolver: ResolverWatch
  var radioDevice: RadioDevice
  let classifier: LinkClassifier
  private let userID: UInt32
  var radios = RadioSwitches()
  var selected = Selected()
  /// Nil while it cannot be had.
  var netlink: Netlink?
  /// Open while a tunnel's verdict rests on what it tells.
  var hintSocket: HintSocket?
  /// Between tries to read what could not be read, and to open what could not be opened.
  var retries = KernelReader.noRetries
  /// Between event sockets that broke.
  var breaks = KernelReader.noRetries
  /// The tables must be read anew before they are used.
  var isStale = true
  /// The tables, and what events made of them.
  var intake = Intake()

  /// The descriptor to watch was closed by someone else: only another reader hears anything.
  package internal(set) var isLost = false

  /// Why netlink cannot be had; nil while it can.
  package internal(set) var refusal: String?

  private static let noRetries = Backoff(from: .milliseconds(50), by: 2, to: .seconds(5))
  /// The kernel's word about when a route ends is a little early.
  private static let expiryMargin = Duration.milliseconds(50)
  /// Who writes resolv.conf in pieces has this long before it is read all the same.
  static let writingTime = Duration.milliseconds(300)

  /// The links that count, by the tables and the switches.
  struct Selected {
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

  /// Time until a route in use ends by itself; its delete message can lag by half a minute, so
  /// `drain` tells of it. As of the last snapshot.
  package var nextExpiry: Duration? { netlink?.lookups.nextExpiry }
  /// Whether changes of routes to anywhere are listened to.
  package var hearsFarRoutes: Bool { hintSocket != nil }

  /// Where netlink cannot be had, the snapshots say so, and it is tried again by and by.
  package init(
    settings: KernelSettings = KernelSettings(), fault: KernelFault? = nil
  ) throws(KernelError) {
    self.settings = settings
    self.fault = fault
    userID = geteuid()
    classifier = LinkClassifier(settings)
    wakes = try WakeSet()
    alarms = try Alarms()
    resolver = ResolverWatch(path: settings.resolverPath)
    radioDevice = RadioDevice(path: settings.radioDevicePath)
    wakes.add(alarms.descriptor, .alarm)
    wakes.add(resolver.descriptor, .resolver)
    wakes.add(resolver.mountDescriptor, .mounts, urgent: true)
    openRadioDevice()
    if !connect() { alarms.set(.retry, in: retries.next()) }
  }

  /// Subscribes first and reads later, so nothing falls in between.
  func connect() -> Bool {
    do throws(KernelError) {
      let requests = try KernelRequests(userID: userID, fault: fault)
      let events = try EventSocket(settings, fault: fault)
      guard wakes.add(events.waitDescriptor, .events) else { throw KernelError("epoll_ctl") }
      netlink = Netlink(
        events: events, requests: requests, lookups: RouteLookups(requests, settings))
      refusal = nil
    } catch {
      refusal = error.description
    }
    intake.hardware = GatewayHardwareCache()
    isStale = true
    return refusal == nil
  }

  func disconnect() {
    intake.counters = counters
    if let netlink { wakes.remove(netlink.events.waitDescriptor) }
    netlink = nil
    closeHints()
  }

  /// Readable when `drain()` has something to read: the one descriptor to watch.
  package var eventDescriptor: Int32 { wakes.descriptor }

  package var counters: KernelCounters {
    var counters = intake.counters
    guard let netlink else { return counters }
    counters.malformed += netlink.events.malformed
    counters.ignoredForeign += netlink.events.foreignDatagrams
    counters.dumps += netlink.requests.counters.dumps
    counters.interruptedDumps += netlink.requests.counters.interruptedDumps
    counters.lookups += netlink.requests.counters.lookups
    return counters
  }

  // MARK: Snapshot

  /// Everything a verdict rests on, now. Never fails: what could not be read says so, and `drain`
  /// tells when it is to be tried again.
  package func snapshot() -> Snapshot {
    guard let netlink else { return unavailable(refusal ?? "netlink cannot be had") }
    let before = netlink.requests.unanswered
    let snapshot = look(netlink)
    if isStale || netlink.requests.unanswered != before {
      alarms.set(.retry, in: retries.next())
    } else {
      retries.reset()
      alarms.clear(.retry)
    }
    return snapshot
  }

  private func look(_ netlink: Netlink) -> Snapshot {
    if isStale {
      var fresh = intake.table
      let (end, _) = read(into: &fresh)
      if case .failed(let reason) = end { return unavailable(reason) }
      adopt(fresh, end)
    }
    select()
    let lookups = netlink.lookups
    // First the filter, then the question: what changes in between is heard of.
    netlink.events.setServers(resolver.servers)
    look(lookups)
    if listenForHints(lookups.restsOnFarRoutes) {
      // What changed before it was listened for.
      look(lookups)
    }
    if let left = lookups.nextExpiry { alarms.set(.expiry, in: left + Self.expiryMargin) }
    let servers = lookups.ask(for: resolver.servers, selected.interfaces, selected.asked)
    let hardware = gatewayHardware(netlink)
    var unavailable: String?
    if case .failed(let reason) = lookups.ipv4, case .failed = lookups.ipv6 {
      unavailable = reason
    }
    return Snapshot(
      interfaces: selected.interfaces, ipv4: lookups.ipv4, ipv6: lookups.ipv6,
      nameServers: servers, gatewayHardware: hardware, ignoredLinks: selected.ignored,
      userID: userID, unavailable: unavailable)
  }

  /// Asks for the ways out; again where the answers name links that were not asked themselves.
  private func look(_ lookups: RouteLookups) {
    lookups.look(&selected.interfaces, selected.asked, &intake.hardware)
    let named = lookups.named
    guard named != selected.named, lacks(named) else { return }
    selected.isCurrent = false
    select(named)
    lookups.look(&selected.interfaces, selected.asked, &intake.hardware)
  }

  private func unavailable(_ reason: String) -> Snapshot {
    var snapshot = Self.unavailable(reason, settings: settings)
    snapshot.nameServers = resolver.servers
    return snapshot
  }

  /// Opens or closes the hint socket; whether it was opened.
  private func listenForHints(_ isNeeded: Bool) -> Bool {
    if !isNeeded {
      if hintSocket != nil { closeHints() }
      return false
    }
    guard hintSocket == nil, let fresh = try? HintSocket() else { return false }
    hintSocket = fresh
    return wakes.add(fresh.descriptor, .routes)
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
  private func gatewayHardware(_ netlink: Netlink) -> [GatewayHardware] {
    var places: [GatewayPlace] = []
    netlink.lookups.ipv4.addGateways(to: &places)
    netlink.lookups.ipv6.addGateways(to: &places)
    let fresh = intake.hardware.use(places)
    if !fresh.isEmpty {
      // First the filter, then the question: an answer that changes in between is heard of.
      netlink.events.setGateways(places.map(\.address.withoutScope))
      netlink.requests.neighbours(fresh) { _ = intake.hardware.apply($0) }
    }
    return intake.hardware.known(places)
  }

  // MARK: Tables

  func adopt(_ fresh: LinkTable, _ end: KernelRequests.DumpEnd) {
    intake.table = fresh
    radios = RadioSwitches(classifier.sysfs)
    selected.isCurrent = false
    // What came of a dump that never got through undisturbed is better than nothing.
    isStale = end != .complete
  }

  /// Dumps links and addresses until the kernel says that nothing changed meanwhile.
  func read(
    into table: inout LinkTable
  ) -> (end: KernelRequests.DumpEnd, hasDrifted: Bool) {
    guard let requests = netlink?.requests else { return (.failed("netlink cannot be had"), false) }
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
