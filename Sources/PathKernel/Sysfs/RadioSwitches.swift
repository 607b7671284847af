internal import PathCore

/// Which radios are switched off (rfkill), by the wireless device they belong to.
struct RadioSwitches: Hashable, Sendable {
  private struct Switch: Hashable {
    var type: String
    /// `phy0` when it belongs to one device; empty when it rules all of its type.
    var phy: String
  }

  private var blocked: Set<Switch> = []

  /// Nothing is switched off.
  init() {}

  /// Reads /sys/class/rfkill. A machine without radios has no such directory.
  init(_ sysfs: Sysfs) {
    let directory = "\(sysfs.root)/class/rfkill"
    for name in Sysfs.list(directory) {
      let path = "\(directory)/\(name)"
      guard let type = Sysfs.read("\(path)/type"),
        Sysfs.read("\(path)/soft") == "1" || Sysfs.read("\(path)/hard") == "1"
      else { continue }
      let device = Sysfs.linkTarget("\(path)/device") ?? ""
      blocked.insert(Switch(type: type, phy: device.hasPrefix("phy") ? device : ""))
    }
  }

  func isBlocked(_ type: InterfaceType, phy: String) -> Bool {
    switch type {
    case .wifi:
      blocked.contains(Switch(type: "wlan", phy: ""))
        || !phy.isEmpty && blocked.contains(Switch(type: "wlan", phy: phy))
    case .cellular: blocked.contains { $0.type == "wwan" }
    case .wired, .loopback, .other: false
    }
  }
}
