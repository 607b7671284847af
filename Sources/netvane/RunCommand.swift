import PathCore
import PathDaemon
import PathPolicy

/// `netvane run`: the main job.
struct RunCommand {
  let options: RunOptions
  let console: Console

  func perform() -> Int32 {
    guard let directory = Places.policies(options.directory) else {
      console.complain("netvane: there are no policies to run; looked in:")
      for place in Places.usual("policies") { console.complain("  \(place)") }
      console.complain("Name a directory: netvane run DIR")
      return 2
    }
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Places.configuration(options.config)
    } catch {
      console.complain("netvane: \(visible(error.located))")
      return 2
    }
    let scripts: PolicyDirectory
    do throws(PolicyDirectory.Unreadable) {
      scripts = try PolicyDirectory(reading: directory, withTests: true)
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 2
    }
    if let shadow = options.shadow, !isReadable(shadow) { return 2 }
    return run(scripts, configuration, directory)
  }

  /// Says why not.
  private func isReadable(_ directory: String) -> Bool {
    do throws(PolicyDirectory.Unreadable) {
      _ = try PolicyDirectory(reading: directory)
      return true
    } catch {
      console.complain("netvane: --shadow: \(visible(error.message))")
      return false
    }
  }

  private func run(
    _ directory: PolicyDirectory, _ configuration: Configuration, _ path: String
  ) -> Int32 {
    if directory.scripts.isEmpty, directory.refused.isEmpty {
      console.complain("netvane: \(visible(path)) holds no policies (files named *.lua)")
      return 3
    }
    let names = directory.scripts.map(\.name)
    for note in CheckCommand.notes(on: configuration, policies: names) {
      console.complain("netvane: \(visible(note))")
    }
    var settings = DaemonSettings(
      scripts: directory.scripts, refused: directory.refused, configuration: configuration,
      version: netvaneVersion)
    settings.tests = directory.tests
    settings.place = PolicyPlace(
      directory: path, configurations: Places.configurations(options.config))
    settings.check = Gate.fault
    settings.shadow = options.shadow
    settings.isDryRun = options.dryRun
    settings.state = options.state
    settings.control = Places.ownControl(options.control)
    settings.record = options.record
    settings.overwritesRecord = options.overwritesRecord
    settings.redacts = options.redact
    let reporter = Reporter(
      console: console, isJSON: options.json,
      offersButtons: !options.json && isTerminal())
    let daemon: Daemon
    do throws(DaemonError) {
      daemon = try Daemon(settings: settings, delegate: reporter)
    } catch {
      console.complain("netvane: \(visible(error.message))")
      switch error {
      case .state, .record: return 2
      case .loop: return 1
      }
    }
    do throws(LoopError) {
      return try daemon.run()
    } catch {
      console.complain("netvane: \(visible(error.message))")
      return 1
    }
  }
}
