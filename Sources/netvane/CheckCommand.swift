import PathCore
import PathPolicy

/// `netvane check`: loads and validates, runs nothing.
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
    for policy in set.loaded {
      let state = policy.isEnabled ? console.styled("ok", .green) : console.styled("off", .faint)
      console.print("\(state)\t\(visible(policy.name))\t\(visible(policy.about))")
    }
    for fault in set.rejected {
      console.print("\(console.styled("bad", .red))\t\(visible(fault.located))")
    }
    for stray in configuration.straySettings(policies: directory.scripts.map(\.name)) {
      console.print("\(console.styled("note", .yellow))\t\(visible(stray))")
    }
    if set.loaded.isEmpty, set.rejected.isEmpty {
      console.complain(
        "netvane: \(visible(options.directory)) holds no policies (files named *.lua)")
      return 3
    }
    return set.rejected.isEmpty ? 0 : 2
  }
}
