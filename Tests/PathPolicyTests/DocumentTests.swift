import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What the documents show must work as it stands there.
struct DocumentTests {
  static let documents = ["README.md", "CONTRIBUTING.md", "policies/README.md"]

  private static func text(_ document: String) throws -> String {
    String(decoding: try ScriptFile.read(Repository.path(document)), as: UTF8.self)
  }

  static func blocks(_ document: String) throws -> [String] {
    try text(document).components(between: "```lua\n", and: "```")
  }

  @Test func `the documents have examples of each kind`() throws {
    let all = try Self.documents.flatMap(Self.blocks)
    #expect(all.count { $0.contains("api = 1") } >= 2)
    #expect(all.contains { $0.hasPrefix("return {") })
    #expect(all.contains { $0.contains("policy.test") })
    #expect(all.contains { $0.hasPrefix("ctx.") } && all.contains { $0.hasPrefix("function ") })
  }

  @Test(arguments: documents) func `each example works`(document: String) throws {
    for block in try Self.blocks(document) {
      if block.contains("require \"policy.test\"") {
        try tryTest(block)
      } else if block.contains("api = 1") {
        tryPolicy(block)
      } else if block.hasPrefix("return {") {
        try use(try ConfigurationReader.parse(Array(block.utf8), file: "config.lua"))
      } else if block.hasPrefix("ctx.") {
        tryPolicy(
          "local policy = { api = 1 } function policy.on_path(ctx, ev)\n\(block)\nend return policy"
        )
      } else if block.hasPrefix("monitors =") {
        tryPolicy("return { api = 1, \(block), on_path = function(ctx) ctx.log 'x' end }")
      } else {
        #expect(block.contains("policy."), "what kind of example is this?\n\(block)")
        tryPolicy("local policy = { api = 1 }\n\(block)\nreturn policy")
      }
    }
  }

  /// Through two outages.
  private func tryPolicy(_ text: String) {
    let rig = Rig(text)
    #expect(rig.rejections == [])
    rig.online()
    rig.offline()
    rig.online()
    rig.simulator.advance(.seconds(6))
    #expect(rig.faults == [])
    #expect(rig.simulator.log.count > 1)
  }

  /// A test's own lines, with a stand-in for what it requires: each verb is known, and does
  /// nothing. What the cases do is for the runner of tests to try.
  private func tryTest(_ text: String) throws {
    let verbs = try #require(PolicyAPI.testToolboxes.first).verbs.map(\.name)
    let stub = "return { \(verbs.map { "[\"\($0)\"] = function() end" }.joined(separator: ", ")) }"
    let rig = Rig(
      "require 'example' return { api = 1 }", modules: ["policy.test": stub, "example": text])
    #expect(rig.rejections == [])
  }

  /// The settings shown are those of policies that ship, and fit them.
  private func use(_ config: Configuration) throws {
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    #expect(config.straySettings(policies: directory.scripts.map(\.name)) == [])
    let set = PolicyRuntime().load(directory.scripts, reason: .start) { config.settings(for: $0) }
    #expect(set.rejected == [])
  }

  @Test func `the policies that ship are the ones in the table`() throws {
    let text = try Self.text("README.md")
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
