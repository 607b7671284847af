import Testing

struct PublicSymbolsTests {
  @Test func `every public symbol of the library has a doc comment`() {
    let files = SourceTree.sources.filter { PublicSymbols.rooms.contains($0.room) }
    #expect(files.count > 15)
    for finding in files.flatMap(PublicSymbols.check) { Issue.record("\(finding)") }
  }

  @Test(arguments: [
    "public struct A {}", "/// A.\n\npublic struct A {}", "public var a = 1",
    "// A.\npublic func a() {}", "@preconcurrency public var a = 1",
    "@MainActor @Observable public final class A {}", "public static let a = 1",
    "/// A.\npublic enum A {\n  case a\n}",
    "/// A.\npublic enum A {\n  /// A.\n  case a\n  case b\n}",
    "/// A.\npublic protocol A {\n  var a: Int { get }\n}",
    "/// A.\npublic protocol A {\n  init?(_ a: Int)\n}",
    "/// A.\npublic private(set) var a = 1\npublic init() {}",
  ])
  func `one without is found`(_ text: String) {
    #expect(check(text).count == 1)
  }

  @Test(arguments: [
    "/// A.\npublic struct A {}", "/// A.\n@frozen\npublic struct A {}", "struct A {}",
    "/// A.\npublic enum A {\n  /// A.\n  case a\n}", "enum A {\n  case a\n}",
    "public import A\n@_exported public import B",
    "/// A.\npublic enum A {\n  /// A.\n  public var a: Int {\n    switch b {\n    case .a: 1",
    "/// A.\npublic enum A {\n  private enum B {\n    case b\n  }\n}",
    "let a = \"public struct A {}\"",
  ])
  func `one with is let through, and what is not public`(_ text: String) {
    #expect(check(text).isEmpty)
  }

  private func check(_ text: String) -> [Finding] {
    PublicSymbols.check(SourceFile(path: "Sources/NetworkPath/A.swift", text: text))
  }
}
