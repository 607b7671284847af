internal import CLinux
import Glibc
internal import PathCore

/// One question about the way to an address.
struct RouteQuery: Hashable {
  var destination: IPAddress
  var source: IPAddress?
  /// The interface a socket would be bound to; zero for none.
  var interface: Int32 = 0
}

/// What the kernel answered to one request.
enum Reply<Value> {
  case value(Value)
  /// A negative answer, with the text the kernel added to it.
  case refused(Int32, String?)
  case failed(String)
}

/// Asks the kernel questions on a socket of its own and waits for the answers.
///
/// The kernel answers within the call that sends, so a batch costs one send and a few receives.
/// Every wait has an end (SO_RCVTIMEO), every answer must carry our port and sequence number.
final class KernelRequests {
  static let batchLimit = 32
  private static let slot = 8 * 1024
  private static let dumpBufferLimit = 16 << 20

  private var socket: NetlinkSocket
  private var outgoing = RequestBuffer()
  private var incoming = [UInt8](repeating: 0, count: 16 * slot)
  private var datagrams = [clinux_datagram](repeating: clinux_datagram(), count: 16)
  private var sequence: UInt32 = 1
  private let userID: UInt32
  var counters = KernelCounters()

  init(userID: UInt32) throws(KernelError) {
    self.userID = userID
    socket = try Self.open()
  }

  private static func open() throws(KernelError) -> NetlinkSocket {
    let socket = try NetlinkSocket(nonBlocking: false)
    socket.setReceiveBuffer(1 << 20)
    socket.setTimeout(seconds: 2)
    _ = socket.setNetlinkOption(NETLINK_EXT_ACK, 1)
    _ = socket.setNetlinkOption(NETLINK_CAP_ACK, 1)
    guard socket.setNetlinkOption(NETLINK_GET_STRICT_CHK, 1) else {
      throw KernelError("ask for strict checks (Linux 4.20 or later)")
    }
    return socket
  }

  // MARK: Single answers

  /// Looks routes up as an ordinary socket of this user would (RTM_GETROUTE, RTM_F_FIB_MATCH).
  func routes(_ queries: [RouteQuery]) -> [Reply<RouteRecord>] {
    counters.lookups += UInt64(queries.count)
    return ask(
      count: queries.count,
      write: { number, buffer, sequence in
        self.write(queries[number], into: &buffer, sequence)
      },
      read: { bytes, message throws(Malformed) in
        try RouteParser.parse(bytes, message.payload)
      })
  }

  /// RTM_GETNEXTHOP by id.
  func nexthops(_ ids: [UInt32]) -> [Reply<NexthopRecord>] {
    ask(
      count: ids.count,
      write: { number, buffer, sequence in
        guard
          buffer.begin(
            Int(RTM_GETNEXTHOP), flags: 0, sequence: sequence,
            headerLength: MemoryLayout<nhmsg>.size)
        else { return false }
        buffer.put(Int(NHA_ID), ids[number])
        return true
      },
      read: { bytes, message throws(Malformed) in
        try NexthopParser.parse(bytes, message.payload)
      })
  }

  /// RTM_GETNEIGH of one entry each.
  func neighbours(_ wanted: [(interface: Int32, address: IPAddress)]) -> [Reply<NeighbourRecord>] {
    ask(
      count: wanted.count,
      write: { number, buffer, sequence in
        guard
          buffer.begin(
            Int(RTM_GETNEIGH), flags: 0, sequence: sequence,
            headerLength: MemoryLayout<ndmsg>.size)
        else { return false }
        buffer.set(wanted[number].address.family.kernel, at: 0)
        buffer.set(wanted[number].interface, at: 4)
        buffer.put(Int(NDA_DST), wanted[number].address)
        return true
      },
      read: { bytes, message throws(Malformed) in
        try NeighbourParser.parse(bytes, message.payload)
      })
  }

  private func write(
    _ query: RouteQuery, into buffer: inout RequestBuffer, _ sequence: UInt32
  ) -> Bool {
    guard
      buffer.begin(
        Int(RTM_GETROUTE), flags: 0, sequence: sequence, headerLength: MemoryLayout<rtmsg>.size)
    else { return false }
    let family = query.destination.family
    let bits = UInt8(family.bitCount)
    buffer.set(family.kernel, at: 0)
    buffer.set(bits, at: 1)
    // The strict check of IPv6 refuses RTM_F_LOOKUP_TABLE; its answers name their table anyway.
    let table = family == .ipv4 ? UInt32(RTM_F_LOOKUP_TABLE) : 0
    buffer.set(UInt32(RTM_F_FIB_MATCH) | table, at: 8)
    buffer.put(Int(RTA_DST.rawValue), query.destination)
    if let source = query.source {
      buffer.set(bits, at: 2)
      buffer.put(Int(RTA_SRC.rawValue), source)
    }
    if query.interface > 0 {
      buffer.put(Int(RTA_OIF.rawValue), UInt32(bitPattern: query.interface))
    }
    buffer.put(Int(RTA_UID.rawValue), userID)
    return true
  }

  private func ask<Value>(
    count: Int, write: (Int, inout RequestBuffer, UInt32) -> Bool,
    read: (RawSpan, Message) throws(Malformed) -> Value?
  ) -> [Reply<Value>] {
    var replies = [Reply<Value>](repeating: .failed("no answer"), count: count)
    var start = 0
    while start < count {
      var number = start
      outgoing.reset()
      let first = nextSequence(Self.batchLimit)
      while number < min(count, start + Self.batchLimit),
        write(number, &outgoing, first &+ UInt32(number - start))
      {
        number += 1
      }
      guard number > start else { break }
      collect(first, start..<number, &replies, read)
      start = number
    }
    return replies
  }

  /// Sends the batch and waits until each of its requests is answered or the time is up.
  private func collect<Value>(
    _ first: UInt32, _ numbers: Range<Int>, _ replies: inout [Reply<Value>],
    _ read: (RawSpan, Message) throws(Malformed) -> Value?
  ) {
    do throws(KernelError) {
      try socket.send(outgoing)
    } catch {
      for number in numbers { replies[number] = .failed(error.description) }
      return
    }
    var open = numbers.count
    while open > 0 {
      let received = socket.receive(
        into: &incoming, slot: Self.slot, &datagrams, flags: Int32(MSG_WAITFORONE))
      if received == -EINTR { continue }
      guard received > 0 else {
        let reason =
          received == -EAGAIN ? "the kernel did not answer in time" : KernelError.text(-received)
        // Later answers to this batch are told apart by their sequence numbers.
        for number in numbers {
          if case .failed = replies[number] { replies[number] = .failed(reason) }
        }
        return
      }
      for slot in 0..<Int(received) where datagrams[slot].port == 0 {
        let start = slot * Self.slot
        let length = min(Int(datagrams[slot].length), Self.slot)
        let bytes = unsafe incoming.span.bytes.extracting(start..<start + length)
        open -= Self.take(bytes, first, numbers, &replies, read)
      }
    }
  }

  private static func take<Value>(
    _ bytes: RawSpan, _ first: UInt32, _ numbers: Range<Int>, _ replies: inout [Reply<Value>],
    _ read: (RawSpan, Message) throws(Malformed) -> Value?
  ) -> Int {
    var taken = 0
    var cursor = MessageCursor()
    while true {
      let message: Message
      do throws(Malformed) {
        guard let next = try cursor.next(in: bytes) else { return taken }
        message = next
      } catch {
        // Cut off by the slot: its header still says whose answer it is.
        guard let sequence = try? bytes.uint32(8),
          sequence &- first < UInt32(numbers.count)
        else { return taken }
        replies[numbers.lowerBound + Int(sequence &- first)] = .failed("the answer is too long")
        return taken + 1
      }
      let offset = message.sequence &- first
      guard offset < UInt32(numbers.count) else { continue }
      taken += 1
      replies[numbers.lowerBound + Int(offset)] = reply(bytes, message, read)
    }
  }

  private static func reply<Value>(
    _ bytes: RawSpan, _ message: Message,
    _ read: (RawSpan, Message) throws(Malformed) -> Value?
  ) -> Reply<Value> {
    do throws(Malformed) {
      if message.type == UInt16(NLMSG_ERROR) {
        let code = -(try bytes.int32(message.payload.lowerBound))
        return .refused(code, extendedText(bytes, message))
      }
      guard let value = try read(bytes, message) else {
        return .failed("an answer of another kind")
      }
      return .value(value)
    } catch {
      return .failed("an answer that cannot be read")
    }
  }

  /// NLMSGERR_ATTR_MSG: the kernel's own words about what was wrong with the request.
  private static func extendedText(_ bytes: RawSpan, _ message: Message) -> String? {
    guard message.flags & 0x200 != 0 else { return nil }  // NLM_F_ACK_TLVS
    // With NETLINK_CAP_ACK only the header of our request is repeated.
    let start = message.payload.lowerBound + 4 + Message.headerLength
    guard start <= message.payload.upperBound else { return nil }
    var cursor = AttributeCursor(start..<message.payload.upperBound)
    while let attribute = try? cursor.next(in: bytes) {
      if attribute.type == 1 { return try? bytes.text(attribute) }
    }
    return nil
  }

  private func nextSequence(_ count: Int) -> UInt32 {
    let first = sequence
    sequence &+= UInt32(count)
    return first
  }

  // MARK: Dumps

  /// How a dump ended.
  enum DumpEnd: Hashable {
    case complete
    /// NLM_F_DUMP_INTR: the tables changed meanwhile and entries may be missing.
    case interrupted
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
      buffer.set(family.kernel, at: 0)
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
      try socket.send(outgoing)
    } catch {
      return .failed(error.description)
    }
    var end = DumpEnd.complete
    var count = 0
    while true {
      let part = receivePart(sequence, &end) { bytes, message in
        count += 1
        if count <= limit { take(bytes, message) }
      }
      switch part {
      case .more where count <= limit: continue
      case .more:
        abandon()
        return end
      case .done:
        if end == .interrupted { counters.interruptedDumps += 1 }
        return end
      case .broken(let reason):
        abandon()
        return .failed(reason)
      }
    }
  }

  private enum Part {
    case more, done
    case broken(String)
  }

  /// A dump that is not read to its end blocks the next one on its socket.
  private func abandon() {
    if let fresh = try? Self.open() { socket = fresh }
  }

  /// Reads one datagram of a dump, first making room for the whole of it.
  private func receivePart(
    _ sequence: UInt32, _ end: inout DumpEnd, _ take: (RawSpan, Message) -> Void
  ) -> Part {
    let length = socket.peekLength()
    if length == -Int(EINTR) { return .more }
    if length < 0 {
      return .broken(
        length == -Int(EAGAIN)
          ? "the kernel did not answer in time" : KernelError.text(Int32(-length)))
    }
    guard length <= Self.dumpBufferLimit else { return .broken("a datagram of \(length) bytes") }
    if length > incoming.count {
      incoming.append(contentsOf: repeatElement(0, count: length - incoming.count))
    }
    var single = [clinux_datagram()]
    let received = socket.receive(into: &incoming, slot: incoming.count, &single, flags: 0)
    if received == -EINTR { return .more }
    guard received == 1 else { return .broken(KernelError.text(-received)) }
    guard single[0].port == 0 else { return .more }
    let buffer = incoming
    let bytes = unsafe buffer.span.bytes.extracting(0..<Int(single[0].length))
    return Self.readPart(bytes, sequence, &end, take)
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
          return code < 0 ? .broken(KernelError.text(-code)) : .done
        default: take(bytes, message)
        }
      }
    } catch {
      return .broken("a dump that cannot be read")
    }
    return .more
  }
}
