import PathActions
import PathCore
import PathPolicy

/// `netvane check`: loads and validates, runs nothing.
///
/// With `--json` one object a line: `event` is `policy` (policy, state: ok, off or bad, detail; of
/// a bad one also file, line) or `warning` (policy, file, line, message).
struct CheckCommand {
  let options: CheckOptions
  let console: Console

  func perform() -> Int32 {
    let configuration: Configuration
    let directory: PolicyDirectory
    do throws(ConfigurationError) {
      configuration = try Places.configuration(options.config)
    } catch {
      console.complain("netvane: \(visible(error.located))")
      return 2
    }
    do throws(PolicyDirectory.Unreadable) {
      directory = try PolicyDirectory(reading: options.directory)
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 2
    }
    let runtime = PolicyRuntime()
    let set = runtime.load(directory.scripts, refused: directory.refused, reason: .start) {
      configuration.settings(for: $0)
    }
    for policy in set.loaded { show(policy) }
    for fault in set.rejected { show(fault) }
    let warnings = warn(directory, set, configuration)
    if set.loaded.isEmpty, set.rejected.isEmpty {
      console.complain(
        "netvane: \(visible(options.directory)) holds no policies (files named *.lua)")
      return 3
    }
    if !set.rejected.isEmpty { return 2 }
    return options.strict && warnings > 0 ? 1 : 0
  }

  /// Says what looks wrong; how much there was.
  private func warn(
    _ directory: PolicyDirectory, _ set: PolicySet, _ configuration: Configuration
  ) -> Int {
    // Without a configuration nothing is granted, which is no mistake of the policies'.
    let grants = configuration.hash == nil ? nil : configuration.grants
    var count = 0
    for policy in set.loaded {
      guard let script = directory.scripts.first(where: { $0.name == policy.name }) else {
        continue
      }
      for advice in PolicyAdvice.advice(on: script, policy, grants: grants) {
        show(advice, policy.name)
        count += 1
      }
    }
    let names = directory.scripts.map(\.name) + directory.refused.map(\.policy)
    for advice in PolicyAdvice.advice(onTests: directory.testFiles, policies: names) {
      show(advice, "")
      count += 1
    }
    for note in Self.notes(on: configuration, policies: directory.scripts.map(\.name)) {
      if options.json {
        object("warning", "") { $0.member("message", note) }
      } else {
        console.print("\(console.styled("note", .yellow))\t\(visible(note))")
      }
      count += 1
    }
    return count
  }

  /// What looks wrong in a configuration that can be used; `run` says it too.
  static func notes(on configuration: Configuration, policies: [String]) -> [String] {
    configuration.straySettings(policies: policies)
      + ProgramTrust.warnings(on: configuration.grants, file: configuration.file)
  }

  // MARK: Showing

  private func show(_ policy: PolicyDeclaration) {
    if options.json {
      object("policy", policy.name) { writer in
        writer.member("state", policy.isEnabled ? "ok" : "off")
        writer.member("detail", policy.about)
      }
      return
    }
    let state = policy.isEnabled ? console.styled("ok", .green) : console.styled("off", .faint)
    console.print("\(state)\t\(visible(policy.name))\t\(visible(policy.about))")
  }

  private func show(_ fault: PolicyFault) {
    if options.json {
      object("policy", fault.policy) { writer in
        writer.member("state", "bad")
        writer.member("detail", fault.message)
        writer.member("file", fault.file)
        writer.member("line", fault.line)
      }
      return
    }
    console.print("\(console.styled("bad", .red))\t\(visible(fault.located))")
  }

  private func show(_ advice: PolicyAdvice, _ policy: String) {
    if options.json {
      object("warning", policy) { writer in
        writer.member("file", advice.file)
        writer.member("line", advice.line)
        writer.member("message", advice.message)
      }
      return
    }
    console.print("\(console.styled("warn", .yellow))\t\(visible(advice.located))")
  }

  private func object(
    _ event: String, _ policy: String, _ body: (inout JSONWriter) -> Void
  ) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("event", event)
      if !policy.isEmpty { writer.member("policy", policy) }
      body(&writer)
    }
    console.print(writer.text)
  }
}
