import Glibc
import PathDaemon
import PathPolicy

/// Where the policies, the configuration and a daemon's socket are looked for.
enum Places {
  /// The directory named on the command line, else the first usual one that exists.
  static func policies(_ given: String?) -> String? {
    given ?? firstExisting(usual("policies"))
  }

  /// The configuration to use: the file named on the command line, else the first usual one that
  /// exists, else nothing.
  static func configuration(_ given: String?) throws(ConfigurationError) -> Configuration {
    guard let path = given ?? firstExisting(usual("config.lua")) else { return Configuration() }
    return try ConfigurationReader.read(path)
  }

  /// Where the configuration may be; the first that is there counts.
  static func configurations(_ given: String?) -> [String] {
    given.map { [$0] } ?? usual("config.lua")
  }

  /// The user's own place first, then the system's.
  static func usual(_ name: String) -> [String] {
    var places: [String] = []
    if let home = variable("XDG_CONFIG_HOME"), home.hasPrefix("/") {
      places.append("\(home)/netvane/\(name)")
    } else if let home = variable("HOME"), home.hasPrefix("/") {
      places.append("\(home)/.config/netvane/\(name)")
    }
    places.append("/etc/netvane/\(name)")
    return places
  }

  /// Where `run` makes its control socket; nil: nowhere.
  static func ownControl(_ given: String?) -> String? {
    ControlPlace.own(
      flag: given, environment: runtimeDirectories, isRoot: geteuid() == 0, isOwn: isOwn)
  }

  /// Where a daemon is asked.
  static func controlsToAsk(_ given: String?) -> [String] {
    ControlPlace.toAsk(flag: given, environment: runtimeDirectories, isOwn: isOwn)
  }

  private static func isOwn(_ directory: String) -> Bool {
    var status = stat()
    return unsafe stat(directory, &status) == 0 && status.st_uid == geteuid()
  }

  private static var runtimeDirectories: [String: String] {
    var found: [String: String] = [:]
    for name in ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"] { found[name] = variable(name) }
    return found
  }

  private static func firstExisting(_ paths: [String]) -> String? {
    paths.first { unsafe access($0, F_OK) == 0 }
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
