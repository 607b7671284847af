import PathCore
import Testing

@testable import PathPolicy

/// More files in a policy directory than anybody needs.
struct ManyFilesTests {
  let scratch = Scratch()

  private func name(_ number: Int) -> String {
    "p" + String(1000 + number).dropFirst()
  }

  private func write(_ numbers: Range<Int>, _ ending: String = ".lua", in folder: String = "") {
    for number in numbers { scratch.write(folder + name(number) + ending) }
  }

  private func read(
    _ running: (String) -> Bool = { _ in false }
  ) throws -> PolicyDirectory {
    try PolicyDirectory(reading: scratch.path, withTests: true, running: running)
  }

  @Test func `256 policies run with their tests, and the rest is refused by name`() throws {
    write(0..<258)
    write(0..<258, "_test.lua")
    let found = try read()
    #expect(found.scripts.map(\.name) == (0..<256).map(name))
    #expect(found.tests.map(\.name) == (0..<256).map(name))
    let why =
      "there are 258 policies and at most 256 run, the first by name; this one is left out until "
      + "others are gone"
    #expect(found.refused.map(\.located) == [256, 257].map { "\(name($0)).lua: \(why)" })
    #expect(found.refused.map(\.policy) == [name(256), name(257)])
    #expect(found.refusedTests.map(\.file) == [256, 257].map { name($0) + "_test.lua" })
    #expect(found.refusedTests.first?.message.hasPrefix("there are 258 test files") == true)
  }

  @Test func `256 are not too many, and names that are none take no place`() throws {
    write(0..<256)
    scratch.write("a name.lua")
    let found = try read()
    #expect(found.scripts.count == 256 && found.refused.map(\.policy) == ["a name"])
  }

  @Test func `the order is that of the names, not that of the files`() throws {
    write(0..<255)
    scratch.write("z.lua")
    scratch.write("z-late.lua")
    let found = try read()
    #expect(found.scripts.last?.name == "z" && found.refused.map(\.policy) == ["z-late"])
  }

  @Test func `who runs already keeps the place, and one that is broken has it still`() throws {
    write(0..<258)
    scratch.write("\(name(257)).lua", mode: 0o666)
    let running = Set((2..<258).map(name))
    let found = try read(running.contains)
    #expect(found.scripts.map(\.name) == (2..<257).map(name))
    #expect(Set(found.refused.map(\.policy)) == [name(0), name(1), name(257)])
  }

  @Test func `a policy's own test is read, whatever other tests lie there`() throws {
    write(0..<300, "_test.lua")
    scratch.write("z.lua")
    scratch.write("z_test.lua")
    let found = try read()
    #expect(found.tests.count == 256 && found.tests.last?.name == "z")
    #expect(found.refusedTests.count == 45)
  }

  @Test func `modules beyond their number are refused by name`() throws {
    scratch.folder("lib")
    write(0..<257, in: "lib/")
    for number in 0..<257 { scratch.write("lib/\(name(number)).lua", "return 1") }
    scratch.write("a.lua")
    let found = try read()
    #expect(found.scripts.first?.modules.count == 256)
    #expect(found.refused.map(\.policy) == ["lib/\(name(256))"])
    #expect(found.refused.first?.message.hasPrefix("there are 257 modules") == true)
  }

  @Test func `of thousands not each is named`() throws {
    for number in 0..<1000 { scratch.write("p\(1000 + number).lua") }
    let found = try read()
    #expect(found.scripts.count == 256 && found.refused.count == 257)
    #expect(found.refused.last?.message == "488 more files are left out, being too many")
  }
}
