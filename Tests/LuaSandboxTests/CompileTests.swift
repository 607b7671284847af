import Foundation
import LuaSandbox
import Testing

/// Texts whose compilation takes the square of their length.
@Suite("compiling within the time", .serialized) struct CompileTests {
  struct Text: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    /// What is closed at its block's end, after the last piece of text, may just fit.
    var mayFit = false
  }

  private static func repeated(_ part: String, _ count: Int) -> String {
    String(repeating: part, count: count)
  }

  private static func nested(_ functions: Int, _ locals: Int, _ body: String) -> String {
    let names = (0..<locals).map { "a\($0)" }.joined(separator: ",")
    return repeated("local function f() local \(names)\n", functions) + body
      + repeated(" end", functions)
  }

  static let texts = [
    Text(testDescription: "and", text: "local a local x =\n a" + repeated(" and a", 42_000)),
    Text(testDescription: "or", text: "local a local x =\n a" + repeated(" or a", 50_000)),
    Text(
      testDescription: "if or", text: "local a\nif a" + repeated(" or a", 50_000) + " then end"),
    Text(
      testDescription: "while and",
      text: "local a\nwhile a" + repeated(" and a", 42_000) + " do end"),
    Text(
      testDescription: "elseif",
      text: "local a\nif a then" + repeated(" elseif a then", 18_500) + " end"
    ),
    Text(
      testDescription: "60 functions", text: nested(60, 190, repeated("x=y ", 30_000))),
    Text(
      testDescription: "190 functions", text: nested(190, 170, repeated("x=y ", 20_000))),
    Text(
      testDescription: "breaks", text: "while true do\n" + repeated("break ", 32_760) + "end",
      mayFit: true),
  ]

  @Test("a text that takes too long is refused, with its line", arguments: texts)
  func tooLong(_ item: Text) throws {
    for deadline in [Int64(-1), 250_000_000] {
      let box = try Box(deadline: deadline)
      let before = processorTime()
      let outcome = box.load(item.text, file: "slow.lua")
      let time = processorTime() - before
      #expect(time < EveryFunctionTests.most, "\(time)")
      if item.mayFit, outcome.status == LUASANDBOX_OK { continue }
      #expect(outcome.status == LUASANDBOX_DEADLINE && outcome.text.contains("too long to compile"))
      #expect(outcome.file == "slow.lua" && outcome.line >= 1, "\(outcome.line)")
      #expect(box.call().status == LUASANDBOX_ERROR)
    }
  }

  @Test("the line that is told is how far the compiler came")
  func line() throws {
    let text = "-- one\n\nlocal a\nlocal x = a" + Self.repeated(" and a", 42_000)
    #expect(try Box().load(text, file: "slow.lua").line == 4)
  }

  @Test("modules share the time of the text that requires them, caught or not")
  func modules() throws {
    let box = try Box()
    let slow = "local a local x = a" + Self.repeated(" and a", 11_000)
    let lines = (1...10).map { "pcall(require, 'm\($0)')" }.joined(separator: "\n")
    for number in 1...10 { #expect(box.addModule("m\(number)", slow) == LUASANDBOX_OK) }
    let before = processorTime()
    let outcome = box.load(lines)
    #expect(processorTime() - before < EveryFunctionTests.most)
    #expect(outcome.status == LUASANDBOX_DEADLINE, "\(outcome.text)")
    #expect(outcome.file.hasPrefix("lib/m") && outcome.line == 1, "\(outcome.file)")
  }

  @Test("what only compiles, or only counts lines, has the same time")
  func others() throws {
    let text = Array(Self.texts[0].text.utf8)
    for compiles in [true, false] {
      let box = try Box(prelude: compiles ? nil : Box.prelude)
      var result = luasandbox_result()
      var lines = [UInt8](repeating: 0, count: 4)
      let before = processorTime()
      let status =
        compiles
        ? luasandbox_compile(box.raw, "slow.lua", text, text.count, &result)
        : luasandbox_code_lines(
          box.raw, "slow.lua", text, text.count, &lines, lines.count, &result)
      #expect(processorTime() - before < EveryFunctionTests.most)
      #expect(status == LUASANDBOX_DEADLINE && result.line == 2)
    }
  }

  @Test("the longest ordinary text compiles")
  func ordinary() throws {
    let line = "local function f(a, b) if a and b or not a then return a + b end end f = nil\n"
    let text = "do\n" + Self.repeated("do " + line.dropLast() + " end\n", 3000) + "end"
    #expect(text.utf8.count > 240_000)
    let outcome = try Box().load(text)
    #expect(outcome.status == LUASANDBOX_OK, "\(outcome.text)")
  }

  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
