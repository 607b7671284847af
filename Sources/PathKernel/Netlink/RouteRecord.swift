internal import CLinux
internal import PathCore

/// A route as a lookup or a dump shows it.
struct RouteRecord: Hashable, Sendable {
  var family: AddressFamily
  /// RTN_*.
  var type: UInt8
  var table: UInt32
  var prefixLength: UInt8
  var destination: IPAddress?
  var metric: UInt32 = 0
  var hops: [NextHop] = []
  /// Set when the route only points at a nexthop object.
  var nexthopID: UInt32 = 0
  /// Hundredths of a second until the route ends; nil when it does not.
  var expiry: Int32?
  /// RTA_PREFSRC: with RTM_F_FIB_MATCH only what the route itself names.
  var source: IPAddress?
  /// It has ended; the kernel no longer takes it, and shows it until its next tidying.
  var isExpired = false

  /// Whether it sends somewhere, through a router.
  var hasGateway: Bool { hops.contains { $0.gateway != nil } || nexthopID != 0 }
}

/// Reads route messages (rtnetlink(7)).
enum RouteParser {
  private static let headerLength = 12
  /// Nothing in the wild has more equal-cost hops.
  private static let hopLimit = 512

  /// Nil for families other than IPv4 and IPv6.
  static func parse(_ bytes: RawSpan, _ payload: Range<Int>) throws(Malformed) -> RouteRecord? {
    let start = payload.lowerBound
    guard payload.count >= headerLength else { throw .short }
    guard let family = AddressFamily(kernel: try bytes.uint8(start)) else { return nil }
    var route = RouteRecord(
      family: family, type: try bytes.uint8(start + 7),
      table: UInt32(try bytes.uint8(start + 4)), prefixLength: try bytes.uint8(start + 1))
    guard Int(route.prefixLength) <= family.bitCount else { throw .length }
    var single = NextHop(interface: 0)
    single.isDead = isDead(try bytes.uint32(start + 8))
    var cursor = AttributeCursor(start + headerLength..<payload.upperBound)
    while let attribute = try cursor.next(in: bytes) {
      switch attribute.type {
      case Int(RTA_DST.rawValue): route.destination = try bytes.address(attribute, family)
      case Int(RTA_TABLE.rawValue): route.table = try attribute.uint32(bytes)
      case Int(RTA_PRIORITY.rawValue): route.metric = try attribute.uint32(bytes)
      case Int(RTA_OIF.rawValue): single.interface = try attribute.int32(bytes)
      case Int(RTA_PREFSRC.rawValue): route.source = try bytes.address(attribute, family)
      case Int(RTA_NH_ID.rawValue): route.nexthopID = try attribute.uint32(bytes)
      case Int(RTA_MULTIPATH.rawValue):
        route.hops = try multipath(attribute.range, bytes, family)
      case Int(RTA_CACHEINFO.rawValue):
        // rta_expires is the third number; zero means for ever, less that it is over.
        let expiry = attribute.length >= 12 ? try bytes.int32(attribute.offset + 8) : 0
        if expiry > 0 { route.expiry = expiry }
        route.isExpired = expiry < 0
      default: try readGateway(attribute, bytes, family, &single)
      }
    }
    if route.hops.isEmpty, single.interface > 0 {
      single.scopeGateway()
      route.hops = [single]
    }
    return route
  }

  private static func multipath(
    _ range: Range<Int>, _ bytes: RawSpan, _ family: AddressFamily
  ) throws(Malformed) -> [NextHop] {
    var hops: [NextHop] = []
    var offset = range.lowerBound
    // struct rtnexthop: length, flags, weight, interface, then its own attributes.
    while range.upperBound - offset >= 8 {
      let length = Int(try bytes.uint16(offset))
      guard length >= 8, length <= range.upperBound - offset, hops.count < hopLimit else {
        throw .length
      }
      var hop = NextHop(interface: try bytes.int32(offset + 4))
      hop.isDead = isDead(UInt32(try bytes.uint8(offset + 2)))
      var cursor = AttributeCursor(offset + 8..<offset + length)
      while let attribute = try cursor.next(in: bytes) {
        try readGateway(attribute, bytes, family, &hop)
      }
      hop.scopeGateway()
      hops.append(hop)
      offset += (length + 3) & ~3
    }
    return hops
  }

  /// RTA_GATEWAY, or RTA_VIA when the gateway is of another family.
  private static func readGateway(
    _ attribute: Attribute, _ bytes: RawSpan, _ family: AddressFamily, _ hop: inout NextHop
  ) throws(Malformed) {
    switch attribute.type {
    case Int(RTA_GATEWAY.rawValue):
      hop.gateway = try bytes.address(attribute, family)
    case Int(RTA_VIA.rawValue):
      guard attribute.length >= 2 else { throw .short }
      let raw = try bytes.uint16(attribute.offset)
      guard let via = UInt8(exactly: raw).flatMap(AddressFamily.init(kernel:)) else { return }
      hop.gateway = try bytes.address(
        attribute.offset + 2, length: attribute.length - 2, via)
    default: break
    }
  }

  static func isDead(_ flags: UInt32) -> Bool {
    flags & UInt32(RTNH_F_DEAD | RTNH_F_LINKDOWN) != 0
  }
}

extension NextHop {
  /// A zero gateway means none; a link-local one belongs to its link.
  mutating func scopeGateway() {
    guard var address = gateway else { return }
    if address.isUnspecified {
      gateway = nil
    } else if address.family == .ipv6, address.isLinkLocal {
      address.scope = interface
      gateway = address
    }
  }
}
