import PathCore

/// Monitors, alerts and actions: what a policy watches and does.
extension PolicyReader {
  // MARK: Monitors

  /// A monitor counts as used where its name stands, or where the text asks which monitor an event
  /// is of without saying what the answers may be.
  mutating func lookAtMonitors() {
    guard declaration.monitors.count > 1, let first = declaration.monitors.first else { return }
    let table = monitorTable()
    if all.contains(where: { $0.asksForAnyMonitor }) { return }
    var named: Set<String> = []
    for text in all {
      for (place, word) in text.words.enumerated() where word.kind != .symbol {
        if text.file == own.file, let table, table.contains(place) { continue }
        named.insert(word.text)
      }
    }
    for monitor in declaration.monitors.dropFirst() where !named.contains(monitor.name) {
      let place = table.flatMap { table in
        table.first { own[$0]?.text == monitor.name }
      }
      say(
        place.map { own.words[$0].line } ?? 1,
        "the monitor '\(monitor.name)' is never named: its events reach on_path mixed with those "
          + "of '\(first.name)'; look at ev.monitor, or take it out")
    }
  }

  /// The words of `monitors = { … }`.
  private func monitorTable() -> ClosedRange<Int>? {
    for place in own.words.indices
    where own.isName("monitors", at: place) && own.isSymbol("=", at: place + 1) {
      if let end = own.end(ofBracketAt: place + 2) { return place + 2...end }
    }
    return nil
  }

  // MARK: Alerts

  mutating func lookAtAlerts() {
    guard let resolved = resolvedKeys() else { return }
    var lasting: [(key: String, line: Int)] = []
    var ending = resolved
    for text in all {
      for place in text.words.indices where text.isName("raise", at: place) {
        let table = text.argument(ofCallAt: place)
        guard let entries = text.entries(ofTableAt: table), let value = entries["key"],
          text.isWhole(at: value), let key = text.plainString(at: value)
        else {
          // Whatever alert that is, it may be one of the others with an end.
          if text.isSymbol(".", at: place - 1) { return }
          continue
        }
        if EngineLimits.ownAlertKeys.contains(key) { continue }
        if entries["expires"] != nil {
          ending.insert(key)
        } else if text.file == own.file {
          lasting.append((key, text.words[place].line))
        }
      }
    }
    var told: Set<String> = []
    for alert in lasting where !ending.contains(alert.key) && told.insert(alert.key).inserted {
      say(
        alert.line,
        "the alert '\(alert.key)' stays for ever: nothing resolves it and it does not expire; add "
          + "ctx.alert.resolve(\"\(alert.key)\") or `expires`")
    }
  }

  /// Keys of Netvane's own alerts: a call with one is refused when it is made.
  mutating func lookAtOwnKeys() {
    for (place, word) in own.words.enumerated()
    where word.kind == .name && Self.keyedVerbs.contains(word.text) {
      let argument = own.argument(ofCallAt: place)
      let entry = own.entries(ofTableAt: argument)?["key"]
      guard let key = own.plainString(at: entry ?? argument),
        entry.map({ own.isWhole(at: $0) }) ?? true, EngineLimits.ownAlertKeys.contains(key)
      else { continue }
      say(own.words[entry ?? place].line, "the key '\(key)' is Netvane's own; take another")
    }
  }

  private static let keyedVerbs: Set<String> = [
    "exec", "http", "open_url", "raise", "resolve", "retry",
  ]

  /// The keys of the alerts that are resolved somewhere; nil when they cannot be known.
  private func resolvedKeys() -> Set<String>? {
    var keys: Set<String> = []
    for text in all {
      if text.picksVerbs { return nil }
      for (place, word) in text.words.enumerated() where word.text == "resolve" {
        guard word.kind == .name else { return nil }
        let argument = text.argument(ofCallAt: place)
        guard let key = text.plainString(at: argument),
          argument == place + 1 || text.isSymbol(")", at: argument + 1)
        else { return nil }
        keys.insert(key)
      }
    }
    return keys
  }

  // MARK: Actions

  mutating func lookAtActions(_ grants: Grants) {
    for place in own.words.indices {
      guard let word = own[place], word.kind == .name else { continue }
      // `ctx.exec { … }`, and `exec = { … }` in a retry.
      let table = own.isSymbol("=", at: place + 1) ? place + 2 : own.argument(ofCallAt: place)
      switch word.text {
      case "exec": lookAtCommand(table, grants)
      case "http": lookAtURL(table, "http", grants.http)
      case "open_url": lookAtURL(table, "open_url", grants.openURL)
      default: break
      }
    }
  }

  private mutating func lookAtCommand(_ table: Int, _ grants: Grants) {
    guard let place = own.entries(ofTableAt: table)?["command"], own.isWhole(at: place),
      let name = own.plainString(at: place), grants.commands[name] == nil
    else { return }
    let near =
      nearestWord(to: name, in: grants.commands.keys.sorted()).map { "; did you mean '\($0)'?" }
      ?? "; grant it in the configuration, under grants.exec"
    say(own.words[place].line, "the command '\(name)' is not granted\(near)")
  }

  private mutating func lookAtURL(_ table: Int, _ kind: String, _ granted: [HostPattern]) {
    guard let place = own.entries(ofTableAt: table)?["url"], own.isWhole(at: place),
      let text = own.plainString(at: place)
    else { return }
    do throws(ActionRefusal) {
      let url = try ActionURL(text)
      if granted.contains(where: { $0.matches(url.host) }) { return }
      say(
        own.words[place].line,
        "the host \(url.host) is not granted; grant it in the configuration, under grants.\(kind)")
    } catch {
      say(own.words[place].line, error.message)
    }
  }
}

extension LuaText {
  /// Whether the text asks for the monitor of an event, or for the path of a monitor, in a way that
  /// may mean any of them.
  var asksForAnyMonitor: Bool {
    for (place, word) in words.enumerated() where word.kind == .name {
      switch word.text {
      case "monitor" where isSymbol(".", at: place - 1):
        guard isSymbol("==", at: place + 1) || isSymbol("~=", at: place + 1),
          plainString(at: place + 2) != nil
        else { return true }
      case "path" where isSymbol(".", at: place - 1):
        let argument = argument(ofCallAt: place)
        if plainString(at: argument) == nil { return true }
      case "ev", "previous":
        // `ev[field]`, or the fields one after the other.
        if isSymbol("[", at: place + 1)
          || isSymbol("(", at: place - 1) && isName("pairs", at: place - 2)
        {
          return true
        }
      default: break
      }
    }
    return false
  }
}
