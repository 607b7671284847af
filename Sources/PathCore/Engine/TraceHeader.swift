/// The first line of a trace: what must be the same for a replay to decide the same.
///
///     {"netvane-trace": 1, version, lua, redacted, seed, policies: [{name, hash}], config? [none]}
///
/// `version` is Netvane's, `lua` the patch release of Lua, `seed` the engine's. A policy's hash
/// covers its file and `lib/`; `config` is the hash of the configuration file.
package struct TraceHeader: Hashable, Sendable {
  /// The version of the trace and of every JSON form in it.
  package static let formatVersion = 1

  package var version: String
  package var lua: String
  package var isRedacted: Bool
  package var seed: UInt64
  /// Sorted by name.
  package var policies: [Policy]
  package var config: String?

  package struct Policy: Hashable, Sendable {
    package var name: String
    package var hash: String

    package init(name: String, hash: String) {
      self.name = name
      self.hash = hash
    }
  }

  package init(
    version: String, lua: String, isRedacted: Bool, seed: UInt64 = 0, policies: [Policy],
    config: String? = nil
  ) {
    self.version = version
    self.lua = lua
    self.isRedacted = isRedacted
    self.seed = seed
    self.policies = policies
    self.config = config
  }

  package func writeJSON(into writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("netvane-trace", Self.formatVersion)
      writer.member("version", version)
      writer.member("lua", lua)
      writer.member("redacted", isRedacted)
      writer.member("seed", seed)
      writer.key("policies")
      writer.array(policies) { writer, policy in
        writer.object {
          $0.member("name", policy.name)
          $0.member("hash", policy.hash)
        }
      }
      if let config { writer.member("config", config) }
    }
  }
}
