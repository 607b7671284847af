import Foundation
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

/// A directory that comes to hold more policies than run, while the daemon does.
@Suite struct ManyPoliciesTests {
  private let root = NSTemporaryDirectory() + "netvane-many-\(UUID().uuidString)"

  private func write(_ prefix: String, _ numbers: Range<Int>) throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    for number in numbers {
      let text = Data("return { api = 1, on_path = function() end }".utf8)
      try text.write(to: URL(filePath: "\(root)/\(prefix)\(1000 + number).lua"))
    }
  }

  @Test func `at a reload too the policies beyond 256 are refused, and those that run stay`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try write("m", 0..<250)
    let place = PolicyPlace(directory: root)
    let runtime = PolicyRuntime()
    var reading = place.read(
      after: PolicyPlace.Reading(scripts: [], refused: [], configuration: Configuration()),
      running: { _ in false })
    let first = runtime.load(reading.scripts, refused: reading.refused, reason: .start)
    let running = Set(first.loaded.map(\.name))
    #expect(running.count == 250)
    // Before all the others by name.
    try write("a", 0..<10)
    reading = place.read(
      after: reading, running: running.contains)
    let second = runtime.load(
      reading.scripts, refused: reading.refused + reading.faults, reason: .reload)
    #expect(second.loaded.count == 256)
    #expect(running.isSubset(of: second.loaded.map(\.name)))
    #expect(second.rejected.map(\.policy) == (6..<10).map { "a\(1000 + $0)" })
    #expect(second.rejected.allSatisfy { $0.message.contains("at most 256 run") })
  }
}
