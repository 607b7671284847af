package import PathCore

/// What the operator wrote in the configuration file; every part of it may be missing.
package struct Configuration: Hashable, Sendable {
  /// What the operator knows better than the kernel about interfaces of this name or pattern.
  package struct InterfaceRule: Hashable, Sendable {
    package var pattern: String
    package var type: InterfaceType?
    package var isExpensive: Bool?
    package var isConstrained: Bool?
    package var acceptsUniqueLocal: Bool?
    package var isOnDemand: Bool?
  }

  /// What the tunnels of this name or pattern ride on.
  package struct UnderlayRule: Hashable, Sendable {
    package var pattern: String
    /// Nil: it always counts.
    package var interface: String?
  }

  /// The most particular pattern first: names, then long patterns, then short ones.
  package var interfaces: [InterfaceRule] = []
  package var underlay: [UnderlayRule] = []
  package var lookupIPv4: IPAddress?
  package var lookupIPv6: IPAddress?
  package var countsBridgeUplink = true
  /// What policies may do to the machine.
  package var grants = Grants()
  /// Each policy's own settings, encoded.
  package var policies: [String: PlainData] = [:]
  package var limits = Limits()
  /// The file's name in messages.
  package var file = "config.lua"
  /// Of the file's text; nil when there is no file.
  package var hash: String?

  package struct Limits: Hashable, Sendable {
    package var loadFuel: Int64 = 5_000_000
    package var callFuel: Int64 = 1_000_000
    package var deadlineMilliseconds: Int64 = 250
    package var reconcileSeconds: Int64 = 300
  }

  package init() {}

  /// The settings of one policy.
  package func settings(for policy: String) -> PolicySettings {
    PolicySettings(
      config: policies[policy] ?? .emptyMap, place: "\(file): policies[\"\(policy)\"]",
      loadFuel: limits.loadFuel, callFuel: limits.callFuel,
      deadline: .milliseconds(limits.deadlineMilliseconds))
  }

  /// A name comes before a pattern, and a long pattern before a short one.
  static func isMoreParticular(_ left: String, _ right: String) -> Bool {
    let wild = (left.contains { $0 == "*" || $0 == "?" }, right.contains { $0 == "*" || $0 == "?" })
    if wild.0 != wild.1 { return !wild.0 }
    if left.utf8.count != right.utf8.count { return left.utf8.count > right.utf8.count }
    return left < right
  }
}

/// What is wrong with the configuration, and where.
package struct ConfigurationError: Error, Hashable, Sendable {
  package var file: String
  /// Zero only for a file that cannot be read: it has no text that a line could be of.
  package var line: Int
  package var message: String

  package init(file: String, line: Int, message: String) {
    self.file = file
    self.line = line
    self.message = message
  }

  package var located: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }
}

extension Configuration {
  /// What to say of settings for policies that are not among these: a name that is misspelt would
  /// otherwise do nothing, in silence.
  package func straySettings(policies known: [String]) -> [String] {
    policies.keys.sorted().filter { !known.contains($0) }.map { name in
      let hint = nearestWord(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
      return "\(file): policies[\"\(name)\"]: there is no such policy\(hint)"
    }
  }
}
