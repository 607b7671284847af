import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// The socket that hears of changes. It is never used for requests: its filter would eat answers,
/// and its overruns would be blamed on them.
final class EventSocket {
  private static let slot = 32 * 1024
  private static let slots = 16
  /// What one call reads at most, so that a storm cannot hold the loop.
  private static let datagramLimit = 4096

  /// What is made ready for the first call: news comes alone as a rule.
  private static let firstSlots = 4

  private let socket: NetlinkSocket
  private let buffer = DatagramBuffer(slots: slots, slot: slot)
  private var gateways: [IPAddress] = []
  private var servers: [IPAddress] = []
  private let settings: KernelSettings
  private(set) var foreignDatagrams: UInt64 = 0
  private(set) var malformed: UInt64 = 0

  var descriptor: Int32 { socket.descriptor }

  init(_ settings: KernelSettings) throws(KernelError) {
    self.settings = settings
    socket = try NetlinkSocket(nonBlocking: true)
    socket.setReceiveBuffer(settings.receiveBufferBytes)
    // Before joining, so that no storm slips in between.
    attach()
    let needed = [
      RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
      RTNLGRP_IPV6_ROUTE,
    ]
    for group in needed where !socket.join(group) {
      throw KernelError("join netlink group \(group.rawValue)")
    }
    // A kernel may be built without these; then there is nothing of the kind to hear about.
    let optional = [
      RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_NEXTHOP, RTNLGRP_IPV4_NETCONF,
      RTNLGRP_IPV6_NETCONF, RTNLGRP_NEIGH,
    ]
    for group in optional { _ = socket.join(group) }
  }

  /// Lets news about these neighbours through, and about no others. Without a filter every message
  /// would arrive, which is slower and nothing worse.
  func setGateways(_ gateways: [IPAddress]) {
    guard self.gateways != gateways else { return }
    self.gateways = gateways
    attach()
  }

  /// Lets news about routes through that cover these servers.
  func setServers(_ servers: [NameServer]) {
    var addresses: [IPAddress] = []
    for server in servers where server.needsRoute { addresses.append(server.address) }
    guard self.servers != addresses else { return }
    self.servers = addresses
    attach()
  }

  private func attach() {
    let lookups = [settings.ipv4LookupAddress, settings.ipv6LookupAddress]
    try? socket.attach(SocketFilter.program(routesTo: lookups + servers, gateways: gateways))
  }

  /// Hands on every pending message. Returns what was lost, or nil.
  func receive(into intake: inout Intake) -> String? {
    var lost: String?
    var budget = Self.datagramLimit
    var slots = Self.firstSlots
    while budget > 0 {
      let received = buffer.receive(socket.descriptor, slots: slots, flags: Int32(MSG_DONTWAIT))
      if received == -Int(EINTR) { continue }
      if received == -Int(EAGAIN) || received == 0 { break }
      guard received > 0 else {
        lost =
          received == -Int(ENOBUFS)
          ? "the kernel's queue ran over" : KernelError.text(Int32(-received))
        // An overrun is told before what is still queued; other errors may stay.
        guard received == -Int(ENOBUFS) else { break }
        budget -= 1
        continue
      }
      budget -= received
      for slot in 0..<received {
        let datagram = buffer[slot]
        if datagram.port != 0 {
          foreignDatagrams += 1
        } else if datagram.truncated != 0 {
          lost = "a message of more than \(Self.slot) bytes"
        } else if unsafe !Self.walk(buffer.bytes(slot), &intake) {
          malformed += 1
        }
      }
      if received < slots { break }
      slots = Self.slots
    }
    return lost
  }

  private static func walk(_ bytes: UnsafeRawBufferPointer, _ intake: inout Intake) -> Bool {
    let bytes = unsafe bytes.bytes
    var cursor = MessageCursor()
    while true {
      do throws(Malformed) {
        guard let message = try cursor.next(in: bytes) else { return true }
        intake.take(bytes, message)
      } catch {
        return false
      }
    }
  }
}
