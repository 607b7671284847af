/// The reference page, in Markdown.
enum APIReference {
  static var page: String {
    var lines = ["<!-- \(PolicyAPI.Files.mark) -->", ""] + text(introduction)
    lines += ["## The policy table", ""] + table(PolicyAPI.policy)
    lines += ["`monitors` has one entry for each path that is watched:", ""]
    lines += table(PolicyAPI.monitor) + text(settling)
    lines += ["## What handlers are told", ""] + text(handlers)
    for group in PolicyAPI.records + PolicyAPI.parts where !isSet(group) {
      lines += heading(group) + fields(group)
    }
    for group in PolicyAPI.parts where isSet(group) {
      lines += heading(group) + [words(group.entries.map(\.name)), ""]
    }
    lines += ["### The words of `ev.causes`", "", words(PolicyAPI.cause.words), ""]
    lines += ["## What handlers do: `ctx`", ""]
    for toolbox in PolicyAPI.contextToolboxes { lines += verbs(toolbox) }
    for group in PolicyAPI.tables.dropFirst(2) { lines += heading(group) + table(group) }
    lines += text(actions) + text(keeping) + text(sandbox) + library() + text(testing)
    for toolbox in PolicyAPI.testToolboxes {
      lines += ["### `\(toolbox.name)`: \(toolbox.meaning)", ""] + verbs(toolbox)
    }
    for group in PolicyAPI.testTables { lines += heading(group) + table(group) }
    lines += ["Events that are counted:", "", words(PolicyAPI.testEvent.words), ""] + text(editors)
    return lines.joined(separator: "\n")
  }

  private static func text(_ text: String) -> [String] { [text, ""] }

  private static func words(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: " ")
  }

  // MARK: Tables

  private static func table(_ group: PolicyAPI.Group) -> [String] {
    let rows = group.entries.map { entry -> String in
      var about = entry.isRequired ? "**needed**; \(entry.meaning)" : entry.meaning
      if !entry.kind.bounds.isEmpty { about += " (\(entry.kind.bounds))" }
      let standard = entry.standard.map { code($0) } ?? ""
      return "| `\(entry.name)` | \(cell(entry.kind.shown)) | \(standard) | \(cell(about)) |"
    }
    return ["| Key | Type | Default | Meaning |", "|---|---|---|---|"] + rows + [""]
  }

  private static func fields(_ group: PolicyAPI.Group) -> [String] {
    let rows = group.entries.map { entry in
      let kind = cell(entry.kind.shown) + (entry.isRequired ? "" : ", or nil")
      return "| `\(entry.name)` | \(kind) | \(cell(entry.meaning)) |"
    }
    return ["| Field | Type | Meaning |", "|---|---|---|"] + rows + [""]
  }

  private static func isSet(_ group: PolicyAPI.Group) -> Bool {
    group.entries.allSatisfy { $0.meaning.isEmpty }
  }

  private static func heading(_ group: PolicyAPI.Group) -> [String] {
    [
      "### " + (group.meaning.hasSuffix(".") ? String(group.meaning.dropLast()) : group.meaning),
      "",
    ]
  }

  private static func verbs(_ toolbox: PolicyAPI.Toolbox) -> [String] {
    let fields = toolbox.fields.filter { !$0.kind.annotation.hasPrefix("netvane.Context.") }.map {
      "| `\(toolbox.name).\($0.name)` | \(cell($0.meaning)) |"
    }
    let rows = toolbox.verbs.map { verb -> String in
      let isTable = verb.parameters.count == 1 && verb.parameters[0].name == "options"
      let names = verb.parameters.map { $0.isRequired ? $0.name : "[\($0.name)]" }
      let call = isTable ? " { … }" : "(\(names.joined(separator: ", ")))"
      return "| `\(toolbox.name).\(verb.name)\(call)` | \(cell(verb.meaning)) |"
    }
    return ["| \(toolbox.name) | Does |", "|---|---|"] + fields + rows + [""]
  }

  private static func library() -> [String] {
    ["| | |", "|---|---|", "| globals | \(words(PolicyAPI.globals)) |"]
      + PolicyAPI.libraries.map { "| `\($0.name)` | \(words($0.members)) |" } + [""]
  }

  /// A default is Lua, or a few words.
  private static func code(_ standard: String) -> String {
    let isCode = !standard.contains(" ") || standard.hasPrefix("{")
    return cell(isCode ? "`\(standard)`" : standard)
  }

  private static func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
