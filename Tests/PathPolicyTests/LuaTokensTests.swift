import Testing

@testable import PathPolicy

@Suite struct LuaTokensTests {
  private typealias Kind = LuaTokens.Token.Kind

  private func read(_ text: String) -> [String] {
    LuaTokens.read(Array(text.utf8)).map(\.text)
  }

  @Test(arguments: [
    ("local x <const> = .5 + 1e-3 .. 0x1p+4", "local x < const > = .5 + 1e-3 .. 0x1p+4"),
    ("a.b=c//d~=e...", "a . b = c // d ~= e ..."),
    ("x --[==[ a ]] \n b ]==] y -- z\nw", "x y w"),
    ("s = 'it\\'s' .. [[a]b]]", "s = 'it\\'s' .. [[a]b]]"),
    ("\u{FEFF}#!/usr/bin/lua\nreturn 1", "return 1"),
    ("#!/usr/bin/lua\nreturn 1", "return 1"),
  ])
  func `a text is its words, without comments`(text: String, words: String) {
    #expect(read(text).joined(separator: " ") == words)
  }

  @Test func `a string that goes on after a line's end is one word, and lines are counted on`() {
    let text = "x = 'a \\z\n   b\\\n c'\ny = [[\n\n]] z = 1"
    let tokens = LuaTokens.read(Array(text.utf8))
    let strings = ["'a \\z\n   b\\\n c'", "[[\n\n]]"]
    #expect(tokens.map(\.text) == ["x", "=", strings[0], "y", "=", strings[1], "z", "=", "1"])
    #expect(tokens.map(\.line) == [1, 1, 1, 4, 4, 4, 6, 6, 6])
    #expect(tokens.map(\.lastLine) == [1, 1, 3, 4, 4, 6, 6, 6, 6])
    #expect(tokens.filter { $0.kind == Kind.string }.count == 2)
    for token in tokens {
      #expect(Array(token.text.utf8) == Array(Array(text.utf8)[token.range]))
    }
  }

  @Test(arguments: [
    ("'a'", "a", true), ("\"\"", "", true), ("'a\\n'", "a\\n", false), ("[[a\\n]]", "a\\n", true),
    ("[==[\na]]]==]", "a]]", true), ("[[\r\na]]", "a", true), ("[[\n\na]]", "\na", true),
  ])
  func `of a string there is what it stands for, where that is plain`(
    text: String, plain: String, isPlain: Bool
  ) throws {
    let words = LuaText(file: "p.lua", source: Array("x = \(text)".utf8)).words
    let word = try #require(words.last)
    #expect(word.kind == .string && word.text == plain && word.isPlain == isPlain)
  }

  @Test(arguments: ["'", "\"a\\", "[[", "[==[ a ]]", "--[[", "-", "", "[", "\u{FEFF}", "0x", "1e"])
  func `a text that ends too early is read to its end`(text: String) {
    let bytes = Array(text.utf8)
    for token in LuaTokens.read(bytes) { #expect(token.range.upperBound <= bytes.count) }
    _ = LuaText(file: "p.lua", source: bytes)
  }
}
