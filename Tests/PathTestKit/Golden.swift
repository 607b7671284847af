import Foundation

/// Transcripts kept as files. `NETVANE_BLESS=1` writes them anew, except in CI.
package struct Golden {
  package var name: String
  package var lines: [String]

  package init(_ name: String, _ lines: [String]) {
    self.name = name
    self.lines = lines
  }

  /// What is wrong; nil when the transcript is the one that was blessed.
  package func complaint(
    in folder: String = "Tests/PathCoreTests/Golden",
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    let path = Repository.path("\(folder)/\(name).trace")
    let text = lines.joined(separator: "\n") + "\n"
    if environment["NETVANE_BLESS"] == "1" {
      if environment["CI"] != nil { return "NETVANE_BLESS is refused in CI" }
      do {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return nil
      } catch {
        return "\(path): \(error)"
      }
    }
    guard let blessed = try? String(contentsOfFile: path, encoding: .utf8) else {
      return "\(path) cannot be read; NETVANE_BLESS=1 writes it"
    }
    if blessed == text { return nil }
    let old = blessed.split(separator: "\n", omittingEmptySubsequences: false)
    let new = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(old, new).prefix { $0 == $1 }.count
    return "\(name).trace differs from line \(line + 1):\n"
      + "  blessed: \(line < old.count ? old[line] : "(end)")\n"
      + "  now:     \(line < new.count ? new[line] : "(end)")"
  }
}
