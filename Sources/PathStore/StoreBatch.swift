package import PathCore

/// What one turn of the loop changed: written whole or not at all.
package struct StoreBatch: Sendable {
  /// Of each policy that changed, all it keeps.
  package var memories: [String: PolicyMemory]
  /// Policies that are not to be remembered any more, nor their texts.
  package var forgotten: Set<String>
  package var history: [HistoryEntry]
  /// Texts that were accepted.
  package var texts: [String: StoredText]
  /// Policies whose texts are not to be kept any more.
  package var forgottenTexts: Set<String>

  package init(
    memories: [String: PolicyMemory] = [:], forgotten: Set<String> = [],
    history: [HistoryEntry] = [], texts: [String: StoredText] = [:],
    forgottenTexts: Set<String> = []
  ) {
    self.memories = memories
    self.forgotten = forgotten
    self.history = history
    self.texts = texts
    self.forgottenTexts = forgottenTexts
  }
}

/// Something that happened, in a line for people; the oldest are forgotten.
package struct HistoryEntry: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  package var unixNanoseconds: Int64
  package var policy: String
  package var event: String

  /// So many entries are kept.
  package static let kept = 2000
  /// Longer texts are cut.
  package static let eventBytes = 512

  package init(at time: WallTime, policy: String, event: String) {
    self.init(unixNanoseconds: time.unixNanoseconds, policy: policy, event: event)
  }

  init(unixNanoseconds: Int64, policy: String, event: String) {
    self.unixNanoseconds = unixNanoseconds
    self.policy = policy
    let isLong = event.utf8.count > Self.eventBytes
    self.event =
      isLong ? String(decoding: event.utf8.prefix(Self.eventBytes - 3), as: UTF8.self) : event
  }
}

/// What people should know about the store. Each is told once, not at every write.
package struct StoreNotice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Nothing can be written; what is to be kept is in memory only.
    case degraded
    /// It can be written again, and all was.
    case restored
    /// The file was gone, or another's, and a new one holds all that was kept.
    case rewritten
    /// The file was damaged and is kept beside a new one.
    case setAside
    /// One policy's memory is too large.
    case tooLarge
  }

  package var kind: Kind
  package var message: String
}

/// What the store had of earlier runs.
package struct StoredPolicies: Sendable {
  package var memories: [String: PolicyMemory] = [:]
  /// Policies whose memory cannot be read; it stays until it is written anew.
  package var damaged: [String] = []
  /// There was a store, and nothing in it is of this boot.
  package var isAfterReboot = false

  package init() {}
}
