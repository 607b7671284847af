import PathPolicy
import PathTestKit
import Testing

/// The files that are made from the table of the API.
struct APIFilesTests {
  @Test(arguments: PolicyAPI.Files.all.map(\.name))
  func `what is committed is what the table yields`(name: String) throws {
    let file = try #require(PolicyAPI.Files.all.first { $0.name == name })
    let bytes = try ScriptFile.read(Repository.path("policies/\(name)"))
    #expect(
      String(decoding: bytes, as: UTF8.self) == file.text,
      "bring it up to date with: netvane api policies")
  }

  @Test func `the reader of policies passes them by`() throws {
    let scratch = Scratch()
    for file in PolicyAPI.Files.all { scratch.write(file.name, file.text) }
    scratch.write("a.lua")
    let directory = try PolicyDirectory(reading: scratch.path)
    #expect(directory.scripts.map(\.file) == ["a.lua"])
    #expect(directory.scripts.first?.modules == [])
    #expect(directory.refused == [] && directory.testFiles == [])
  }

  @Test func `what may be written over bears the mark, and JSON is plain JSON`() {
    for file in PolicyAPI.Files.all where file.name != ".luarc.json" {
      #expect(file.text.prefix(256).contains(PolicyAPI.Files.mark), "\(file.name)")
    }
    let settings = PolicyAPI.Files.all.first { $0.name == ".luarc.json" }
    #expect(settings?.text.contains("//\n") == false && settings?.text.hasPrefix("{") == true)
  }

  // MARK: Types

  private static let types = PolicyAPI.Files.forEditors.filter { $0.name.hasPrefix(".types/") }
    .map(\.text).joined(separator: "\n")

  private static func words(_ line: Substring) -> [Substring] { line.split(separator: " ") }

  @Test func `each class is there once, and each of its fields`() {
    var classes: Set<String> = []
    var fields: Set<String> = []
    for line in Self.types.split(separator: "\n") {
      let words = Self.words(line)
      switch words.first {
      case "---@class":
        #expect(words[1] == "(exact)")
        let name = String(words[2].prefix { $0 != ":" })
        #expect(classes.insert(name).inserted, "\(name) is there twice")
        fields = []
      case "---@alias":
        #expect(classes.insert(String(words[1])).inserted, "\(words[1]) is there twice")
      case "---@field":
        let name = String(words[1].prefix { $0 != "?" })
        #expect(fields.insert(name).inserted, "\(name) is there twice")
        #expect(words.count > 2, "\(name) has no type")
      default: break
      }
    }
    #expect(classes.count > 40)
    #expect(classes.isSuperset(of: ["netvane.Policy", "netvane.Event.Path", "netvane.Context"]))
  }

  @Test func `each type that is named is there`() {
    var known: Set<Substring> = ["netvane.Duration"]
    var named: Set<Substring> = []
    for line in Self.types.split(separator: "\n") where line.hasPrefix("---@") {
      let words = Self.words(line)
      if words[0] == "---@class" { known.insert(words[2].prefix { $0 != ":" }) }
      if words[0] == "---@alias" { known.insert(words[1]) }
      var rest = line[...]
      while let start = rest.firstRange(of: "netvane.") {
        let name = rest[start.lowerBound...].prefix { $0.isLetter || $0 == "." }
        named.insert(name.last == "." ? name.dropLast() : name)
        rest = rest[start.upperBound...]
      }
    }
    #expect(named.subtracting(known) == [])
  }

  @Test func `every entry of the table is in the types and in the reference`() throws {
    let page = try #require(PolicyAPI.Files.all.last).text
    for group in PolicyAPI.tables + PolicyAPI.records + PolicyAPI.testTables {
      #expect(Self.types.contains(" netvane.\(group.className)"))
      for entry in group.entries {
        #expect(Self.types.contains("---@field \(entry.name)\(entry.isRequired ? "" : "?") "))
        #expect(page.contains("| `\(entry.name)` |"))
        #expect(!entry.meaning.isEmpty, "\(group.name).\(entry.name) has no meaning")
      }
    }
    for toolbox in PolicyAPI.contextToolboxes + PolicyAPI.testToolboxes {
      for verb in toolbox.verbs {
        #expect(Self.types.contains("---@field \(verb.name) fun("))
        #expect(page.contains("| `\(toolbox.name).\(verb.name)"))
      }
    }
  }

  @Test func `a row of the reference has as many cells as its head`() throws {
    let page = try #require(PolicyAPI.Files.all.last).text
    var cells = 0
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        cells = 0
        continue
      }
      let count = line.replacing("\\|", with: "").count { $0 == "|" }
      if cells == 0 { cells = count }
      #expect(count == cells, "\(line)")
    }
  }
}
