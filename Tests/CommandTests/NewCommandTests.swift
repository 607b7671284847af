import Foundation
import PathPolicy
import Testing

@testable import netvane

/// `netvane new` and `netvane api`.
struct NewCommandTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test func `a new policy is good, and has a test and the files for editors`() throws {
    let made = try bench.run("new", "my-first", "@/policies")
    #expect(made.code == 0)
    for name in ["my-first.lua", "my-first_test.lua", ".luarc.json", ".luacheckrc"] {
      #expect(made.said.contains("wrote  @/policies/\(name)"), "\(made.said)")
      #expect(bench.exists("policies/\(name)"))
    }
    #expect(made.said.contains("made   @/policies"))
    for step in [
      "$EDITOR @/policies/my-first.lua", "netvane test @/policies", "netvane run @/policies",
    ] {
      #expect(made.said.contains("next   \(step)"), "\(made.said)")
    }
    try bench.write("none.lua", "return {}")
    let checked = try bench.run("check", "@/policies", "--strict", "--config", "@/none.lua")
    #expect(checked.code == 0 && checked.said.contains("ok\tmy-first"), "\(checked.said)")
  }

  @Test func `what is there is never written over`() throws {
    try bench.write("a.lua", "mine")
    try bench.write("b_test.lua", "mine too")
    try bench.write(".luarc.json", "{}")
    for name in ["a", "b"] {
      let refused = try bench.run("new", name, "@")
      #expect(refused.code == 1)
      #expect(refused.said.contains("is there already"), "\(refused.said)")
    }
    #expect(try bench.read("a.lua") == "mine" && bench.read("b_test.lua") == "mine too")
    #expect(!bench.exists("b.lua") && !bench.exists("a_test.lua"))
    #expect(try bench.run("new", "c", "@").code == 0)
    #expect(try bench.read(".luarc.json") == "{}")
  }

  @Test func `a link that leads nowhere is not written through`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: bench.path + "/a.lua", withDestinationPath: bench.path + "/elsewhere")
    #expect(try bench.run("new", "a", "@").code == 1)
    #expect(!bench.exists("elsewhere"))
  }

  @Test(arguments: [
    ("my first", "try: netvane new my-first @"), ("x.lua", "try: netvane new x @"),
    ("x_test", "such files hold tests"), ("a/b", "letters, digits"), (".a", "hidden"),
  ]) func `a bad name is refused, with one that is near`(name: String, words: String) throws {
    let refused = try bench.run("new", name, "@")
    #expect(refused.code == 2)
    #expect(refused.said.contains(words), "\(refused.said)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.path) == [])
  }

  @Test func `a place that is no directory, or cannot be made, is named`() throws {
    try bench.write("file", "")
    let file = try bench.run("new", "a", "@/file")
    #expect(file.code == 1 && file.said.contains("@/file is a file"), "\(file.said)")
    let below = try bench.run("new", "a", "@/file/below")
    #expect(below.code == 1 && below.said.contains("@/file"), "\(below.said)")
  }

  @Test func `a path with a space is shown as a shell reads it`() throws {
    let made = try bench.run("new", "a", "@/my policies")
    #expect(made.said.contains("netvane test '@/my policies'"), "\(made.said)")
    #expect(Scaffold.shellWord("it's") == "'it'\\''s'")
  }

  @Test func `the API is written, brought up to date, and what is somebody's own is kept`() throws {
    #expect(try bench.run("api", "@/p").said.contains("wrote  @/p/README.md"))
    #expect(!(try bench.run("api", "@/p").said.contains("wrote")))
    let types = try bench.read("p/.types/netvane.lua")
    try bench.write("p/.types/netvane.lua", "-- \(PolicyAPI.Files.mark)\nold")
    try bench.write("p/README.md", "# My policies")
    let again = try bench.run("api", "@/p")
    #expect(again.code == 0)
    #expect(again.said.contains("wrote  @/p/.types/netvane.lua"), "\(again.said)")
    #expect(again.said.contains("kept   @/p/README.md"), "\(again.said)")
    #expect(try bench.read("p/README.md") == "# My policies")
    #expect(try bench.read("p/.types/netvane.lua") == types)
  }

  @Test func `without a directory the page is printed`() throws {
    let page = try bench.run("api")
    #expect(page.code == 0 && page.said.contains("# The policy API, version 1"))
  }
}
