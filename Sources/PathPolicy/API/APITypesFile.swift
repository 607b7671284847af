/// The files from which lua-language-server knows the API: classes with their fields, verbs with
/// their arguments, words as unions.
enum APITypesFile {
  /// `.types/netvane.lua`.
  static var types: String {
    var lines = ["---@meta netvane"] + head
    lines.append("---A length of time such as \"250ms\", \"10s\" or \"1m30s\".")
    lines += ["---@alias netvane.Duration string", ""]
    for choice in PolicyAPI.choices { lines += alias(choice) }
    for group in PolicyAPI.tables {
      lines += PolicyAPI.actions.contains(group) ? action(group) : type(group)
    }
    for group in PolicyAPI.records + PolicyAPI.parts { lines += type(group) }
    for toolbox in PolicyAPI.contextToolboxes { lines += type(toolbox) }
    return lines.joined(separator: "\n")
  }

  /// `.types/policy/test.lua`: what `require "policy.test"` is.
  static var testTypes: String {
    var lines = ["---@meta policy.test"] + head
    lines += alias(PolicyAPI.testEvent)
    for group in PolicyAPI.testTables { lines += type(group) }
    for toolbox in PolicyAPI.testToolboxes { lines += type(toolbox) }
    lines += ["---@type netvane.\(PolicyAPI.testFile.className)", "local t = {}", "return t", ""]
    return lines.joined(separator: "\n")
  }

  // MARK: Pieces

  private static let head = ["-- \(PolicyAPI.Files.mark)", "-- luacheck: ignore 631", ""]

  private static func alias(_ choice: PolicyAPI.Choice) -> [String] {
    let words = choice.words.map { "\"\($0)\"" }.joined(separator: "|")
    return ["---\(choice.meaning)", "---@alias netvane.\(choice.name) \(words)", ""]
  }

  private static func type(_ group: PolicyAPI.Group) -> [String] {
    ["---\(group.meaning)", "---@class (exact) netvane.\(group.className)"]
      + group.entries.map(field) + [""]
  }

  /// An action is written without its key inside of a retry.
  private static func action(_ group: PolicyAPI.Group) -> [String] {
    let inner = "netvane.\(group.className)Action"
    return ["---\(group.meaning) Its key apart.", "---@class (exact) \(inner)"]
      + group.entries.filter { $0.name != "key" }.map(field)
      + ["", "---\(group.meaning)", "---@class (exact) netvane.\(group.className): \(inner)"]
      + group.entries.filter { $0.name == "key" }.map(field) + [""]
  }

  private static func field(_ entry: PolicyAPI.Entry) -> String {
    var text = entry.meaning
    if !entry.kind.bounds.isEmpty { text += (text.isEmpty ? "" : "; ") + entry.kind.bounds }
    if let standard = entry.standard { text += " (default: \(standard))" }
    let name = entry.name + (entry.isRequired ? "" : "?")
    return "---@field \(name) \(entry.kind.annotation)" + (text.isEmpty ? "" : " \(text)")
  }

  private static func type(_ toolbox: PolicyAPI.Toolbox) -> [String] {
    ["---\(toolbox.meaning)", "---@class (exact) netvane.\(toolbox.className)"]
      + toolbox.fields.map(field)
      + toolbox.verbs.map { verb in
        "---@field \(verb.name) \(signature(verb)) \(verb.meaning)"
      } + [""]
  }

  /// What may be left out before something that may not is a form of its own: a `?` would say that
  /// nil stands in its place.
  private static func signature(_ verb: PolicyAPI.Verb) -> String {
    let last = verb.parameters.lastIndex(where: \.isRequired) ?? 0
    let inner = verb.parameters.indices.filter { $0 < last && !verb.parameters[$0].isRequired }
    guard !inner.isEmpty else { return signature(verb, verb.parameters) }
    var (full, short) = (verb.parameters, verb.parameters)
    for place in inner { full[place].isRequired = true }
    for place in inner.reversed() { short.remove(at: place) }
    return "\(signature(verb, full))|\(signature(verb, short))"
  }

  private static func signature(
    _ verb: PolicyAPI.Verb, _ parameters: [PolicyAPI.Entry]
  ) -> String {
    let parameters = parameters.map { entry in
      "\(entry.name)\(entry.isRequired ? "" : "?"): \(entry.kind.annotation)"
    }
    var text = "fun(\(parameters.joined(separator: ", ")))"
    if let result = verb.returns {
      text += ": \(result.annotation)" + (verb.name == "path" ? "?" : "")
    }
    return text
  }
}
