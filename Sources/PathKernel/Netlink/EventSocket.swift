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
  private let fault: KernelFault?
  /// A second descriptor of the same socket, to wait for. Whoever closes one of the two by mistake
  /// leaves the other: a closed one would fall out of epoll(7) without a word, and never wake us.
  let waitDescriptor: Int32
  private(set) var foreignDatagrams: UInt64 = 0
  private(set) var malformed: UInt64 = 0

  /// What came of one look at the socket.
  enum Outcome: Hashable {
    case complete
    /// Messages are missing.
    case lost(String)
    /// It can't be read any more; another one is needed.
    case broken(String)
  }

  init(_ settings: KernelSettings, fault: KernelFault? = nil) throws(KernelError) {
    self.settings = settings
    self.fault = fault
    if let code = fault?(.open) { throw KernelError("open a netlink socket", code: code) }
    socket = try NetlinkSocket(nonBlocking: true)
    waitDescriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
    if waitDescriptor < 0 { throw KernelError("fcntl") }
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

  deinit { if waitDescriptor >= 0 { close(waitDescriptor) } }

  /// Whether the descriptor is still that of the socket: someone may have closed it, and something
  /// else may have its number by now.
  var isOpen: Bool {
    var address = sockaddr_nl()
    var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(socket.descriptor, $0, &length)
      }
    }
    return result == 0 && address.nl_family == sa_family_t(AF_NETLINK)
      && address.nl_pid == socket.port
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

  /// Hands on every pending message.
  func receive(into intake: inout Intake) -> Outcome {
    var lost: String?
    var budget = Self.datagramLimit
    var slots = Self.firstSlots
    while budget > 0 {
      let received =
        fault?(.hear).map { -Int($0) }
        ?? buffer.receive(socket.descriptor, slots: slots, flags: Int32(MSG_DONTWAIT))
      if received == -Int(EINTR) { continue }
      if received == -Int(EAGAIN) || received == 0 { break }
      guard received > 0 else {
        // An overrun is told before what is still queued. Any other error may stay.
        guard received == -Int(ENOBUFS) else {
          return .broken(KernelError.text(Int32(clamping: -received)))
        }
        lost = "the kernel's queue ran over"
        budget -= 1
        continue
      }
      budget -= received
      if let cut = take(received, &intake) { lost = cut }
      if received < slots { break }
      slots = Self.slots
    }
    return lost.map { .lost($0) } ?? .complete
  }

  /// Returns what was cut off, or nil.
  private func take(_ count: Int, _ intake: inout Intake) -> String? {
    var lost: String?
    for slot in 0..<count {
      let datagram = buffer[slot]
      if datagram.port != 0 {
        foreignDatagrams += 1
      } else if datagram.truncated != 0 {
        lost = "a message of more than \(Self.slot) bytes"
      } else if unsafe !Self.walk(buffer.bytes(slot), &intake) {
        malformed += 1
      }
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
