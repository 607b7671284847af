import CLinux
import PathCore
import Testing

@testable import PathKernel

/// Runs a classic BPF program as the kernel does, with its checks.
struct FilterMachine {
  let program: [sock_filter]

  /// The kernel's checker: jumps stay inside, scratch memory is written before it is read, and the
  /// last instruction returns.
  func check() -> Bool {
    var valid = [UInt16](repeating: .max, count: program.count + 1)
    var known: UInt16 = 0
    for (number, step) in program.enumerated() {
      known &= valid[number]
      switch Int32(step.code) {
      case BPF_ST: known |= 1 << UInt16(step.k)
      case BPF_LD | BPF_MEM, BPF_LDX | BPF_MEM:
        if known & (1 << UInt16(step.k)) == 0 { return false }
      case BPF_JMP | BPF_JA:
        let target = number + 1 + Int(step.k)
        guard target < program.count else { return false }
        valid[target] &= known
        known = .max
      case let code where code & 7 == BPF_JMP:
        for distance in [step.jt, step.jf] {
          let target = number + 1 + Int(distance)
          guard target < program.count else { return false }
          valid[target] &= known
        }
        known = .max
      default: break
      }
    }
    return Int32(program.last!.code) & 7 == BPF_RET
  }

  func accepts(_ datagram: [UInt8]) -> Bool {
    var a: UInt32 = 0
    var x: UInt32 = 0
    var memory = [UInt32](repeating: 0, count: 16)
    var position = 0
    func load(_ offset: Int, _ size: Int) -> UInt32? {
      guard offset >= 0, offset + size <= datagram.count else { return nil }
      return datagram[offset..<offset + size].reduce(0) { $0 << 8 | UInt32($1) }
    }
    while position < program.count {
      let step = program[position]
      position += 1
      switch Int32(step.code) {
      case BPF_LD | BPF_W | BPF_ABS where step.k == UInt32(bitPattern: SKF_AD_OFF + SKF_AD_NLATTR):
        a = attribute(datagram, from: Int(a), type: Int(x))
      case BPF_LD | BPF_W | BPF_ABS, BPF_LD | BPF_H | BPF_ABS, BPF_LD | BPF_B | BPF_ABS:
        let size = Int32(step.code) & 0x18 == BPF_W ? 4 : Int32(step.code) & 0x18 == BPF_H ? 2 : 1
        guard let value = load(Int(step.k), size) else { return false }
        a = value
      case BPF_LD | BPF_W | BPF_IND:
        guard let value = load(Int(x &+ step.k), 4) else { return false }
        a = value
      case BPF_LD | BPF_W | BPF_LEN: a = UInt32(datagram.count)
      case BPF_LD | BPF_IMM: a = step.k
      case BPF_LDX | BPF_IMM: x = step.k
      case BPF_LD | BPF_MEM: a = memory[Int(step.k)]
      case BPF_LDX | BPF_MEM: x = memory[Int(step.k)]
      case BPF_ST: memory[Int(step.k)] = a
      case BPF_MISC | BPF_TAX: x = a
      case BPF_ALU | BPF_ADD | BPF_K: a &+= step.k
      case BPF_ALU | BPF_SUB | BPF_X: a &-= x
      case BPF_ALU | BPF_XOR | BPF_K: a ^= step.k
      case BPF_ALU | BPF_OR | BPF_X: a |= x
      case BPF_ALU | BPF_LSH | BPF_K: a <<= step.k
      case BPF_ALU | BPF_RSH | BPF_X: a = a &>> x
      case BPF_JMP | BPF_JA: position += Int(step.k)
      case BPF_JMP | BPF_JEQ | BPF_K: position += Int(a == step.k ? step.jt : step.jf)
      case BPF_JMP | BPF_JGT | BPF_K: position += Int(a > step.k ? step.jt : step.jf)
      case BPF_JMP | BPF_JGE | BPF_K: position += Int(a >= step.k ? step.jt : step.jf)
      case BPF_RET | BPF_K: return step.k != 0
      default: fatalError("an instruction the machine does not know: \(step.code)")
      }
    }
    fatalError("ran off the end")
  }

  /// nla_find() as SKF_AD_NLATTR calls it.
  private func attribute(_ datagram: [UInt8], from start: Int, type: Int) -> UInt32 {
    var offset = start
    while offset + 4 <= datagram.count {
      let length = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      guard length >= 4, length <= datagram.count - offset else { return 0 }
      if (Int(datagram[offset + 2]) | Int(datagram[offset + 3]) << 8) & 0x3FFF == type {
        return UInt32(offset)
      }
      offset += (length + 3) & ~3
    }
    return 0
  }
}

@Suite struct SocketFilterTests {
  private let ipv4 = KernelSettings().ipv4LookupAddress
  private let ipv6 = KernelSettings().ipv6LookupAddress

  private func machine(
    _ gateways: [IPAddress] = [], servers: [IPAddress] = []
  ) -> FilterMachine {
    FilterMachine(
      program: SocketFilter.program(routesTo: [ipv4, ipv6] + servers, gateways: gateways))
  }

  private func route(_ prefix: IPAddress, _ length: Int, type: Int = 24) -> [UInt8] {
    Bytes.message(
      type,
      Bytes.route(family: prefix.family.kernel, length: UInt8(length)) {
        $0.attribute(Int(RTA_TABLE.rawValue), 254)
        $0.attribute(Int(RTA_DST.rawValue), Bytes.network(prefix))
        $0.attribute(Int(RTA_OIF.rawValue), 2)
      })
  }

  private func neighbour(_ address: IPAddress) -> [UInt8] {
    var header = Bytes([address.family.kernel, 0, 0, 0])
    header.put(Int32(2))
    header.put(UInt32(0))
    header.attribute(Int(NDA_DST), Bytes.network(address))
    return Bytes.message(28, header.array)
  }

  private func masked(_ address: IPAddress, _ length: Int) -> IPAddress {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
    return address.family == .ipv4
      ? IPAddress(ipv4: UInt32(address.low) & UInt32(truncatingIfNeeded: mask(length) >> 32))
      : IPAddress(ipv6High: address.high & mask(length), low: address.low & mask(length - 64))
  }

  private func flipped(_ address: IPAddress, bit: Int) -> IPAddress {
    address.family == .ipv4
      ? IPAddress(ipv4: UInt32(address.low) ^ 1 << UInt32(31 - bit))
      : IPAddress(
        ipv6High: address.high ^ (bit < 64 ? 1 << UInt64(63 - bit) : 0),
        low: address.low ^ (bit >= 64 ? 1 << UInt64(127 - bit) : 0))
  }

  @Test("The kernel's checker would take the program, with none and with eight gateways")
  func checked() {
    let many = (1...8).map { IPAddress(ipv6High: 0xFE80_0000_0000_0000, low: $0) }
    #expect(machine().check())
    #expect(machine(many).check())
    #expect(machine(many).program.count < 255)
    #expect(machine(many + many).program.count == machine().program.count)
  }

  @Test("Of the routes, exactly those that cover a lookup address come through")
  func everyLength() {
    let machine = machine()
    for address in [ipv4, ipv6] {
      for length in 0...address.family.bitCount {
        #expect(machine.accepts(route(masked(address, length), length)), "/\(length)")
        #expect(machine.accepts(route(masked(address, length), length, type: 25)), "/\(length)")
        for bit in 0..<length {
          let other = flipped(masked(address, length), bit: bit)
          #expect(!machine.accepts(route(other, length)), "/\(length), bit \(bit)")
        }
      }
    }
  }

  @Test("Random prefixes are judged like IPAddress.isWithin")
  func randomPrefixes() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(state: seed)
    let machine = machine()
    for _ in 0..<5000 {
      let family: AddressFamily = Bool.random(using: &random) ? .ipv4 : .ipv6
      let length = Int.random(in: 0...family.bitCount, using: &random)
      let base = family == .ipv4 ? ipv4 : ipv6
      var prefix = masked(base, length)
      if length > 0, Bool.random(using: &random) {
        prefix = flipped(prefix, bit: Int.random(in: 0..<length, using: &random))
      }
      #expect(
        machine.accepts(route(prefix, length)) == base.isWithin(prefix, length: length),
        "seed \(seed): \(prefix)/\(length)")
    }
  }

  @Test("Several messages in one datagram, other types and routes in doubt come through")
  func doubts() {
    let machine = machine()
    let foreign = route(IPAddress("203.0.113.0")!, 24)
    #expect(!machine.accepts(foreign))
    #expect(machine.accepts(foreign + foreign))
    #expect(machine.accepts(Bytes.message(16, Bytes.link(1))))
    #expect(machine.accepts(Bytes.message(32, [UInt8](repeating: 0, count: 12))))
    #expect(machine.accepts(Bytes.message(24, Bytes.route(length: 24))))
    #expect(
      machine.accepts(
        Bytes.message(
          24,
          Bytes.route(family: 28, length: 20) {
            $0.attribute(Int(RTA_DST.rawValue), [0, 0, 0, 0])
          })))
  }

  @Test("Routes that cover a name server come through, and the longest program passes the checker")
  func servers() {
    let servers = ["203.0.113.53", "2001:db8:53::1", "2001:db8:53::2"].map { IPAddress($0)! }
    let gateways = (1...8).map { IPAddress("2001:db8::\($0)")! }
    let machine = machine(gateways, servers: servers)
    #expect(machine.check())
    for server in servers {
      for length in [24, server.family.bitCount] {
        let covering = route(masked(server, length), length)
        #expect(machine.accepts(covering), "\(server)/\(length)")
        #expect(!self.machine(gateways).accepts(covering))
      }
    }
    #expect(machine.accepts(route(masked(ipv6, 48), 48)))
    #expect(!machine.accepts(route(IPAddress("203.0.113.54")!, 32)))
    #expect(!machine.accepts(route(IPAddress("2001:db8:53::3")!, 128)))
    for gateway in gateways { #expect(machine.accepts(neighbour(gateway))) }
    #expect(!machine.accepts(neighbour(IPAddress("2001:db8::9")!)))
  }

  @Test("Neighbours come through only when they are a gateway")
  func neighbours() {
    let gateways = ["192.0.2.1", "192.0.2.2", "fe80::1", "2001:db8::1"].map { IPAddress($0)! }
    for gateway in gateways {
      #expect(machine(gateways).accepts(neighbour(gateway)), "\(gateway)")
      #expect(!machine().accepts(neighbour(gateway)))
    }
    for other in ["192.0.2.3", "fe80::2", "2001:db8::2", "2001:db9::1", "::1"] {
      #expect(!machine(gateways).accepts(neighbour(IPAddress(other)!)), "\(other)")
    }
  }
}
