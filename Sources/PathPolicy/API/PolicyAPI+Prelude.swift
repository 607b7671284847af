import PathCore

/// The table as the prelude has it: what its checks go by, and no more.
extension PolicyAPI {
  /// The first lines of the prelude.
  static let prelude: [UInt8] = Array(
    ([bounds, wordLists, "local API = {"] + tables.map(table) + ["}", "local FIELDS = {"]
      + records.map(fields) + ["}", ""]).joined(separator: "\n").utf8)

  private static var bounds: String {
    """
    local MOST = {
      key = \(PolicyBounds.keyBytes), title = \(PolicyBounds.titleBytes),
      text = \(PolicyBounds.textBytes), logs = \(PolicyBounds.logsPerHandler),
      state = \(PolicyBounds.stateBytes), entries = \(PolicyBounds.listEntries),
      monitors = \(PolicyBounds.monitors), every = \(PolicyBounds.recurringTimers),
      buttons = \(PolicyBounds.buttons), url = \(PolicyBounds.urlBytes),
      body = \(PolicyBounds.bodyBytes), arguments = \(PolicyBounds.argumentBytes),
      headers = \(PolicyBounds.headers), expected = \(PolicyBounds.expectedTextBytes),
      settle = \(EngineLimits.settleLongest.nanoseconds),
    }
    """
  }

  private static var wordLists: String {
    let lists: [(String, [String])] = [
      ("TYPES", filterType.words), ("SEVERITIES", severity.words), ("STATUSES", status.words),
      ("METHODS", method.words), ("HANDLERS", handlers.map(\.name)),
      ("OWN_KEYS", EngineLimits.ownAlertKeys.sorted()),
    ]
    return lists.map { name, words in
      "local \(name) = { \(words.map { "\"\($0)\"" }.joined(separator: ", ")) }"
    }.joined(separator: "\n")
  }

  private static func table(_ group: Group) -> String {
    let entries = group.entries.map { entry in
      let required = entry.isRequired ? ", required = true" : ""
      return "\(entry.name) = { type = \"\(entry.kind.check)\"\(required) }"
    }
    return "\(group.name) = { \(entries.joined(separator: ", ")) },"
  }

  private static func fields(_ group: Group) -> String {
    "\(group.name) = { \(group.entries.map { "\($0.name) = true" }.joined(separator: ", ")) },"
  }
}
