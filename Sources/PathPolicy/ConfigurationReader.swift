import PathCore

/// Reads the configuration file: a Lua chunk that returns plain data, run in the same sandbox as
/// policies. Unknown words are errors that name the nearest valid one.
package struct ConfigurationReader {
  private let file: String
  private let source: [UInt8]
  private var configuration = Configuration()

  /// Reads the file at `path`. Who may write it could grant themselves anything, and its other
  /// settings steer what runs as this user too.
  package static func read(_ path: String) throws(ConfigurationError) -> Configuration {
    let source: [UInt8]
    do throws(ScriptFile.Refusal) {
      source = try ScriptFile.read(path)
    } catch {
      throw ConfigurationError(file: path, line: 0, message: error.message)
    }
    return try parse(source, file: path)
  }

  /// Reads the text of a configuration; `file` is its name in messages.
  package static func parse(
    _ source: [UInt8], file: String
  ) throws(ConfigurationError) -> Configuration {
    let value: PlainValue
    do throws(LuaState.Failure) {
      let lua = try LuaState(deadline: .milliseconds(250))
      try lua.load(file: file, source: source, fuel: 5_000_000)
      var request = PlainWriter()
      request.array(1)
      request.text("plain")
      value = try unsafe lua.call(request, fuel: 5_000_000) { bytes, _ in
        unsafe OutcomeDecoder.value(bytes).flatMap { PlainReader.decode($0) } ?? .null
      }
    } catch {
      let line = error.line > 0 ? error.line : lineOfData(error.message, in: source)
      throw ConfigurationError(
        file: error.file.isEmpty ? file : error.file, line: line, message: error.message)
    }
    var reader = ConfigurationReader(file: file, source: source)
    try reader.take(value)
    return reader.configuration
  }

  private init(file: String, source: [UInt8]) {
    self.file = file
    self.source = source
    configuration.file = file
    var hash = ContentHash()
    hash.add(source)
    configuration.hash = hash.text
  }

  /// The line of what cannot be plain data: the message begins with the way to it, as in
  /// `policies.x.f: a function is not plain data`.
  private static func lineOfData(_ message: String, in source: [UInt8]) -> Int {
    let way = message.prefix { $0 != ":" }.split { ".[]".contains($0) }
    for word in way.reversed() {
      let line = SourceWords.line(of: String(word), in: source)
      if line > 0 { return line }
    }
    return SourceWords.line(of: "return", in: source)
  }

  private static let keys = [
    "bridge_uplink", "grants", "interfaces", "limits", "lookup", "policies", "underlay",
  ]

  private mutating func take(_ value: PlainValue) throws(ConfigurationError) {
    guard let pairs = value.pairs else {
      throw fail("return", "the configuration returns a table, not \(article(value))")
    }
    for pair in pairs {
      let key = try word(pair.key, in: Self.keys, of: "the configuration")
      switch key {
      case "interfaces": try takeInterfaces(pair.value)
      case "underlay": try takeUnderlay(pair.value)
      case "lookup": try takeLookup(pair.value)
      case "grants": try takeGrants(pair.value)
      case "policies": try takePolicies(pair.value)
      case "limits": try takeLimits(pair.value)
      default: configuration.countsBridgeUplink = try bool(pair.value, key)
      }
    }
    configuration.interfaces.sort { Configuration.isMoreParticular($0.pattern, $1.pattern) }
    configuration.underlay.sort { Configuration.isMoreParticular($0.pattern, $1.pattern) }
  }

  private mutating func takeInterfaces(_ value: PlainValue) throws(ConfigurationError) {
    for (pattern, value) in try table(value, "interfaces") {
      var rule = Configuration.InterfaceRule(pattern: pattern)
      for pair in try pairs(value, pattern) {
        switch try word(
          pair.key, in: ["type", "expensive", "constrained", "on_demand", "unique_local"],
          of: "the interface '\(pattern)'")
        {
        case "type":
          guard let type = pair.value.text.flatMap({ InterfaceType(word: $0) }) else {
            throw fail(
              pair.value.text ?? "type",
              "\(shown(pair.value)) is no interface type\(hint(pair.value, InterfaceType.words))")
          }
          rule.type = type
        case "on_demand": rule.isOnDemand = try bool(pair.value, "on_demand")
        case "unique_local": rule.acceptsUniqueLocal = try bool(pair.value, "unique_local")
        case "expensive": rule.isExpensive = try bool(pair.value, "expensive")
        default: rule.isConstrained = try bool(pair.value, "constrained")
        }
      }
      configuration.interfaces.append(rule)
    }
  }

  private mutating func takeUnderlay(_ value: PlainValue) throws(ConfigurationError) {
    for (pattern, value) in try table(value, "underlay") {
      guard let name = value.text, !name.isEmpty else {
        throw fail(
          pattern,
          "underlay.\(pattern): expected an interface's name or \"always\", not "
            + article(value))
      }
      configuration.underlay.append(
        Configuration.UnderlayRule(pattern: pattern, interface: name == "always" ? nil : name))
    }
  }

  private mutating func takeLookup(_ value: PlainValue) throws(ConfigurationError) {
    for pair in try pairs(value, "lookup") {
      let key = try word(pair.key, in: ["ipv4", "ipv6"], of: "lookup")
      let family: AddressFamily = key == "ipv4" ? .ipv4 : .ipv6
      guard let address = pair.value.text.flatMap({ IPAddress($0) }), address.family == family,
        !address.isUnspecified, !address.isLoopback, !address.isLinkLocal, !address.isForMany
      else {
        throw fail(
          key,
          "lookup.\(key): expected a global \(key == "ipv4" ? "IPv4" : "IPv6") address, not "
            + shown(pair.value))
      }
      if family == .ipv4 {
        configuration.lookupIPv4 = address
      } else {
        configuration.lookupIPv6 = address
      }
    }
  }

  private mutating func takeGrants(_ value: PlainValue) throws(ConfigurationError) {
    for pair in try pairs(value, "grants") {
      switch try word(pair.key, in: ["exec", "http", "open_url"], of: "grants") {
      case "exec": try takeCommands(pair.value)
      case "http": configuration.grants.http = try hosts(pair.value, "http")
      default: configuration.grants.openURL = try hosts(pair.value, "open_url")
      }
    }
  }

  private mutating func takeCommands(_ value: PlainValue) throws(ConfigurationError) {
    for (name, value) in try table(value, "exec") {
      let arguments = (value.elements ?? []).compactMap(\.text)
      guard let elements = value.elements, !elements.isEmpty, arguments.count == elements.count,
        arguments[0].hasPrefix("/"), !arguments.contains(where: { $0.utf8.contains(0) })
      else {
        throw fail(
          name,
          "grants.exec.\(name): expected a list such as { \"/usr/bin/tool\", \"argument\" }"
            + ", the program with its whole path")
      }
      guard arguments.count <= ActionLimits.arguments,
        arguments.reduce(0, { $0 + $1.utf8.count }) <= ActionLimits.argumentBytes
      else {
        throw fail(
          name,
          "grants.exec.\(name): more than \(ActionLimits.arguments) arguments, or than "
            + "\(ActionLimits.argumentBytes) bytes of them")
      }
      configuration.grants.commands[name] = arguments
    }
  }

  /// A list of hosts that is granted.
  private func hosts(
    _ value: PlainValue, _ name: String
  ) throws(ConfigurationError) -> [HostPattern] {
    guard let elements = value.elements else {
      throw fail(
        name,
        "grants.\(name): expected a list of hosts such as { \"example.com\", \"*.example.org\" }"
          + ", not \(value.pairs == nil ? shown(value) : "a table with names")")
    }
    guard elements.count <= Self.hostsMost else {
      throw fail(name, "grants.\(name): \(elements.count) hosts; \(Self.hostsMost) is the most")
    }
    var patterns: [HostPattern] = []
    for element in elements {
      guard let text = element.text else {
        throw fail(name, "grants.\(name): expected a host, not \(shown(element))")
      }
      do throws(ActionRefusal) {
        patterns.append(try HostPattern(text))
      } catch {
        throw fail(text.isEmpty ? name : text, "grants.\(name): \(error.message)")
      }
    }
    return patterns
  }

  private static let hostsMost = 256

  private mutating func takePolicies(_ value: PlainValue) throws(ConfigurationError) {
    for (name, value) in try table(value, "policies") {
      _ = try pairs(value, name)
      configuration.policies[name] = PlainEncoder.encode(value)
    }
  }

  private mutating func takeLimits(_ value: PlainValue) throws(ConfigurationError) {
    let names = ["deadline_ms", "handler_fuel", "load_fuel", "reconcile_s"]
    for pair in try pairs(value, "limits") {
      let key = try word(pair.key, in: names, of: "limits")
      let range: ClosedRange<Int64> =
        switch key {
        case "deadline_ms": 1...10_000
        case "reconcile_s": 10...86_400
        default: 10_000...1_000_000_000
        }
      guard let number = pair.value.integer, range.contains(number) else {
        throw fail(
          key,
          "limits.\(key): expected a whole number from \(range.lowerBound) to "
            + "\(range.upperBound), not \(shown(pair.value))")
      }
      switch key {
      case "deadline_ms": configuration.limits.deadlineMilliseconds = number
      case "handler_fuel": configuration.limits.callFuel = number
      case "load_fuel": configuration.limits.loadFuel = number
      default: configuration.limits.reconcileSeconds = number
      }
    }
  }
}

// MARK: - Reading values, and saying what is wrong with them

extension ConfigurationReader {
  private func pairs(
    _ value: PlainValue, _ name: String
  ) throws(ConfigurationError) -> [PlainPair] {
    guard let pairs = value.pairs else {
      throw fail(name, "\(name): expected a table { … }, not \(article(value))")
    }
    return pairs
  }

  /// A table whose keys are names.
  private func table(
    _ value: PlainValue, _ name: String
  ) throws(ConfigurationError) -> [(String, PlainValue)] {
    var entries: [(String, PlainValue)] = []
    for pair in try pairs(value, name) {
      guard let key = pair.key.text, !key.isEmpty, key.utf8.count <= 128 else {
        throw fail(name, "\(name): expected a name as key, not \(shown(pair.key))")
      }
      entries.append((key, pair.value))
    }
    return entries
  }

  private func bool(_ value: PlainValue, _ name: String) throws(ConfigurationError) -> Bool {
    guard let bool = value.bool else {
      throw fail(name, "\(name): expected true or false, not \(shown(value))")
    }
    return bool
  }

  private func word(
    _ value: PlainValue, in words: [String], of what: String
  ) throws(ConfigurationError) -> String {
    guard let word = value.text, words.contains(word) else {
      throw fail(
        value.text ?? "return", "\(what) has no \(shown(value))\(hint(value, words))")
    }
    return word
  }

  private func hint(_ value: PlainValue, _ words: [String]) -> String {
    if let near = value.text.flatMap({ nearestWord(to: $0, in: words) }) {
      return "; did you mean '\(near)'?"
    }
    return "; it may be \(words.joined(separator: ", "))"
  }

  private func shown(_ value: PlainValue) -> String {
    switch value {
    case .bytes: "'\(value.text?.prefix(40) ?? "")'"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .bool(let bool): "\(bool)"
    case .null, .array, .map: article(value)
    }
  }

  private func article(_ value: PlainValue) -> String {
    value == .null ? "nothing" : "a \(value.kind)"
  }

  private func fail(_ word: String, _ message: String) -> ConfigurationError {
    ConfigurationError(file: file, line: SourceWords.line(of: word, in: source), message: message)
  }
}

extension IPAddress {
  /// A group, everybody, or reserved: nothing that a route to the internet leads to.
  fileprivate var isForMany: Bool { family == .ipv4 ? low >> 24 >= 224 : high >> 56 == 0xFF }
}
