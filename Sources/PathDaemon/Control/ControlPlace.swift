/// Where the control socket is: `run` makes it at one place, commands look at a few.
package enum ControlPlace {
  /// For `run`: what the flag says (`none`: nowhere), else what the service manager gives, else the
  /// person's own place, else the machine's. Nil: none.
  package static func own(
    flag: String?, environment: [String: String], isRoot: Bool,
    isOwn: (String) -> Bool = { _ in true }
  ) -> String? {
    if let flag { return flag == "none" ? nil : flag }
    // A list when the unit has several, systemd.exec(5).
    let given = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first
    if let given, given.hasPrefix("/") { return "\(given)/control" }
    if let personal = personal(environment, isOwn) { return personal }
    return isRoot ? machine : nil
  }

  /// For commands, in the order in which they ask.
  package static func toAsk(
    flag: String?, environment: [String: String], isOwn: (String) -> Bool = { _ in true }
  ) -> [String] {
    if let flag { return [flag] }
    return [personal(environment, isOwn), machine].compactMap(\.self)
  }

  private static let machine = "/run/netvane/control"

  /// The directory must be this user's: `su` and `sudo -E` hand on another's, where root's own
  /// would stand in that one's way.
  private static func personal(
    _ environment: [String: String], _ isOwn: (String) -> Bool
  ) -> String? {
    guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/"),
      isOwn(directory)
    else { return nil }
    return "\(directory)/netvane/control"
  }
}
