/// The environment that children get: a few variables of Netvane's own, a PATH that does not depend
/// on how Netvane was started, and what the caller tells of the event.
///
/// A command gets PATH, HOME, USER, LOGNAME, LANG, TZ, XDG_RUNTIME_DIR and NETVANE_…; a browser
/// gets what finds the person's screen, session bus and choice of browser instead of NETVANE_….
package struct ChildEnvironment: Sendable {
  package static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  private static let common = [
    "HOME", "LANG", "LOGNAME", "TZ", "USER", "XDG_RUNTIME_DIR",
  ]
  private static let graphical = [
    "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_DATA_HOME",
    "XDG_SESSION_TYPE",
  ]
  private static let factPrefix = "NETVANE_"
  private static let factsMost = 64
  private static let factBytes = 4096

  private let own: [String: String]

  package init(_ own: [String: String]) { self.own = own }

  /// Whether there is a screen to show something on.
  package var isGraphical: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { own[$0].map { !$0.isEmpty } ?? false }
  }

  /// For a granted command; of `facts` only names such as NETVANE_STATUS are taken, and values
  /// become one line.
  package func forCommand(_ facts: [String: String]) -> [String] {
    let taken = facts.sorted { $0.key < $1.key }.filter { Self.isFact($0.key) }
      .prefix(Self.factsMost)
    return variables(Self.common) + taken.map { "\($0.key)=\(Self.oneLine($0.value))" }
  }

  package func forBrowser() -> [String] { variables(Self.common + Self.graphical) }

  private func variables(_ names: [String]) -> [String] {
    ["PATH=\(Self.path)"]
      + names.compactMap { name in
        own[name].flatMap { $0.utf8.contains(0) ? nil : "\(name)=\($0)" }
      }
  }

  private static func isFact(_ name: String) -> Bool {
    name.hasPrefix(factPrefix) && name.utf8.count > factPrefix.utf8.count
      && name.utf8.count <= 64
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 95: true
        default: false
        }
      }
  }

  /// Scripts read such values line by line; a name that somebody chose must not add a line.
  private static func oneLine(_ value: String) -> String {
    var text = ""
    var count = 0
    for scalar in value.unicodeScalars {
      count += UTF8.width(scalar)
      if count > factBytes { break }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: text.unicodeScalars.append(" ")
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
