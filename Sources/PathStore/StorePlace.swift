/// Where the store lies when it is for Netvane to say.
package enum StorePlace: Hashable, Sendable {
  case directory(String)
  /// Nothing is kept, as asked for by `--state none`.
  case nowhere
  /// Nothing says where: no flag, no service manager, no home.
  case unknown

  /// The directory of the `--state` flag; else the first that systemd made (`STATE_DIRECTORY`);
  /// else the user's own (XDG base directories). The variables count only as absolute paths.
  package static func choose(flag: String?, environment: [String: String]) -> StorePlace {
    if let flag { return flag == "none" ? .nowhere : .directory(flag) }
    func absolute(_ text: Substring?) -> Substring? { text?.first == "/" ? text : nil }
    func variable(_ name: String) -> Substring? { absolute(environment[name]?[...]) }
    let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first
    if let path = absolute(given) { return .directory(String(path)) }
    if let path = variable("XDG_STATE_HOME") { return .directory("\(path)/netvane") }
    if let path = variable("HOME") { return .directory("\(path)/.local/state/netvane") }
    return .unknown
  }
}
