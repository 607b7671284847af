import Foundation
import LuaSandbox
import Testing

/// A host that answers questions of a box, as one of this kind does.
private final class Service {
  let box: Box
  var questions: [Plain?] = []
  /// Nil refuses.
  var answer: [UInt8]? = Plain.integer(7).bytes
  /// Runs while the box waits.
  var meanwhile: () -> Void = {}
  private var kept: [UInt8] = []

  init(_ box: Box) {
    self.box = box
    luasandbox_set_service(
      box.raw,
      { context, bytes, length, reply in
        guard let context, let reply else { return false }
        let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        let question = Array(UnsafeBufferPointer(start: bytes, count: length))
        service.questions.append(Plain(bytes: question))
        service.meanwhile()
        service.kept = service.answer ?? Array("no such thing".utf8)
        // The array lives until the next question.
        reply.pointee.bytes = service.kept.withUnsafeBufferPointer { $0.baseAddress }
        reply.pointee.length = service.kept.count
        return service.answer != nil
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

@Suite("questions to the host") struct AskTests {
  @Test func `a question goes out as plain data, and its answer comes back`() throws {
    let service = Service(try Box())
    let outcome = service.box.evaluate("return function() return host.ask('x', 1, { 2 }) + 1 end")
    #expect(outcome.value == .integer(8))
    #expect(
      service.questions == [.array([.string(Array("x".utf8)), .integer(1), .array([.integer(2)])])])
  }

  @Test func `a refusal is an error in the line that asked, and can be caught`() throws {
    let service = Service(try Box())
    service.answer = nil
    let raised = service.box.evaluate("return function()\nlocal x = host.ask('x')\nreturn x end")
    #expect(raised.status == LUASANDBOX_ERROR)
    #expect(raised.text == "no such thing")
    #expect(raised.line == 2)
    let caught = service.box.evaluate(
      "return function() local ok, why = pcall(host.ask, 'x') return why end")
    #expect(caught.value == .string(Array("no such thing".utf8)))
  }

  @Test func `nobody answers where no service is`() throws {
    let outcome = try Box().evaluate("return function() return host.ask('x') end")
    #expect(outcome.text.contains("nobody answers"))
  }

  @Test func `what is not plain data is refused before anybody is asked`() throws {
    let service = Service(try Box())
    let outcome = service.box.evaluate("return function() return host.ask({ f = print }) end")
    #expect(outcome.text == "the argument.f: a function is not plain data")
    #expect(service.questions.isEmpty)
  }

  @Test func `a state that waits is not called, and goes on undisturbed`() throws {
    let service = Service(try Box())
    let box = service.box
    var meanwhile: [Box.Outcome] = []
    var statuses: [luasandbox_status] = []
    service.meanwhile = {
      meanwhile = [box.call(), box.load("return 1"), box.boot("return 1")]
      statuses.append(box.addModule("m", "return 1"))
    }
    let outcome = box.evaluate(
      "return function() local t = { 5 } return t[1] + host.ask('x') + t[1] end")
    #expect(outcome.value == .integer(17))
    #expect(meanwhile.map(\.status) == Array(repeating: LUASANDBOX_ERROR, count: 3))
    #expect(meanwhile.allSatisfy { $0.text.hasPrefix("it waits for an answer") })
    #expect(statuses == [LUASANDBOX_ERROR])
  }

  @Test func `another state runs meanwhile, and its errors are its own`() throws {
    let service = Service(try Box())
    let other = try Box()
    var inner: [Box.Outcome] = []
    service.meanwhile = {
      inner.append(other.evaluate("return function() error('inner') end"))
    }
    let outcome = service.box.evaluate(
      "return function() local n = 0 for i = 1, 3 do n = n + host.ask(i) end return n end")
    #expect(outcome.value == .integer(21))
    #expect(inner.map(\.text) == ["inner", "inner", "inner"])
  }

  @Test func `the time of the service is not the script's, and its own still ends it`() throws {
    let service = Service(try Box(deadline: 100_000_000))
    service.meanwhile = { Thread.sleep(forTimeInterval: 0.25) }
    let good = service.box.evaluate("return function() return host.ask('x') end")
    #expect(good.value == .integer(7))
    let late = service.box.evaluate(
      "return function() host.ask('x') while true do end end", fuel: 1 << 40)
    #expect(late.status == LUASANDBOX_DEADLINE)
  }

  @Test func `the fuel of a question does not depend on how long it takes`() throws {
    func fuel(_ seconds: Double) throws -> Int64 {
      let service = Service(try Box())
      service.meanwhile = { Thread.sleep(forTimeInterval: seconds) }
      return service.box.evaluate("return function() return host.ask('x') end").fuel
    }
    #expect(try fuel(0) == fuel(0.02))
  }

  @Test(arguments: [[], [5, 255, 255, 255, 255], [99], [6, 1, 0, 0, 0], [7, 9, 0, 0, 0, 0]])
  func `an answer that is not well formed is an error`(_ bytes: [UInt8]) throws {
    let service = Service(try Box())
    service.answer = bytes
    let outcome = service.box.evaluate("return function() return host.ask('x') end")
    #expect(outcome.status == LUASANDBOX_DATA)
  }

  @Test func `an answer that is too large is a matter of memory`() throws {
    let service = Service(try Box(block: 64 * 1024))
    service.answer = Plain.string([UInt8](repeating: 120, count: 200_000)).bytes
    let outcome = service.box.evaluate("return function() return host.ask('x') end")
    #expect(outcome.status == LUASANDBOX_MEMORY)
  }

  @Test func `a question without end of asking ends by its fuel`() throws {
    let service = Service(try Box())
    let outcome = service.box.evaluate(
      "return function() while true do pcall(host.ask, 'x') end end", fuel: 100_000)
    #expect(outcome.status == LUASANDBOX_FUEL)
    #expect(service.questions.count < 5000)
  }

  @Test func `no allocation that fails around a question does harm`() throws {
    for number in 1...60 {
      let service = Service(try Box())
      let loaded = service.box.load("return function() return #host.ask({ 'x', { 1 } }) end")
      try #require(loaded.status == LUASANDBOX_OK)
      service.answer = Plain.array([.string(Array("a".utf8)), .array([.integer(1)])]).bytes
      luasandbox_fail_allocation(service.box.raw, number)
      let outcome = service.box.call()
      #expect(outcome.status == LUASANDBOX_OK || outcome.status == LUASANDBOX_MEMORY)
    }
  }
}

@Suite("compiled preludes and lines") struct CompiledTests {
  private func compiled(_ text: String) throws -> [UInt8] {
    let box = try Box(prelude: nil)
    var result = luasandbox_result()
    let bytes = Array(text.utf8)
    let status = luasandbox_compile(box.raw, "prelude.lua", bytes, bytes.count, &result)
    try #require(status == LUASANDBOX_OK)
    return Array(UnsafeBufferPointer(start: result.bytes, count: result.length))
  }

  @Test func `a compiled prelude does what its text does, and scripts stay text`() throws {
    let code = try compiled(Box.prelude)
    let box = try Box(prelude: nil)
    var result = luasandbox_result()
    #expect(luasandbox_boot(box.raw, "prelude.lua", code, code.count, &result) == LUASANDBOX_OK)
    #expect(box.evaluate("return function() return 5 end").value == .integer(5))
    // An error is told at the script's line, not at one of the prelude.
    let failed = box.evaluate("return function()\nerror('x') end")
    #expect(failed.file == "policy.lua" && failed.line == 2 && failed.text == "x")
    #expect(box.load(code).status == LUASANDBOX_SYNTAX)
  }

  @Test func `a prelude that is broken does not compile`() throws {
    let box = try Box(prelude: nil)
    var result = luasandbox_result()
    let bytes = Array("return (".utf8)
    let status = luasandbox_compile(box.raw, "prelude.lua", bytes, bytes.count, &result)
    #expect(status == LUASANDBOX_SYNTAX)
  }

  @Test func `the lines of one file that ran are noted, those of others are not`() throws {
    let box = try Box()
    #expect(luasandbox_note_lines(box.raw, "policy.lua") == LUASANDBOX_OK)
    _ = box.addModule("m", "\n\n\n\n\n\n\nreturn 1")
    #expect(
      box.evaluate("local m = require 'm'\nreturn function(v)\nif v then\nv = 1\nend\nreturn v end")
        .status == LUASANDBOX_OK)
    var lines: UnsafePointer<UInt8>?
    let count = luasandbox_ran_lines(box.raw, &lines)
    let ran = (0..<count).filter { lines?[$0] != 0 }.map { $0 + 1 }
    #expect(ran == [1, 3, 6])
  }
}
