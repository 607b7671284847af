/// Takes out of a trace what tells where it was recorded: names of wireless networks, hardware
/// addresses and global addresses, each replaced by a stand-in.
///
/// Within one trace the same input has the same stand-in and different inputs have different ones,
/// so a verdict about the redacted snapshots is the verdict about the true ones, with other names
/// in it.
/// - Global IPv4: each /24 becomes the next of 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24 and
///   those of 198.18.0.0/15; the last byte stays. Global IPv6: each /64 becomes one of
///   2001:db8::/32, a unique local one one of fd00::/32; interface identifiers are counted.
/// - Private, shared, link-local, loopback and multicast addresses stay, but a hardware address in
///   the identifier (EUI-64) is replaced there too.
/// - Free text loses the addresses and wireless names in it.
package struct Redactor: Sendable {
  private var ssids: [String: Int] = [:]
  private var hardware: [String: Int] = [:]
  private var nets: [IPAddress: Int] = [:]
  private var hosts: [IPAddress: Int] = [:]
  private var netCounts: [NetKind: Int] = [:]
  private var hostCounts: [IPAddress: Int] = [:]

  private enum NetKind { case ipv4, ipv6, uniqueLocal }

  /// Entries of each table. Beyond it stand-ins are shared: a trace that long is still no leak.
  package static let entriesMax = 65_536
  private static let ipv4NetsMax = 3 + 512

  package init() {}

  /// A fact as it may be shown to anybody.
  package mutating func redact(_ fact: Fact) -> Fact {
    switch fact {
    case .snapshot(let snapshot): .snapshot(redact(snapshot))
    case .gap(let detail): .gap(detail: text(detail))
    case .policies(let set): .policies(redact(set))
    case .result(let id, let result): .result(id, redact(result))
    case .killed(let call, var fault):
      {
        fault.message = text(fault.message)
        return .killed(call: call, fault)
      }()
    case .timer, .button, .dismissed, .asleep, .resumed, .stop: fact
    }
  }

  /// What a command or a server said may hold anything. Bytes that are no text are left out.
  private mutating func redact(_ result: ActionResult) -> ActionResult {
    var redacted = result
    redacted.error = text(result.error)
    let output = String(validating: result.output, as: UTF8.self) ?? ""
    redacted.output = Array(text(output).utf8)
    return redacted
  }

  package mutating func redact(_ snapshot: Snapshot) -> Snapshot {
    var redacted = snapshot
    // Every name must be known before free text is searched for it.
    for interface in snapshot.interfaces {
      if let ssid = interface.ssid { _ = standIn(ssid: ssid) }
    }
    for index in redacted.interfaces.indices { redact(&redacted.interfaces[index]) }
    redacted.ipv4 = redact(snapshot.ipv4)
    redacted.ipv6 = redact(snapshot.ipv6)
    for index in redacted.nameServers.indices {
      redacted.nameServers[index].address = address(snapshot.nameServers[index].address)
      redacted.nameServers[index].zone = name(snapshot.nameServers[index].zone)
      redacted.nameServers[index].lookup = snapshot.nameServers[index].lookup.map { redact($0) }
    }
    for index in redacted.gatewayHardware.indices {
      let entry = snapshot.gatewayHardware[index]
      redacted.gatewayHardware[index].gateway = address(entry.gateway)
      redacted.gatewayHardware[index].address = standIn(hardware: entry.address)
    }
    redacted.unavailable = snapshot.unavailable.map { text($0) }
    return redacted
  }

  private mutating func redact(_ interface: inout Interface) {
    interface.name = name(interface.name)
    for index in interface.alternativeNames.indices {
      interface.alternativeNames[index] = name(interface.alternativeNames[index])
    }
    for index in interface.addresses.indices {
      interface.addresses[index].address = address(interface.addresses[index].address)
    }
    interface.addresses.sort {
      ($0.address, $0.prefixLength) < ($1.address, $1.prefixLength)
    }
    if let ssid = interface.ssid { interface.ssid = standIn(ssid: ssid) }
    interface.ipv4 = interface.ipv4.map { redact($0) }
    interface.ipv6 = interface.ipv6.map { redact($0) }
  }

  private mutating func redact(_ lookup: Lookup) -> Lookup {
    switch lookup {
    case .route(var answer):
      for index in answer.hops.indices {
        if let gateway = answer.hops[index].gateway {
          answer.hops[index].gateway = address(gateway)
        }
      }
      answer.source = answer.source.map { address($0) }
      return .route(answer)
    case .failed(let why): return .failed(text(why))
    case .refused, .noRoute: return lookup
    }
  }

  /// Policies name interfaces; what else they hold is their authors' text, and their faults'. What
  /// they were left by earlier runs may hold anything that they were told then.
  private mutating func redact(_ set: PolicySet) -> PolicySet {
    var redacted = set
    for index in redacted.rejected.indices {
      redacted.rejected[index].message = text(set.rejected[index].message)
    }
    for (name, memory) in set.memories.sorted(by: { $0.key < $1.key }) {
      redacted.memories[name] = redact(memory)
    }
    for (name, state) in set.migrated.sorted(by: { $0.key < $1.key }) {
      redacted.migrated[name] = data(state)
    }
    return redacted
  }

  // MARK: Stand-ins

  private mutating func standIn(ssid: String) -> String {
    if ssid.isEmpty { return ssid }
    return "network-\(Self.number(of: ssid, in: &ssids))"
  }

  /// The documentation range of RFC 7042, then locally administered addresses.
  private mutating func standIn(hardware text: String) -> String {
    if text.isEmpty || text.utf8.allSatisfy({ $0 == 48 || $0 == 58 }) { return text }
    let number = Self.number(of: text.lowercased(), in: &hardware) - 1
    let low = Self.hex(number & 255)
    if number < 256 { return "00:00:5e:00:53:\(low)" }
    return "02:00:5e:\(Self.hex(number >> 16 & 255)):\(Self.hex(number >> 8 & 255)):\(low)"
  }

  private static func hex(_ value: Int) -> String {
    value < 16 ? "0" + String(value, radix: 16) : String(value, radix: 16)
  }

  /// Counted from one, in the order of first sight.
  private static func number<Key>(of key: Key, in table: inout [Key: Int]) -> Int {
    if let number = table[key] { return number }
    guard table.count < entriesMax else { return entriesMax }
    table[key] = table.count + 1
    return table.count
  }

  // MARK: Addresses

  package mutating func address(_ address: IPAddress) -> IPAddress {
    switch address.family {
    case .ipv4:
      if address.isTranslator || Self.staysIPv4(UInt32(truncatingIfNeeded: address.low)) {
        return address
      }
      let net = netNumber(IPAddress(ipv4: UInt32(truncatingIfNeeded: address.low) & ~255), .ipv4)
      return IPAddress(ipv4: Self.documentationNet(net) | UInt32(address.low & 255))
    case .ipv6:
      if address.isUnspecified || address.isLoopback || address.high >> 56 == 0xFF {
        return address
      }
      if address.isLinkLocal {
        let low = identifier(address.low)
        return IPAddress(ipv6High: address.high, low: low, scope: address.scope)
      }
      let net = IPAddress(ipv6High: address.high, low: 0)
      let kind: NetKind = address.isLocalIPv6 ? .uniqueLocal : .ipv6
      let number = UInt64(netNumber(net, kind))
      let high: UInt64 = (kind == .ipv6 ? 0x2001_0DB8 : 0xFD00_0000) << 32 | number
      return IPAddress(ipv6High: high, low: hostNumber(address, in: net), scope: address.scope)
    }
  }

  /// Neither private nor shared nor any other range that says nothing of its user.
  private static func staysIPv4(_ value: UInt32) -> Bool {
    switch value >> 24 {
    case 0, 10, 127, 224...255: true
    case 100: value >> 22 == 0x191
    case 169: value >> 16 == 0xA9FE
    case 172: value >> 20 == 0xAC1
    case 192: value >> 16 == 0xC0A8
    default: false
    }
  }

  private static func documentationNet(_ number: Int) -> UInt32 {
    switch number {
    case 1: 0xC000_0200
    case 2: 0xC633_6400
    case 3: 0xCB00_7100
    default: 0xC612_0000 + UInt32(min(number, ipv4NetsMax) - 4) * 256
    }
  }

  /// Counted from one within its kind.
  private mutating func netNumber(_ net: IPAddress, _ kind: NetKind) -> Int {
    if let number = nets[net] { return number }
    let count = netCounts[kind, default: 0] + 1
    guard count <= (kind == .ipv4 ? Self.ipv4NetsMax : Self.entriesMax) else { return count - 1 }
    nets[net] = count
    netCounts[kind] = count
    return count
  }

  /// Counted from one within its /64.
  private mutating func hostNumber(_ address: IPAddress, in net: IPAddress) -> UInt64 {
    if address.low == 0 { return 0 }
    var key = address
    key.scope = 0
    if let number = hosts[key] { return UInt64(number) }
    guard hosts.count < Self.entriesMax else { return UInt64(Self.entriesMax) }
    let count = hostCounts[net, default: 0] + 1
    hosts[key] = count
    hostCounts[net] = count
    return UInt64(count)
  }

  /// An interface identifier without the hardware address it may be made of (RFC 4291, appendix A).
  private mutating func identifier(_ low: UInt64) -> UInt64 {
    guard low >> 24 & 0xFFFF == 0xFFFE else { return low }
    let flipped = low ^ 0x0200_0000_0000_0000
    let bytes = [56, 48, 40, 16, 8, 0].map { Int(flipped >> UInt64($0) & 255) }
    let text = standIn(hardware: bytes.map(Self.hex).joined(separator: ":"))
    var mac: UInt64 = 0
    for part in text.split(separator: ":") { mac = mac << 8 | (UInt64(part, radix: 16) ?? 0) }
    let identifier = (mac >> 24) << 40 | 0xFFFE << 24 | mac & 0xFF_FFFF
    return identifier ^ 0x0200_0000_0000_0000
  }

  // MARK: Text

  /// An interface's name; those made of a hardware address (`enx…`, `wlx…`) get another one.
  private mutating func name(_ name: String) -> String {
    let digits = name.utf8.suffix(12)
    guard digits.count == 12, digits.allSatisfy(Self.isHexDigit) else { return name }
    let text = String(decoding: digits, as: UTF8.self)
    var parts: [Substring] = []
    for start in stride(from: 0, to: 12, by: 2) {
      parts.append(text.dropFirst(start).prefix(2))
    }
    let standIn = standIn(hardware: parts.joined(separator: ":"))
    return name.dropLast(12) + standIn.filter { $0 != ":" }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...70, 97...102: true
    default: false
    }
  }

  /// Free text: words that are addresses, and wireless names seen before, are replaced.
  package mutating func text(_ text: String) -> String {
    var result = ""
    var word = ""
    for character in text.unicodeScalars {
      if character.isASCII,
        Self.isHexDigit(UInt8(character.value)) || ".:".contains(Character(character))
      {
        word.unicodeScalars.append(character)
      } else {
        result += self.word(word)
        word = ""
        result.unicodeScalars.append(character)
      }
    }
    result += self.word(word)
    // Shorter names say nothing by themselves, and would be found in any word.
    for ssid in ssids.keys.filter({ $0.utf8.count > 2 }).sorted(by: {
      ($1.utf8.count, $1) < ($0.utf8.count, $0)
    }) {
      result = Self.replacing(ssid, in: result, by: standIn(ssid: ssid))
    }
    return result
  }

  /// A run of hexadecimal digits, dots and colons, perhaps with a sentence's marks behind it.
  private mutating func word(_ word: String) -> String {
    guard word.utf8.count > 2 else { return word }
    let body = Substring(word.reversed().drop { $0 == "." || $0 == ":" }.reversed())
    let tail = word.dropFirst(body.count)
    for (core, rest) in [(Substring(word), Substring()), (body, tail)] {
      if let address = IPAddress(core) { return self.address(address).description + rest }
    }
    let parts = body.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count >= 6, parts.allSatisfy({ $0.utf8.count == 2 }) {
      return standIn(hardware: String(body)) + tail
    }
    return word
  }

  private static func replacing(_ old: String, in text: String, by new: String) -> String {
    let bytes = Array(text.utf8)
    let wanted = Array(old.utf8)
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: wanted) {
        result += Array(new.utf8)
        place += wanted.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
