import Glibc
import PathCore
import PathPolicy

/// Where a run's policies and its configuration are, to be read again when they change.
package struct PolicyPlace: Hashable, Sendable {
  package var directory: String
  /// Where the configuration may be; the first that is there counts.
  package var configurations: [String]

  package init(directory: String, configurations: [String] = []) {
    self.directory = directory
    self.configurations = configurations
  }

  /// What is there now. What cannot be read stays as it was `before`, and the faults say why. Of
  /// too many policies those that are `running` keep their places.
  func read(
    after before: Reading,
    running: (String) -> Bool
  ) -> Reading {
    var reading = before
    reading.faults = []
    do throws(PolicyDirectory.Unreadable) {
      let found = try PolicyDirectory(
        reading: directory, withTests: true, running: running)
      reading.scripts = found.scripts
      reading.tests = found.tests
      reading.refused = found.refused
    } catch {
      let name = directory.hasSuffix("/") ? directory : directory + "/"
      reading.refuse(name, file: "", line: 0, error.message)
    }
    do throws(ConfigurationError) {
      if let configuration = try configuration(wasThere: before.configuration.hash != nil) {
        reading.configuration = configuration
      }
    } catch {
      reading.refuse(
        error.file.contains("/") ? error.file : "./" + error.file, file: error.file,
        line: error.line, error.message)
    }
    return reading
  }

  /// A configuration that is gone takes back nothing: who puts a new one in its place may remove
  /// the old one first.
  private func configuration(wasThere: Bool) throws(ConfigurationError) -> Configuration? {
    if let path = configurations.first(where: { unsafe access($0, F_OK) == 0 }) {
      return try ConfigurationReader.read(path)
    }
    guard wasThere, let path = configurations.first else { return nil }
    throw ConfigurationError(
      file: path, line: 0,
      message: "it is gone; what it said holds until it is back, or until Netvane starts anew")
  }

  struct Reading {
    var scripts: [PolicyScript]
    /// The tests of these.
    var tests: [PolicyScript] = []
    /// Files that are no policies, as `PolicyDirectory` has them.
    var refused: [PolicyFault]
    var configuration: Configuration
    /// What policies share and could not be read: their names have a slash.
    var faults: [PolicyFault] = []

    fileprivate mutating func refuse(
      _ name: String, file: String, line: Int, _ message: String
    ) {
      faults.append(
        PolicyFault(
          policy: name, handler: nil, kind: .load, file: file, line: line, message: message))
    }
  }
}
