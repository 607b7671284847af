import CLinux
internal import PathCore

/// Writes the classic BPF program that lets the kernel drop what cannot change a verdict: routes
/// that cover no lookup address, and neighbours that are no gateway (socket(7), SO_ATTACH_FILTER).
///
/// The filter sees datagrams, not messages, so one that holds several is always let through. A
/// doubt is always an accept: the reader looks again and finds nothing new.
struct SocketFilter {
  /// More gateways than this and all neighbours are dropped.
  static let gatewayLimit = 8

  private enum Label: Hashable {
    case accept, drop, route, routeIPv4, routeIPv6, neighbour, neighbourIPv6
    /// On the way to another label: a conditional jump reaches 255 instructions only.
    case hop(Int)
    case whole(Int), hit(Int), miss(Int), other(Int)
  }

  private struct Jump {
    var at: Int
    var whenTrue: Label?
    var whenFalse: Label?
  }

  private var code: [sock_filter] = []
  private var jumps: [Jump] = []
  private var places: [Label: Int] = [:]

  /// Addresses beyond these are left out; a verdict asks for two and three servers.
  static let addressLimit = 8

  /// The program for these gateways, and for the addresses the routes to which matter.
  static func program(routesTo addresses: [IPAddress], gateways: [IPAddress]) -> [sock_filter] {
    var filter = SocketFilter()
    filter.writeEntrance()
    filter.writeRoutes(Array(addresses.prefix(addressLimit)))
    filter.writeNeighbours(gateways.count > gatewayLimit ? [] : gateways)
    filter.writeExits()
    return filter.resolved()
  }

  // MARK: Parts of the program

  /// Several messages, or a type that is not filtered: accept.
  private mutating func writeEntrance() {
    loadHostWord(0)
    add(BPF_MISC | BPF_TAX, 0)
    add(BPF_LD | BPF_W | BPF_LEN, 0)
    add(BPF_ALU | BPF_SUB | BPF_X, 0)
    // More than padding follows the first message (or less than it says is there).
    jump(BPF_JGT, 3, true: .hop(0), false: nil)
    add(BPF_LD | BPF_H | BPF_ABS, 4)
    jump(BPF_JEQ, hostShort(RTM_NEWROUTE), true: .route, false: nil)
    jump(BPF_JEQ, hostShort(RTM_DELROUTE), true: .route, false: nil)
    jump(BPF_JEQ, hostShort(RTM_NEWNEIGH), true: .hop(1), false: nil)
    jump(BPF_JEQ, hostShort(RTM_DELNEIGH), true: .hop(1), false: .hop(0))
    place(.hop(0))
    jumpAlways(.accept)
    place(.hop(1))
    jumpAlways(.neighbour)
  }

  /// struct rtmsg at 16: family, dst_len; attributes from 28.
  private mutating func writeRoutes(_ addresses: [IPAddress]) {
    place(.route)
    add(BPF_LD | BPF_B | BPF_ABS, 17)
    jump(BPF_JEQ, 0, true: .hop(2), false: nil)
    add(BPF_ST, 0)  // M0: the prefix length
    findAttribute(from: 28, Int(RTA_DST.rawValue), none: .hop(2))  // M1: where the prefix is
    add(BPF_LD | BPF_B | BPF_ABS, 16)
    jump(BPF_JEQ, UInt32(AF_INET6), true: .hop(3), false: nil)
    jump(BPF_JEQ, UInt32(AF_INET), true: .routeIPv4, false: .hop(2))
    place(.hop(2))
    jumpAlways(.accept)
    place(.hop(3))
    jumpAlways(.routeIPv6)
    for family in AddressFamily.allCases {
      place(family == .ipv4 ? .routeIPv4 : .routeIPv6)
      for address in addresses where address.family == family { writePrefix(of: address) }
      jumpAlways(.drop)
    }
  }

  /// Accepts a prefix that covers the address, and goes on with what follows otherwise.
  private mutating func writePrefix(of address: IPAddress) {
    let tag = code.count
    let words =
      address.family == .ipv4
      ? [address.low] : [address.high >> 32, address.high, address.low >> 32, address.low]
    for (number, word) in words.enumerated() {
      writePrefixWord(
        number, UInt32(truncatingIfNeeded: word), last: number == words.count - 1,
        hit: .hit(tag), miss: .miss(tag))
    }
    place(.hit(tag))
    jumpAlways(.accept)
    place(.miss(tag))
  }

  /// Compares one word of the prefix: all of it, or as many bits as the length leaves.
  private mutating func writePrefixWord(
    _ number: Int, _ word: UInt32, last: Bool, hit: Label, miss: Label
  ) {
    // IPv4 and IPv6 both have a word 0: tell their labels apart by the place in the program.
    let tag = code.count
    let end = UInt32(32 * (number + 1))
    add(BPF_LD | BPF_MEM, 0)
    jump(BPF_JGE, end, true: .whole(tag), false: nil)
    add(BPF_LD | BPF_IMM, end)
    add(BPF_LDX | BPF_MEM, 0)
    add(BPF_ALU | BPF_SUB | BPF_X, 0)
    add(BPF_ST, 2)  // M2: bits of this word that do not count
    loadDifference(number, word)
    add(BPF_LDX | BPF_MEM, 2)
    add(BPF_ALU | BPF_RSH | BPF_X, 0)
    jump(BPF_JEQ, 0, true: hit, false: miss)
    place(.whole(tag))
    loadDifference(number, word)
    if last {
      jump(BPF_JEQ, 0, true: hit, false: miss)
      return
    }
    jump(BPF_JEQ, 0, true: nil, false: miss)
    // A prefix that ends with this word has matched.
    add(BPF_LD | BPF_MEM, 0)
    jump(BPF_JEQ, end, true: hit, false: nil)
  }

  private mutating func loadDifference(_ number: Int, _ word: UInt32) {
    add(BPF_LDX | BPF_MEM, 1)
    add(BPF_LD | BPF_W | BPF_IND, UInt32(4 + 4 * number))
    add(BPF_ALU | BPF_XOR | BPF_K, word)
  }

  /// struct ndmsg at 16: family; attributes from 28.
  private mutating func writeNeighbours(_ gateways: [IPAddress]) {
    place(.neighbour)
    if gateways.isEmpty {
      jumpAlways(.drop)
      return
    }
    findAttribute(from: 28, Int(NDA_DST))
    add(BPF_LD | BPF_B | BPF_ABS, 16)
    jump(BPF_JEQ, UInt32(AF_INET6), true: .neighbourIPv6, false: nil)
    jump(BPF_JEQ, UInt32(AF_INET), true: nil, false: .drop)
    add(BPF_LDX | BPF_MEM, 1)
    add(BPF_LD | BPF_W | BPF_IND, 4)
    for gateway in gateways where gateway.family == .ipv4 {
      jump(BPF_JEQ, UInt32(truncatingIfNeeded: gateway.low), true: .accept, false: nil)
    }
    jumpAlways(.drop)
    place(.neighbourIPv6)
    add(BPF_LDX | BPF_MEM, 1)
    for (number, gateway) in gateways.enumerated() where gateway.family == .ipv6 {
      let words = [gateway.high >> 32, gateway.high, gateway.low >> 32, gateway.low]
      for (position, word) in words.enumerated() {
        add(BPF_LD | BPF_W | BPF_IND, UInt32(4 + 4 * position))
        jump(
          BPF_JEQ, UInt32(truncatingIfNeeded: word), true: position == 3 ? .accept : nil,
          false: .other(number))
      }
      place(.other(number))
    }
    jumpAlways(.drop)
  }

  /// The checker of classic programs follows a return as if it fell through when it looks for
  /// reads of unwritten scratch memory, so the returns come last.
  private mutating func writeExits() {
    place(.accept)
    add(BPF_RET | BPF_K, .max)
    place(.drop)
    add(BPF_RET | BPF_K, 0)
  }

  // MARK: Assembling

  /// A host-order word, byte by byte: the plain load is defined as big-endian.
  private mutating func loadHostWord(_ offset: UInt32) {
    if 1.bigEndian == 1 {
      add(BPF_LD | BPF_W | BPF_ABS, offset)
      return
    }
    add(BPF_LD | BPF_B | BPF_ABS, offset + 3)
    for byte in [offset + 2, offset + 1, offset] {
      add(BPF_ALU | BPF_LSH | BPF_K, 8)
      add(BPF_MISC | BPF_TAX, 0)
      add(BPF_LD | BPF_B | BPF_ABS, byte)
      add(BPF_ALU | BPF_OR | BPF_X, 0)
    }
  }

  private func hostShort(_ value: Int) -> UInt32 { UInt32(UInt16(value).bigEndian) }

  /// SKF_AD_NLATTR: A becomes the attribute's offset, which goes to M1; none is a doubt.
  private mutating func findAttribute(
    from start: UInt32, _ type: Int, none: Label = .accept
  ) {
    add(BPF_LDX | BPF_IMM, UInt32(type))
    add(BPF_LD | BPF_IMM, start)
    add(BPF_LD | BPF_W | BPF_ABS, UInt32(bitPattern: SKF_AD_OFF + SKF_AD_NLATTR))
    jump(BPF_JEQ, 0, true: none, false: nil)
    add(BPF_ST, 1)
  }

  private mutating func add(_ operation: Int32, _ value: UInt32) {
    code.append(sock_filter(code: UInt16(operation), jt: 0, jf: 0, k: value))
  }

  private mutating func jump(
    _ test: Int32, _ value: UInt32, true whenTrue: Label?, false whenFalse: Label?
  ) {
    jumps.append(Jump(at: code.count, whenTrue: whenTrue, whenFalse: whenFalse))
    add(BPF_JMP | test | BPF_K, value)
  }

  private mutating func jumpAlways(_ label: Label) {
    jumps.append(Jump(at: code.count, whenTrue: label, whenFalse: nil))
    add(BPF_JMP | BPF_JA, 0)
  }

  private mutating func place(_ label: Label) { places[label] = code.count }

  private func resolved() -> [sock_filter] {
    var program = code
    for jump in jumps {
      let whenTrue = distance(jump.at, jump.whenTrue)
      if program[jump.at].code == UInt16(BPF_JMP | BPF_JA) {
        program[jump.at].k = UInt32(whenTrue)
      } else {
        // Each part is shorter than 255 instructions, and leads on by an unconditional jump.
        program[jump.at].jt = UInt8(whenTrue)
        program[jump.at].jf = UInt8(distance(jump.at, jump.whenFalse))
      }
    }
    return program
  }

  private func distance(_ from: Int, _ label: Label?) -> Int {
    guard let label else { return 0 }
    guard let place = places[label] else { preconditionFailure("no place for \(label)") }
    return place - from - 1
  }
}
