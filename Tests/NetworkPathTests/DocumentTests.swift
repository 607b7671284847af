import Foundation
import Testing

/// What the documentation shows is text of a file that is compiled and run.
struct DocumentTests {
  private static let top = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func texts(_ folder: String, _ kind: String) throws -> [String] {
    let place = top.appending(path: folder)
    return try FileManager.default.contentsOfDirectory(atPath: place.path)
      .filter { $0.hasSuffix(kind) }
      .map { try String(contentsOf: place.appending(path: $0), encoding: .utf8) }
  }

  @Test func `each snippet is part of a compiled file`() throws {
    let code = try ["Examples", "Examples/FromApple", "Tests/NetworkPathTests"].flatMap {
      try Self.texts($0, ".swift")
    }
    var found = 0
    for page in try Self.texts("Sources/NetworkPath/NetworkPath.docc", ".md") {
      for block in page.components(separatedBy: "```swift\n").dropFirst() {
        let snippet = try #require(block.components(separatedBy: "```").first)
        found += 1
        #expect(code.contains { $0.contains(snippet) }, "\(snippet)")
      }
    }
    #expect(found >= 4)
  }

  @Test func `every public name is said in the documentation`() throws {
    let pages = try Self.texts("Sources/NetworkPath/NetworkPath.docc", ".md").joined()
    for source in try Self.texts("Sources/NetworkPath", ".swift") {
      for line in source.split(separator: "\n") where line.hasPrefix("public ") {
        let match = line.firstMatch(of: /(?:struct|class|enum|protocol) (\w+)/)
        guard let name = match?.output.1, name != "IPAddress" else { continue }
        #expect(pages.contains(name), "\(name)")
      }
    }
  }
}
