import Foundation
import PathCore

@testable import PathKernel

/// Builds netlink messages byte by byte, and reads the ones recorded from a kernel.
struct Bytes {
  var array: [UInt8] = []

  init(_ array: [UInt8] = []) { self.array = array }

  mutating func put<Number: FixedWidthInteger>(_ value: Number) {
    Swift.withUnsafeBytes(of: value) { array.append(contentsOf: $0) }
  }

  mutating func attribute(_ type: Int, _ value: [UInt8]) {
    put(UInt16(4 + value.count))
    put(UInt16(type))
    array += value
    while array.count & 3 != 0 { array.append(0) }
  }

  mutating func attribute(_ type: Int, _ value: UInt32) {
    var bytes = Bytes()
    bytes.put(value)
    attribute(type, bytes.array)
  }

  mutating func attribute(_ type: Int, _ text: String) { attribute(type, Array(text.utf8) + [0]) }

  /// A message of the given type around a payload.
  static func message(_ type: Int, flags: UInt16 = 0, _ payload: [UInt8]) -> [UInt8] {
    var bytes = Bytes()
    bytes.put(UInt32(16 + payload.count))
    bytes.put(UInt16(type))
    bytes.put(flags)
    bytes.put(UInt32(1))
    bytes.put(UInt32(0))
    return bytes.array + payload
  }

  /// struct ifinfomsg and attributes.
  static func link(
    _ index: Int32, family: UInt8 = 0, hardware: UInt16 = 1, flags: UInt32 = 0x1_0043,
    _ fill: (inout Bytes) -> Void = { _ in }
  ) -> [UInt8] {
    var bytes = Bytes([family, 0])
    bytes.put(hardware)
    bytes.put(index)
    bytes.put(flags)
    bytes.put(UInt32(0))
    fill(&bytes)
    return bytes.array
  }

  /// struct ifaddrmsg and attributes.
  static func address(
    _ index: Int32, family: UInt8 = 2, prefix: UInt8 = 24, flags: UInt8 = 0,
    _ fill: (inout Bytes) -> Void
  ) -> [UInt8] {
    var bytes = Bytes([family, prefix, flags, 0])
    bytes.put(index)
    fill(&bytes)
    return bytes.array
  }

  /// struct rtmsg and attributes.
  static func route(
    family: UInt8 = 2, length: UInt8 = 0, type: UInt8 = 1, flags: UInt32 = 0,
    _ fill: (inout Bytes) -> Void = { _ in }
  ) -> [UInt8] {
    var bytes = Bytes([family, length, 0, 0, 254, 3, 0, type])
    bytes.put(flags)
    fill(&bytes)
    return bytes.array
  }

  static func network(_ address: IPAddress) -> [UInt8] {
    var bytes = Bytes()
    if address.family == .ipv4 {
      bytes.put(UInt32(address.low).bigEndian)
    } else {
      bytes.put(address.high.bigEndian)
      bytes.put(address.low.bigEndian)
    }
    return bytes.array
  }

  /// The datagrams of one recording.
  static func recorded(_ name: String) throws -> [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let text = try String(
      contentsOf: folder.appendingPathComponent("Fixtures/\(name).hex"), encoding: .utf8)
    return text.split(separator: "\n").map { line in
      let digits = Array(line.utf8)
      return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
      }
    }
  }

  static let recordings = ["links", "addresses", "routes", "answers", "nexthops", "neighbours"]
}

/// What a datagram comes to, whichever kind its messages are of.
enum Reading: Hashable {
  case link(LinkRecord)
  case deletedLink(Int32)
  case address(AddressRecord)
  case route(RouteRecord)
  case nexthop(NexthopRecord)
  case neighbour(NeighbourRecord)
  case skipped, refused

  static func all(_ datagram: [UInt8]) -> [Reading] {
    let bytes = datagram.span.bytes
    var cursor = MessageCursor()
    var readings: [Reading] = []
    do {
      while let message = try cursor.next(in: bytes) { readings.append(one(bytes, message)) }
    } catch {
      readings.append(.refused)
    }
    return readings
  }

  private static func one(_ bytes: RawSpan, _ message: Message) -> Reading {
    do {
      switch message.type {
      case 16, 17:
        let link = try LinkParser.parse(bytes, message.payload, isDelete: message.type == 17)
        switch link {
        case .known(let record): return .link(record)
        case .deleted(let index): return .deletedLink(index)
        case .otherFamily, .wirelessEvent: return .skipped
        }
      case 20, 21:
        return try AddressParser.parse(bytes, message.payload).map(Reading.address) ?? .skipped
      case 24, 25:
        return try RouteParser.parse(bytes, message.payload).map(Reading.route) ?? .skipped
      case 28, 29:
        return try NeighbourParser.parse(bytes, message.payload).map(Reading.neighbour) ?? .skipped
      case 104, 105: return .nexthop(try NexthopParser.parse(bytes, message.payload))
      default: return .skipped
      }
    } catch {
      return .refused
    }
  }
}

extension [UInt8] {
  /// Reads an array that is one message.
  var reading: Reading { Reading.all(self).first ?? .skipped }
}

/// The generator of random tests; a failure names its seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
