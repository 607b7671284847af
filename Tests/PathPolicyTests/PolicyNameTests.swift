import PathPolicy
import Testing

struct PolicyNameTests {
  @Test(arguments: ["a", "my-first", "A_1.b", "lib", "test", String(repeating: "n", count: 64)])
  func `a good name is good`(name: String) {
    #expect(PolicyName.problem(name) == nil)
  }

  @Test(arguments: [
    ("my first!", "my-first"), ("a/b", "a-b"), (".hidden", "hidden"), ("x_test", "x"),
    ("x.lua", "x"), ("../x", "x"), ("x_test.lua", "x"),
    (String(repeating: "n", count: 70), String(repeating: "n", count: 64)),
  ]) func `a bad one is answered with the nearest good one`(name: String, near: String) {
    #expect(PolicyName.problem(name) != nil || name.hasSuffix(".lua"))
    #expect(PolicyName.nearest(to: name) == near)
  }

  @Test(arguments: ["", "..", "ä", "_test", "日本"])
  func `where none is near, none is named`(name: String) {
    #expect(PolicyName.problem(name) != nil)
    #expect(PolicyName.nearest(to: name) == nil)
  }

  @Test func `what is good here is what the directory takes`() throws {
    let scratch = Scratch()
    for name in ["good", "x_test", "bad name", ".hidden"] { scratch.write("\(name).lua") }
    let directory = try PolicyDirectory(reading: scratch.path)
    #expect(directory.scripts.map(\.name) == ["good"])
    #expect(directory.refused.map(\.policy) == ["bad name"])
    #expect(directory.testFiles == ["x_test.lua"])
  }
}
