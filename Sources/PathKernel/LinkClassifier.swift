internal import PathCore

/// What a link is by itself, before it is seen together with others.
struct LinkNature: Hashable, Sendable {
  var type: InterfaceType
  var cost = LinkCost()
  /// A device of its own, or one that the configuration gave a type.
  var isPhysical = false
  var stacking = Stacking.none
  /// What the configuration says that it rides on.
  var ground: UnderlayRule.Ground?
  /// The wireless device, for its radio switch.
  var phy = ""
  /// The configuration decided the type, so nothing is taken over from other links.
  var isTypeFixed = false
  var isExpenseFixed = false
  var acceptsUniqueLocal = false
  var isOnDemand = false

  /// What of it is plain numbers: copied without a reference counted.
  struct Traits {
    var type: InterfaceType
    var cost: LinkCost
    var isPhysical: Bool
    var stacking: Stacking
    var isTypeFixed: Bool
    var isExpenseFixed: Bool
    var hasGround: Bool
    var acceptsUniqueLocal: Bool
    var isOnDemand: Bool
  }

  var traits: Traits {
    Traits(
      type: type, cost: cost, isPhysical: isPhysical, stacking: stacking,
      isTypeFixed: isTypeFixed, isExpenseFixed: isExpenseFixed, hasGround: ground != nil,
      acceptsUniqueLocal: acceptsUniqueLocal, isOnDemand: isOnDemand)
  }

  /// How the link stands on others.
  enum Stacking: Hashable, Sendable {
    case none
    /// Takes its type from the link beneath it.
    case lower
    /// Takes its type from one of its members.
    case bond
    case bridge
    /// Needs some other link to carry it.
    case tunnel
  }
}

/// Decides what a link is: kind, hardware type, sysfs, name, in that order, and the operator's
/// rules above all. It never goes by "Ethernet" alone: nearly everything claims to be that.
final class LinkClassifier: Sendable {
  private static let tunnelKinds: Set<String> = [
    "tun", "wireguard", "ovpn", "ipip", "gre", "gretap", "ip6gre", "ip6gretap", "erspan",
    "ip6erspan", "sit", "ip6tnl", "vti", "vti6", "xfrm", "vxlan", "geneve", "bareudp", "amneziawg",
  ]
  private static let stackedKinds: Set<String> = [
    "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec",
  ]
  /// Ports of a switch chip, and modem links, have a kind and yet are devices of their own.
  private static let deviceKinds: Set<String> = ["", "dsa", "rmnet", "wwan"]
  /// What phones speak on a cable and hardly anything else does.
  private static let phoneDrivers: Set<String> = ["rndis_host", "ipheth"]
  /// What newer phones speak, and some docks: told apart by a made-up hardware address.
  private static let sharedDrivers: Set<String> = ["cdc_ncm", "cdc_ether", "cdc_eem"]
  /// What only modems speak. Older kernels and some devices leave their DEVTYPE out.
  private static let modemDrivers: Set<String> = [
    "qmi_wwan", "qmi_wwan_q", "cdc_mbim", "huawei_cdc_ncm", "sierra_net", "hso", "mhi_net",
  ]

  let settings: KernelSettings
  let sysfs: Sysfs

  init(_ settings: KernelSettings) {
    self.settings = settings
    sysfs = Sysfs(root: settings.sysfsRoot)
  }

  /// Reads sysfs for devices of their own, so the answer is worth keeping.
  func nature(of link: LinkRecord) -> LinkNature {
    var nature = ownNature(of: link)
    // pppd gives its lines these names, and a line without a carrier may be dialled by a packet.
    nature.isOnDemand = link.kind == "ppp" || link.name.hasPrefix("ppp")
    applyRules(&nature, link)
    return nature
  }

  private func ownNature(of link: LinkRecord) -> LinkNature {
    if link.flags.contains(.loopback) || link.hardwareType == Hardware.loopback {
      return LinkNature(type: .loopback)
    }
    if Self.deviceKinds.contains(link.kind) { return deviceNature(of: link) }
    var nature = LinkNature(type: .other)
    switch link.kind {
    // Where a container's way out begins. One that is a port is never asked for its type.
    case "veth": nature.type = .wired
    case "bond", "team": nature.stacking = .bond
    case "bridge": nature.stacking = .bridge
    case let kind where Self.stackedKinds.contains(kind):
      nature.stacking = .lower
      // With its lower link in another namespace it is a container's way out, like a veth.
      nature.type = .wired
    case let kind where Self.tunnelKinds.contains(kind): nature.stacking = .tunnel
    default: break
    }
    return nature
  }

  /// A device of its own: hardware type, then what sysfs says, then the names of modem links.
  private func deviceNature(of link: LinkRecord) -> LinkNature {
    var nature = LinkNature(type: .other)
    nature.isPhysical = true
    if link.kind == "wwan" || link.kind == "rmnet" {
      nature.makeCellular()
      return nature
    }
    if Hardware.tunnels.contains(link.hardwareType) {
      nature.isPhysical = false
      nature.stacking = .tunnel
      return nature
    }
    if link.hardwareType == Hardware.pointToPoint { return nature }
    let facts = sysfs.device(link.name, index: link.index) ?? DeviceFacts()
    nature.phy = facts.phy
    switch facts.deviceType {
    case "wwan": nature.makeCellular()
    case "wlan": nature.type = .wifi
    case "bluetooth":
      // A phone's personal area network as a rule; 6LoWPAN has a hardware type of its own.
      if link.hardwareType == Hardware.ethernet {
        nature.cost = LinkCost(isExpensive: true, source: .type)
      }
    case "", "dsa", "gadget":
      if facts.isWireless {
        nature.type = .wifi
      } else if Self.isModemName(link) || Self.modemDrivers.contains(facts.driver) {
        nature.makeCellular()
      } else if link.hardwareType == Hardware.ethernet {
        nature.type = .wired
      }
    default: break
    }
    if nature.type == .wired, isPhone(link, facts.driver) {
      nature.cost = LinkCost(isExpensive: true, source: .driver)
    }
    return nature
  }

  private func isPhone(_ link: LinkRecord, _ driver: String) -> Bool {
    Self.phoneDrivers.contains(driver)
      || link.hasLocalHardwareAddress && Self.sharedDrivers.contains(driver)
  }

  private static func isModemName(_ link: LinkRecord) -> Bool {
    let prefixes = ["rmnet", "rev_rmnet", "ccmni"]
    return Hardware.modems.contains(link.hardwareType)
      && prefixes.contains { link.name.hasPrefix($0) }
  }

  private func applyRules(_ nature: inout LinkNature, _ link: LinkRecord) {
    var type: InterfaceType?
    var isExpensive: Bool?
    var isConstrained: Bool?
    var acceptsUniqueLocal: Bool?
    var isOnDemand: Bool?
    for rule in settings.interfaces
    where rule.pattern.matches(link.name, alternatives: link.alternativeNames) {
      type = type ?? rule.type
      isExpensive = isExpensive ?? rule.isExpensive
      isConstrained = isConstrained ?? rule.isConstrained
      acceptsUniqueLocal = acceptsUniqueLocal ?? rule.acceptsUniqueLocal
      isOnDemand = isOnDemand ?? rule.isOnDemand
    }
    // A rule for `*` does not mean the loopback.
    if let type, nature.type != .loopback {
      if type != nature.type {
        nature.cost = LinkCost()
        if type == .cellular { nature.makeCellular() }
      }
      nature.type = type
      nature.isTypeFixed = true
      // A tunnel stays one whatever it is called; anything else is now a device like any other.
      nature.isPhysical = nature.stacking == .none && type != .loopback
    }
    if let isExpensive {
      nature.cost.isExpensive = isExpensive
      nature.cost.source = .config
      nature.isExpenseFixed = true
    }
    if let acceptsUniqueLocal { nature.acceptsUniqueLocal = acceptsUniqueLocal }
    if let isOnDemand { nature.isOnDemand = isOnDemand }
    if let isConstrained { nature.cost.isConstrained = isConstrained }
    nature.ground =
      settings.underlays.first {
        $0.pattern.matches(link.name, alternatives: link.alternativeNames)
      }?.ground
  }
}

extension LinkNature {
  fileprivate mutating func makeCellular() {
    type = .cellular
    cost = LinkCost(isExpensive: true, source: .type)
  }
}

/// The hardware types (ARPHRD_*) that decide something.
enum Hardware {
  static let ethernet: UInt16 = 1
  static let pointToPoint: UInt16 = 512
  static let loopback: UInt16 = 772
  /// IPIP, IPv6 tunnel, SIT, GRE, IPv6 GRE.
  static let tunnels: Set<UInt16> = [768, 769, 776, 778, 823]
  /// Ethernet, raw IP, and the number raw IP had before.
  static let modems: Set<UInt16> = [1, 519, 530]
}
