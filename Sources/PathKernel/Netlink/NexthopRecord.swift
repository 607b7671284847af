internal import CLinux
internal import PathCore

/// A nexthop object: one hop, or a group of others (ip-nexthop(8)).
struct NexthopRecord: Hashable, Sendable {
  var id: UInt32
  var hop: NextHop?
  var members: [UInt32] = []
  var isBlackhole = false
}

/// Reads nexthop messages.
enum NexthopParser {
  private static let headerLength = 8

  static func parse(_ bytes: RawSpan, _ payload: Range<Int>) throws(Malformed) -> NexthopRecord {
    let start = payload.lowerBound
    guard payload.count >= headerLength else { throw .short }
    let family = AddressFamily(kernel: try bytes.uint8(start))
    var record = NexthopRecord(id: 0)
    var hop = NextHop(interface: 0)
    hop.isDead = RouteParser.isDead(try bytes.uint32(start + 4))
    var cursor = AttributeCursor(start + headerLength..<payload.upperBound)
    while let attribute = try cursor.next(in: bytes) {
      switch attribute.type {
      case Int(NHA_ID): record.id = try attribute.uint32(bytes)
      case Int(NHA_OIF): hop.interface = try attribute.int32(bytes)
      case Int(NHA_BLACKHOLE): record.isBlackhole = true
      case Int(NHA_GATEWAY):
        if let family { hop.gateway = try bytes.address(attribute, family) }
      case Int(NHA_GROUP):
        // struct nexthop_grp: eight bytes, of which the first four are the member.
        var offset = attribute.offset
        while attribute.range.upperBound - offset >= 8 {
          record.members.append(try bytes.uint32(offset))
          offset += 8
        }
      default: break
      }
    }
    if hop.interface > 0 {
      hop.scopeGateway()
      record.hop = hop
    }
    return record
  }
}
