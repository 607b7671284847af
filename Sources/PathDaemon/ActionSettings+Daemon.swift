import Glibc
package import PathActions
import PathPolicy

/// The actions of a run, as its configuration and Netvane's own environment have them.
extension ActionSettings {
  package init(_ settings: DaemonSettings) {
    self.init(
      grants: settings.configuration.grants, isDryRun: settings.isDryRun,
      version: settings.version, environment: Self.ownEnvironment())
  }

  /// environ(7). What is no text is left out.
  static func ownEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text))
      let line = unsafe String(validating: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let line, let equals = line.firstIndex(of: "=") {
        variables[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
      unsafe entry += 1
    }
    return variables
  }
}
