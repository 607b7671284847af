internal import CLinux
internal import PathCore

/// A link as one NEWLINK message shows it. Each message is the whole state, never a difference.
struct LinkRecord: Hashable, Sendable {
  var index: Int32
  var name = ""
  var alternativeNames: [String] = []
  /// ARPHRD_*.
  var hardwareType: UInt16 = 0
  var flags = LinkFlags(rawValue: 0)
  var operationalState: OperationalState = .unknown
  var master: Int32 = 0
  /// IFLA_LINK, or the link a tunnel was told to use; zero when it is none or in another namespace.
  var lower: Int32 = 0
  var kind = ""
  /// The link a bond sends by now.
  var activeMember: Int32 = 0
  /// A tun device that carries Ethernet frames.
  var isTap = false
  /// The hardware address was made up rather than bought: what phones that tether use.
  var hasLocalHardwareAddress = false

  init(index: Int32) { self.index = index }

  var linkState: LinkState { LinkState(flags: flags, operationalState: operationalState) }
}

/// What a link message asks for.
enum LinkMessage: Equatable {
  case known(LinkRecord)
  case deleted(Int32)
  /// A bridge's or another family's view of a link: no device comes or goes by it.
  case otherFamily
  /// A wireless event that rides on NEWLINK without the link's state.
  case wirelessEvent
}

/// Reads link messages (rtnetlink(7)).
enum LinkParser {
  private static let headerLength = 16
  private static let extraNameLimit = 64

  static func parse(
    _ bytes: RawSpan, _ payload: Range<Int>, isDelete: Bool
  ) throws(Malformed) -> LinkMessage {
    let start = payload.lowerBound
    guard payload.count >= headerLength else { throw .short }
    guard try bytes.uint8(start) == 0 else { return .otherFamily }
    let index = try bytes.int32(start + 4)
    guard index > 0 else { throw .length }
    // For a delete the fixed header is enough; what follows may be of any shape.
    if isDelete { return .deleted(index) }
    var link = LinkRecord(index: index)
    link.hardwareType = try bytes.uint16(start + 2)
    link.flags = flags(try bytes.uint32(start + 8))
    var seen = Seen()
    var cursor = AttributeCursor(start + headerLength..<payload.upperBound)
    while let attribute = try cursor.next(in: bytes) {
      try read(attribute, bytes, &link, &seen)
    }
    if seen.wireless, !seen.mtu { return .wirelessEvent }
    guard !link.name.isEmpty else { throw .short }
    if seen.isLowerElsewhere || link.lower == index { link.lower = 0 }
    if link.lower == 0 { link.lower = seen.tunnelLink }
    if let permanent = seen.isPermanentAddressLocal {
      link.hasLocalHardwareAddress = permanent
    }
    return .known(link)
  }

  /// What is only needed until the message is read.
  private struct Seen {
    var wireless = false
    var mtu = false
    var isLowerElsewhere = false
    var tunnelLink: Int32 = 0
    var isPermanentAddressLocal: Bool?
  }

  private static func read(
    _ attribute: Attribute, _ bytes: RawSpan, _ link: inout LinkRecord, _ seen: inout Seen
  ) throws(Malformed) {
    switch attribute.type {
    case Int(IFLA_IFNAME): link.name = try bytes.text(attribute)
    case Int(IFLA_MTU): seen.mtu = true
    case Int(IFLA_WIRELESS): seen.wireless = true
    case Int(IFLA_LINK): link.lower = max(0, try attribute.int32(bytes))
    case Int(IFLA_LINK_NETNSID): seen.isLowerElsewhere = true
    case Int(IFLA_MASTER): link.master = max(0, try attribute.int32(bytes))
    case Int(IFLA_OPERSTATE):
      link.operationalState = OperationalState(rawValue: try attribute.uint8(bytes)) ?? .unknown
    case Int(IFLA_ADDRESS):
      link.hasLocalHardwareAddress = try isLocal(attribute, bytes)
    case Int(IFLA_PERM_ADDRESS):
      seen.isPermanentAddressLocal = try isLocal(attribute, bytes)
    case Int(IFLA_LINKINFO): try readInfo(attribute, bytes, &link, &seen)
    case Int(IFLA_PROP_LIST):
      var cursor = AttributeCursor(attribute.range)
      while let property = try cursor.next(in: bytes) {
        if property.type == Int(IFLA_ALT_IFNAME), link.alternativeNames.count < extraNameLimit {
          link.alternativeNames.append(try bytes.text(property))
        }
      }
    default: break
    }
  }

  /// IFLA_LINKINFO: the kind, and of its data the few numbers that name another link.
  private static func readInfo(
    _ info: Attribute, _ bytes: RawSpan, _ link: inout LinkRecord, _ seen: inout Seen
  ) throws(Malformed) {
    var data: Attribute?
    var cursor = AttributeCursor(info.range)
    while let attribute = try cursor.next(in: bytes) {
      switch attribute.type {
      case Int(IFLA_INFO_KIND): link.kind = try bytes.text(attribute)
      case Int(IFLA_INFO_DATA): data = attribute
      default: break
      }
    }
    guard let data, let wanted = dataAttribute(of: link.kind) else { return }
    cursor = AttributeCursor(data.range)
    // Numbers are local to this kind's nest, and a value of another size is another kernel's.
    while let attribute = try cursor.next(in: bytes) {
      guard attribute.type == wanted else { continue }
      switch link.kind {
      case "tun" where attribute.length == 1:
        link.isTap = try attribute.uint8(bytes) == UInt8(IFF_TAP_TYPE)
      case "bond" where attribute.length == 4:
        link.activeMember = max(0, try attribute.int32(bytes))
      case "tun", "bond": break
      default:
        if attribute.length == 4 { seen.tunnelLink = max(0, try attribute.int32(bytes)) }
      }
    }
  }

  /// IFF_TAP of linux/if_tun.h, whose names clash with those of if.h.
  private static let IFF_TAP_TYPE = 2

  /// IFLA_GRE_LINK, IFLA_IPTUN_LINK and IFLA_VTI_LINK of linux/if_tunnel.h, which does not go
  /// together with the C library's netinet/in.h.
  private static let IFLA_IPTUNNEL_LINK = 1

  private static func dataAttribute(of kind: String) -> Int? {
    switch kind {
    case "tun": Int(IFLA_TUN_TYPE)
    case "bond": Int(IFLA_BOND_ACTIVE_SLAVE)
    case "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan", "ipip", "sit", "ip6tnl",
      "vti", "vti6":
      IFLA_IPTUNNEL_LINK
    case "xfrm": Int(IFLA_XFRM_LINK)
    case "vxlan": Int(IFLA_VXLAN_LINK)
    default: nil
    }
  }

  private static func isLocal(
    _ attribute: Attribute, _ bytes: RawSpan
  ) throws(Malformed) -> Bool {
    guard attribute.length == 6 else { return false }
    return try bytes.uint8(attribute.offset) & 2 != 0
  }

  private static func flags(_ raw: UInt32) -> LinkFlags {
    // IFF_* on the left, each to its own bit.
    var bits = LinkFlags.RawValue(0)
    if raw & 0x1 != 0 { bits |= LinkFlags.up.rawValue }
    if raw & 0x8 != 0 { bits |= LinkFlags.loopback.rawValue }
    if raw & 0x10 != 0 { bits |= LinkFlags.pointToPoint.rawValue }
    if raw & 0x40 != 0 { bits |= LinkFlags.running.rawValue }
    if raw & 0x10000 != 0 { bits |= LinkFlags.lowerUp.rawValue }
    return LinkFlags(rawValue: bits)
  }
}
