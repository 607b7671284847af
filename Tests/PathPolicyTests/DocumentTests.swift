import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What the README shows must work as it stands there.
struct DocumentTests {
  static func blocks() throws -> [String] {
    let bytes = try ScriptFile.read(Repository.path("README.md"))
    let text = String(decoding: bytes, as: UTF8.self)
    return text.components(between: "```lua\n", and: "```")
  }

  @Test func `each example is a policy or a configuration`() throws {
    let blocks = try Self.blocks()
    #expect(blocks.count >= 2)
    var policies = 0
    for block in blocks {
      if block.contains("api =") {
        policies += 1
        let rig = Rig(block)
        #expect(rig.rejections == [])
        rig.online()
        rig.offline()
        rig.online()
        rig.simulator.advance(.seconds(6))
        #expect(rig.faults == [])
        #expect(rig.simulator.log.count > 1)
      } else {
        let config = try ConfigurationReader.parse(Array(block.utf8), file: "config.lua")
        try use(config)
      }
    }
    #expect(policies >= 1)
  }

  /// The settings shown are those of policies that ship, and fit them.
  private func use(_ config: Configuration) throws {
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    #expect(config.straySettings(policies: directory.scripts.map(\.name)) == [])
    let set = PolicyRuntime().load(directory.scripts, reason: .start) { config.settings(for: $0) }
    #expect(set.rejected == [])
  }

  @Test func `the policies that ship are the ones in the table`() throws {
    let text = String(
      decoding: try ScriptFile.read(Repository.path("README.md")), as: UTF8.self)
    for script in try PolicyDirectory(reading: Repository.path("policies")).scripts {
      #expect(text.contains("| `\(script.name)` |"))
    }
  }
}

extension String {
  fileprivate func components(between open: String, and close: String) -> [String] {
    var found: [String] = []
    var rest = self[...]
    while let start = rest.firstRange(of: open) {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: close) else { break }
      found.append(String(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return found
  }
}
