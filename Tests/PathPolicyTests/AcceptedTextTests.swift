import PathCore
import Testing

@testable import PathPolicy

/// The stored form of an accepted text, which is believed only when it is what was written.
struct AcceptedTextTests {
  private let script = PolicyScript(
    name: "a", file: "a.lua", source: Array("local m = require 'm' return { api = 1 }".utf8),
    modules: [
      PolicyModule(name: "m", file: "lib/m.lua", source: [0, 255, 10]),
      PolicyModule(name: "unused", file: "lib/unused.lua", source: [1]),
    ])

  private func test(_ text: String) -> PolicyScript {
    PolicyScript(name: "a", file: "a_test.lua", source: Array(text.utf8))
  }

  @Test func `what is read back is the text with the modules that it needs`() throws {
    let text = AcceptedText(script, test: test("t"))
    let back = try #require(AcceptedText(name: "a", hash: text.hash, bytes: text.bytes))
    #expect(back == text && back.script.modules.map(\.name) == ["m"])
  }

  @Test func `text, module and test each make another hash, a module that is unused does not`() {
    let before = AcceptedText(script, test: test("t")).hash
    var other = script
    other.modules[1].source = [2]
    #expect(AcceptedText(other, test: test("t")).hash == before)
    other.modules[0].source = [2]
    #expect(AcceptedText(other, test: test("t")).hash != before)
    other = script
    other.source.append(32)
    #expect(AcceptedText(other, test: test("t")).hash != before)
    #expect(AcceptedText(script, test: test("u")).hash != before)
    #expect(AcceptedText(script, test: nil).hash != before)
  }

  @Test func `no byte of it can be another, missing or too many`() {
    let text = AcceptedText(script, test: nil)
    func isBelieved(_ bytes: [UInt8], _ name: String = "a") -> Bool {
      AcceptedText(name: name, hash: text.hash, bytes: bytes) != nil
    }
    for place in text.bytes.indices {
      var bytes = text.bytes
      bytes[place] ^= 0x11
      #expect(!isBelieved(bytes), "\(place)")
      #expect(!isBelieved(Array(text.bytes.prefix(place))), "\(place)")
    }
    #expect(!isBelieved(text.bytes + [0]) && !isBelieved(text.bytes + [0, 0, 0, 0]))
    #expect(!isBelieved(text.bytes, "../a"))
    #expect(!isBelieved([255, 255, 255, 255]))
  }
}
