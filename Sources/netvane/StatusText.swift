import PathCore
import PathDaemon

/// What `status` says, as plain lines: how the network is, and how the daemon is if there is one.
/// Everything that somebody else chose is made visible.
enum StatusText {
  /// Of a name and what is between it and its value.
  static let nameWidth = 13
  /// Of a list; the rest is in the JSON.
  private static let entriesMost = 40
  /// Published values of a policy, and characters of one.
  private static let valuesMost = 8
  private static let valueMost = 60

  static func lines(_ path: Path) -> [String] {
    var lines = [
      row("status", path.status.rawValue), row("why", visible(path.why)),
      row("interfaces", list(path.interfaces)), row("could serve", list(path.alternatives)),
      row("ipv4", family(path.ipv4)), row("ipv6", family(path.ipv6)),
      row("dns", path.supportsDNS ? "yes" : "no"),
    ]
    if path.status == .satisfied {
      let source = path.expensiveSource.rawValue
      lines.append(row("expensive", path.isExpensive ? "yes (\(source))" : "no"))
      lines.append(row("constrained", path.isConstrained ? "yes" : "no"))
    }
    if let network = path.network {
      lines.append(row("network", visible(network.name ?? network.id)))
    }
    return lines
  }

  static func lines(_ report: StatusReport) -> [String] {
    var lines = Self.lines(report.path)
    lines.append(
      row(
        "daemon",
        "netvane \(visible(report.version)), process \(report.process), since "
          + "\(report.started.civil.date) \(ReportText.clock(report.started))"
          + (report.isDryRun ? ", dry run: it acts on nothing" : "")))
    let policies = report.engine.policies
    lines += section("policies", policies.flatMap { Self.policy($0, width(policies.map(\.name))) })
    lines += section(
      "not taken",
      report.engine.files.map { sentence(visible($0.located), "what was read before holds") })
    lines += section("alerts", AlertText.short(report.engine.alerts))
    lines += section("timers", policies.flatMap(timers))
    lines += section("actions", policies.flatMap(actions))
    lines += section("published", policies.flatMap(published))
    lines += section(
      "refused",
      report.refusals.map { refusal in
        let action = refusal.report
        return visible("\(action.policy)  \(action.key): \(action.kind), \(action.detail)")
          + " (\(ReportText.clock(refusal.time)))"
      })
    return lines
  }

  // MARK: The path

  private static func row(_ name: String, _ value: String) -> String {
    name + String(repeating: " ", count: max(1, nameWidth - name.count)) + value
  }

  private static func list(_ interfaces: [PathInterface]) -> String {
    if interfaces.isEmpty { return "none" }
    return interfaces.map { visible("\($0.name) (\($0.type))") }.joined(separator: ", ")
  }

  private static func family(_ family: FamilyPath?) -> String {
    guard let family else { return "no" }
    let gateways = family.gateways.map(\.description).joined(separator: ", ")
    return visible("by \(family.interface.name)\(gateways.isEmpty ? "" : " through \(gateways)")")
  }

  // MARK: Policies

  /// A heading and its entries, two spaces in; nothing when there are none.
  private static func section(_ name: String, _ entries: [String]) -> [String] {
    if entries.isEmpty { return [] }
    var lines = [name] + entries.prefix(entriesMost).map { "  " + $0 }
    let left = entries.count - entriesMost
    if left > 0 { lines.append("  and \(left) more (--json has all)") }
    return lines
  }

  static func width(_ names: [String]) -> Int {
    min(32, names.map { visible($0).count }.max() ?? 0)
  }

  static func padded(_ text: String, _ width: Int) -> String {
    let shown = visible(text)
    return shown + String(repeating: " ", count: max(0, width - shown.count) + 2)
  }

  private static func policy(_ policy: EngineStatus.Policy, _ width: Int) -> [String] {
    let about: String
    switch policy.standing {
    case .running, .disabled: about = policy.about
    case .resting(let left, let why):
      about = "for another \(left.wholeSeconds)" + (why.map { " after: \($0)" } ?? "")
    case .rejected(let why): about = sentence(why, "it was not loaded")
    }
    let head = padded(policy.name, width) + padded(policy.standing.word, 8) + visible(about)
    var lines = [trimmed(head)]
    let indent = String(repeating: " ", count: width + 2)
    if let edit = policy.edit {
      lines.append(
        "\(indent)edit not taken: " + sentence(visible(edit), "the version before it runs"))
    }
    if let fault = policy.fault { lines.append("\(indent)its last call failed: \(visible(fault))") }
    for monitor in policy.monitors {
      guard let pending = monitor.pending else { continue }
      let name = monitor.name == "internet" ? "" : "\(visible(monitor.name)): "
      lines.append(
        "\(indent)\(name)\(pending.status.rawValue) is pending, to be told in "
          + pending.due.wholeSeconds)
    }
    return lines
  }

  /// What is wrong may be a question: `did you mean …?`
  static func sentence(_ wrong: String, _ instead: String) -> String {
    wrong.hasSuffix("?") ? "\(wrong) – \(instead)" : "\(wrong); \(instead)"
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  // MARK: What runs or waits

  private static func timers(_ policy: EngineStatus.Policy) -> [String] {
    policy.timers.map { timer in
      visible("\(policy.name)  \(timer.name): ")
        + (timer.due > .zero ? "in \(timer.due.wholeSeconds)" : "due")
        + (timer.isRecurring ? ", recurring" : "")
    }
  }

  private static func actions(_ policy: EngineStatus.Policy) -> [String] {
    policy.actions.map { action in
      let state =
        switch action.state {
        case .running: "running" + (action.attempt > 1 ? ", try \(action.attempt)" : "")
        case .waiting(let left): "try \(action.attempt + 1) in \(left.wholeSeconds)"
        case .waitingForPath: "try \(action.attempt + 1) waits for the path"
        case .waitingForTurn:
          (action.attempt > 0 ? "try \(action.attempt + 1) " : "") + "waits for its turn"
        }
      return visible("\(policy.name)  \(action.key): \(action.kind), ") + state
        + (action.hasPending ? ", another one waits behind it" : "")
    }
  }

  /// A policy's values are on one line.
  private static func published(_ policy: EngineStatus.Policy) -> [String] {
    if policy.published.isEmpty { return [] }
    let values = policy.published.prefix(valuesMost).map { entry in
      let value = entry.value.jsonText
      return "\(entry.name) = " + (value.count > valueMost ? value.prefix(valueMost) + "…" : value)
    }
    let left = policy.published.count - valuesMost
    return [
      visible("\(policy.name)  \(values.joined(separator: ", "))")
        + (left > 0 ? " and \(left) more" : "")
    ]
  }
}
