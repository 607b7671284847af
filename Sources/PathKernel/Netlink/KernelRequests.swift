internal import CLinux
internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// One question about the way to an address.
struct RouteQuery: Hashable {
  var destination: IPAddress
  var source: IPAddress?
  /// The interface a socket would be bound to; zero for none.
  var interface: Int32 = 0
  /// The route is wanted; otherwise the one hop that the kernel would take, which is a short
  /// answer to a route of hundreds.
  var wantsRoute = true
}

/// Why a request was not answered with what it asked for.
enum NoAnswer: Equatable {
  /// A negative answer, with the text the kernel added to it.
  case refused(Int32, String?)
  case failed(String)
}

/// Asks the kernel questions on a socket of its own and waits for the answers.
///
/// The kernel answers within the call that sends, so a batch costs one send and a receive.
/// Every wait has an end (SO_RCVTIMEO), every answer must carry our port and sequence number.
final class KernelRequests {
  static let batchLimit = 32
  private static let slot = 8 * 1024

  var socket: NetlinkSocket
  var outgoing = RequestBuffer()
  private let incoming = DatagramBuffer(slots: 16, slot: slot)
  private var sequence: UInt32 = 1
  private let userID: UInt32
  var counters = KernelCounters()
  /// Questions that were not answered at all, repeated or not: what they were about is not known.
  var unanswered: UInt64 = 0
  let fault: KernelFault?

  init(userID: UInt32, fault: KernelFault? = nil) throws(KernelError) {
    self.userID = userID
    self.fault = fault
    socket = try Self.open()
  }

  static func open() throws(KernelError) -> NetlinkSocket {
    let socket = try NetlinkSocket(nonBlocking: false)
    try socket.connectToKernel()
    socket.setReceiveBuffer(1 << 20)
    socket.setTimeout(seconds: 2)
    _ = socket.setNetlinkOption(NETLINK_EXT_ACK, 1)
    _ = socket.setNetlinkOption(NETLINK_CAP_ACK, 1)
    guard socket.setNetlinkOption(NETLINK_GET_STRICT_CHK, 1) else {
      throw KernelError("ask for strict checks (Linux 4.20 or later)")
    }
    return socket
  }

  /// Opens the socket anew: its answers, if any are still to come, are of no use, and a dump that
  /// is not read to its end blocks the next one.
  func renew() {
    if let fresh = try? Self.open() { socket = fresh }
  }

  /// Sends what was written. A socket that takes nothing is opened anew, for the next try.
  func send() throws(KernelError) {
    do throws(KernelError) {
      if let code = fault?(.send) { throw KernelError("ask the kernel", code: code) }
      try socket.send(outgoing)
    } catch {
      if !KernelError.isPassing(error.code) { renew() }
      throw error
    }
  }

  func nextSequence(_ count: Int) -> UInt32 {
    let first = sequence
    sequence &+= UInt32(count)
    return first
  }

  // MARK: Questions

  /// Looks routes up as an ordinary socket of this user would (RTM_GETROUTE, RTM_F_FIB_MATCH).
  func write(_ query: RouteQuery, _ sequence: UInt32, into buffer: inout RequestBuffer) -> Bool {
    guard
      buffer.begin(
        Int(RTM_GETROUTE), flags: 0, sequence: sequence, headerLength: MemoryLayout<rtmsg>.size)
    else { return false }
    let family = query.destination.family
    let bits = UInt8(truncatingIfNeeded: family.bitCount)
    buffer.set(byte: family.kernel, at: 0)
    buffer.set(byte: bits, at: 1)
    // The strict check of IPv6 refuses RTM_F_LOOKUP_TABLE; its answers name their table anyway.
    let table = family == .ipv4 ? UInt32(RTM_F_LOOKUP_TABLE) : 0
    buffer.set((query.wantsRoute ? UInt32(RTM_F_FIB_MATCH) : 0) | table, at: 8)
    buffer.put(Int(RTA_DST.rawValue), query.destination)
    if let source = query.source {
      buffer.set(byte: bits, at: 2)
      buffer.put(Int(RTA_SRC.rawValue), source)
    }
    if query.interface > 0 {
      buffer.put(Int(RTA_OIF.rawValue), UInt32(bitPattern: query.interface))
    }
    buffer.put(Int(RTA_UID.rawValue), userID)
    return true
  }

  /// RTM_GETNEIGH of one entry.
  func write(_ wanted: GatewayPlace, _ sequence: UInt32, into buffer: inout RequestBuffer) -> Bool {
    guard
      buffer.begin(
        Int(RTM_GETNEIGH), flags: 0, sequence: sequence, headerLength: MemoryLayout<ndmsg>.size)
    else { return false }
    buffer.set(byte: wanted.address.family.kernel, at: 0)
    buffer.set(UInt32(bitPattern: wanted.interface), at: 4)
    buffer.put(Int(NDA_DST), wanted.address)
    return true
  }

  /// The entries of RTM_GETNEIGH that there are.
  func neighbours(_ wanted: [GatewayPlace], _ take: (NeighbourRecord) -> Void) {
    ask(
      count: wanted.count,
      write: { number, buffer, sequence in write(wanted[number], sequence, into: &buffer) },
      take: { _, bytes, message throws(Malformed) in
        if let neighbour = try NeighbourParser.parse(bytes, message.payload) { take(neighbour) }
      },
      fail: { _, _ in })
  }

  /// RTM_GETNEXTHOP by id: those that there are.
  func nexthops(_ ids: [UInt32], _ take: (NexthopRecord) -> Void) {
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
      take: { _, bytes, message throws(Malformed) in
        take(try NexthopParser.parse(bytes, message.payload))
      },
      fail: { _, _ in })
  }

  // MARK: Answers

  typealias Write = (Int, inout RequestBuffer, UInt32) -> Bool
  typealias Take = (Int, RawSpan, Message) throws(Malformed) -> Void
  typealias Fail = (Int, NoAnswer) -> Void

  /// Asks in batches. Each number below `count` is written, then either taken or failed, once; an
  /// answer that `take` cannot read fails too. What the kernel could not answer just then is asked
  /// once more.
  ///
  /// One piece of code serves all kinds of questions: it runs when the processor's caches are cold,
  /// and a copy for each kind would be loaded anew.
  @inline(never)
  func ask(count: Int, write: Write, take: Take, fail: Fail) {
    var again: [Int] = []
    askOnce(count: count, write: write, take: take) { number, miss in
      if miss == .passing { again.append(number) } else { report(number, miss, fail) }
    }
    if again.isEmpty { return }
    askOnce(
      count: again.count,
      write: { number, buffer, sequence in write(again[number], &buffer, sequence) },
      take: { number, bytes, message throws(Malformed) in try take(again[number], bytes, message) },
      miss: { number, miss in report(again[number], miss, fail) })
  }

  private func report(_ number: Int, _ miss: Miss, _ fail: Fail) {
    switch miss {
    case .answer(let answer): return fail(number, answer)
    case .passing: fail(number, .failed("the kernel was out of memory"))
    case .broken(let reason): fail(number, .failed(reason))
    }
    unanswered += 1
  }

  private func askOnce(count: Int, write: Write, take: Take, miss: OnMiss) {
    var start = 0
    while start < count {
      var number = start
      outgoing.reset()
      let first = nextSequence(Self.batchLimit)
      let end = min(count, start + Self.batchLimit)
      while number < end, write(number, &outgoing, first &+ UInt32(number - start)) { number += 1 }
      guard number > start else {
        for number in start..<count { miss(number, .answer(.failed("no answer"))) }
        return
      }
      collect(Batch(first: first, numbers: start..<number), take, miss)
      start = number
    }
  }

  /// Why nothing was taken.
  private enum Miss: Equatable {
    /// There is no better answer, however often one asks.
    case answer(NoAnswer)
    /// The kernel could not just then.
    case passing
    /// There was no answer at all.
    case broken(String)
  }

  private typealias OnMiss = (Int, Miss) -> Void

  /// Requests that were sent together, and which of them still lack an answer.
  private struct Batch {
    let first: UInt32
    let start: Int
    private(set) var open: Int
    private var isOpen: UInt32

    init(first: UInt32, numbers: Range<Int>) {
      self.first = first
      start = numbers.lowerBound
      open = numbers.count
      isOpen = UInt32.max >> UInt32(KernelRequests.batchLimit - numbers.count)
    }

    /// The number of the request that an answer belongs to, unless it has one or is none of ours.
    mutating func close(_ sequence: UInt32) -> Int? {
      let offset = sequence &- first
      guard offset < UInt32(KernelRequests.batchLimit), isOpen & 1 << offset != 0 else {
        return nil
      }
      isOpen &= ~(1 << offset)
      open -= 1
      return start + Int(offset)
    }

    mutating func missAll(_ reason: Miss, _ miss: OnMiss) {
      for offset in 0..<UInt32(KernelRequests.batchLimit) {
        if let number = close(first &+ offset) { miss(number, reason) }
      }
    }
  }

  /// Sends the batch and waits until each of its requests is answered or the time is up.
  private func collect(_ batch: consuming Batch, _ take: Take, _ miss: OnMiss) {
    do throws(KernelError) {
      try send()
    } catch {
      return batch.missAll(.passing, miss)
    }
    while batch.open > 0 {
      let received =
        fault?(.receive).map { -Int($0) }
        ?? incoming.receive(
          socket.descriptor, slots: batch.open, flags: Int32(MSG_WAITFORONE))
      if received == -Int(EINTR) { continue }
      guard received > 0 else {
        // Later answers to this batch are told apart by their sequence numbers.
        if received == -Int(EAGAIN) {
          return batch.missAll(.broken("the kernel did not answer in time"), miss)
        }
        let code = Int32(clamping: -received)
        if KernelError.isPassing(code) { return batch.missAll(.passing, miss) }
        renew()
        return batch.missAll(.broken(KernelError.text(code)), miss)
      }
      for slot in 0..<received where incoming[slot].port == 0 {
        unsafe Self.read(incoming.bytes(slot), &batch, take, miss)
      }
    }
  }

  private static func read(
    _ datagram: UnsafeRawBufferPointer, _ batch: inout Batch, _ take: Take, _ miss: OnMiss
  ) {
    let bytes = unsafe datagram.bytes
    var cursor = MessageCursor()
    while true {
      let message: Message
      do throws(Malformed) {
        guard let next = try cursor.next(in: bytes) else { return }
        message = next
      } catch {
        // Cut off by the slot: its header still says whose answer it is.
        if let sequence = try? bytes.uint32(8), let number = batch.close(sequence) {
          miss(number, .answer(.failed("the answer is too long")))
        }
        return
      }
      guard let number = batch.close(message.sequence) else { continue }
      do throws(Malformed) {
        if message.type == UInt16(NLMSG_ERROR) {
          let code = -(try bytes.int32(message.payload.lowerBound))
          // EAGAIN is an answer: a throw route.
          if code != EAGAIN, KernelError.isPassing(code) {
            miss(number, .passing)
          } else {
            let words = explainsItself(code) ? nil : extendedText(bytes, message)
            miss(number, .answer(.refused(code, words)))
          }
        } else {
          try take(number, bytes, message)
        }
      } catch {
        miss(number, .answer(.failed("an answer that cannot be read")))
      }
    }
  }

  /// Codes that are answers; their words, if any, add nothing.
  private static func explainsItself(_ code: Int32) -> Bool {
    code == ENETUNREACH || code == EHOSTUNREACH || code == ENOENT
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
}
