internal import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Whole tables of the kernel, one datagram after the other.
extension KernelRequests {
  /// What the kernel fills at most as a rule.
  private static let dumpBufferLeast = 32 << 10
  private static let dumpBufferLimit = 16 << 20

  /// How a dump ended.
  enum DumpEnd: Hashable {
    case complete
    /// NLM_F_DUMP_INTR: the tables changed meanwhile and entries may be missing.
    case interrupted
    /// It may be made a moment later.
    case busy(String)
    case failed(String)
  }

  /// Every link; statistics are left out by the kernel.
  func dumpLinks(_ take: (RawSpan, Message) -> Void) -> DumpEnd {
    readDump(Int(RTM_GETLINK), headerLength: MemoryLayout<ifinfomsg>.size, take) { buffer in
      buffer.put(Int(IFLA_EXT_MASK), 1 << 3)  // RTEXT_FILTER_SKIP_STATS
    }
  }

  /// Every address of both families.
  func dumpAddresses(_ take: (RawSpan, Message) -> Void) -> DumpEnd {
    readDump(Int(RTM_GETADDR), headerLength: MemoryLayout<ifaddrmsg>.size, take) { _ in }
  }

  /// The routes of all tables that leave by one interface; at most `limit` of them.
  func dumpRoutes(
    _ family: AddressFamily, interface: Int32, limit: Int, _ take: (RawSpan, Message) -> Void
  ) -> DumpEnd {
    readDump(Int(RTM_GETROUTE), headerLength: MemoryLayout<rtmsg>.size, limit: limit, take) {
      buffer in
      buffer.set(byte: family.kernel, at: 0)
      buffer.put(Int(RTA_OIF.rawValue), UInt32(bitPattern: interface))
    }
  }

  private func readDump(
    _ type: Int, headerLength: Int, limit: Int = .max, _ take: (RawSpan, Message) -> Void,
    _ write: (inout RequestBuffer) -> Void
  ) -> DumpEnd {
    counters.dumps += 1
    let sequence = nextSequence(1)
    outgoing.reset()
    _ = outgoing.begin(type, flags: NLM_F_DUMP, sequence: sequence, headerLength: headerLength)
    write(&outgoing)
    do throws(KernelError) {
      try send()
    } catch {
      return unanswered(error.description, isPassing: true)
    }
    var end = DumpEnd.complete
    var count = 0
    var buffer = DatagramBuffer(slots: 1, slot: Self.dumpBufferLeast)
    while true {
      let part = receivePart(sequence, &end, &buffer) { bytes, message in
        count += 1
        if count <= limit { take(bytes, message) }
      }
      switch part {
      case .more where count <= limit: continue
      case .more:
        renew()
        return end
      case .done:
        if end == .interrupted { counters.interruptedDumps += 1 }
        return end
      case .late:
        renew()
        return unanswered("the kernel did not answer in time", isPassing: false)
      case .broken(let code):
        renew()
        return unanswered(KernelError.text(code), isPassing: KernelError.isPassing(code))
      case .refused(let code) where KernelError.isPassing(code):
        renew()
        return unanswered(KernelError.text(code), isPassing: true)
      case .refused(let code):
        renew()
        return .failed(KernelError.text(code))
      case .unreadable(let reason):
        renew()
        return .failed(reason)
      }
    }
  }

  private enum Part {
    case more, done
    /// Nothing came until the time was up.
    case late
    /// The socket's error, and the kernel's answer.
    case broken(Int32), refused(Int32)
    case unreadable(String)
  }

  private func unanswered(_ reason: String, isPassing: Bool) -> DumpEnd {
    unanswered += 1
    return isPassing ? .busy(reason) : .failed(reason)
  }

  /// Reads one datagram of a dump, first making room for the whole of it.
  private func receivePart(
    _ sequence: UInt32, _ end: inout DumpEnd, _ buffer: inout DatagramBuffer,
    _ take: (RawSpan, Message) -> Void
  ) -> Part {
    if let code = fault?(.receive) { return .broken(code) }
    let length = socket.peekLength()
    if length == -Int(EINTR) { return .more }
    if length < 0 { return length == -Int(EAGAIN) ? .late : .broken(Int32(-length)) }
    guard length <= Self.dumpBufferLimit else {
      return .unreadable("a datagram of \(length) bytes")
    }
    if length > buffer.slot { buffer = DatagramBuffer(slots: 1, slot: length) }
    let received = buffer.receive(socket.descriptor, slots: 1, flags: 0)
    if received == -Int(EINTR) { return .more }
    guard received == 1 else { return .broken(Int32(-received)) }
    guard buffer[0].port == 0 else { return .more }
    return Self.readPart(unsafe buffer.bytes(0).bytes, sequence, &end, take)
  }

  private static func readPart(
    _ bytes: RawSpan, _ sequence: UInt32, _ end: inout DumpEnd, _ take: (RawSpan, Message) -> Void
  ) -> Part {
    var cursor = MessageCursor()
    do throws(Malformed) {
      while let message = try cursor.next(in: bytes) {
        // What is left of an earlier question that timed out.
        guard message.sequence == sequence else { continue }
        if message.flags & UInt16(NLM_F_DUMP_INTR) != 0 { end = .interrupted }
        switch Int32(message.type) {
        case NLMSG_DONE, NLMSG_ERROR:
          let code = try bytes.int32(message.payload.lowerBound)
          return code < 0 ? .refused(-code) : .done
        default: take(bytes, message)
        }
      }
    } catch {
      return .unreadable("a dump that cannot be read")
    }
    return .more
  }
}
