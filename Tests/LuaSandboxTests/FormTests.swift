import LuaSandbox
import Testing

/// What was compiled once and is given to later states.
@Suite("compiled scripts") struct FormTests {
  /// A text with its form; the pointers live as long as this does.
  private final class Form {
    let source: UnsafeMutableBufferPointer<UInt8>
    let bytes: UnsafeMutableBufferPointer<UInt8>
    let fuel: Int64

    init(_ text: String, file: String) throws {
      let box = try Box(prelude: nil)
      var result = luasandbox_result()
      let utf8 = Array(text.utf8)
      let status = luasandbox_compile(box.raw, file, utf8, utf8.count, &result)
      try #require(status == LUASANDBOX_OK)
      let code = UnsafeBufferPointer(start: result.bytes, count: result.length)
      source = .allocate(capacity: utf8.count)
      bytes = .allocate(capacity: code.count)
      _ = source.initialize(from: utf8)
      _ = bytes.initialize(from: code)
      fuel = result.fuel_used
    }

    deinit {
      source.deallocate()
      bytes.deallocate()
    }

    func give(to box: Box, file: String) {
      var form = luasandbox_form(
        source: source.baseAddress, source_length: source.count, bytes: bytes.baseAddress,
        length: bytes.count, fuel: fuel)
      luasandbox_give_form(box.raw, file, &form)
    }
  }

  private static let text = """
    #!/usr/bin/env lua
    local long = "a text of more than forty bytes, which Lua keeps as an object of its own"
    local again = "a text of more than forty bytes, which Lua keeps as an object of its own"
    for i = 1, 2000 do local at_load = { i } end
    return function(n)
      local list = {}
      for i = 1, n or 3 do list[i] = { i, long } end
      if n == 13 then error "thirteen" end
      return #list + #again
    end
    """

  private func loaded(_ text: String, with form: Form?, fuel: Int64 = 5_000_000) throws -> (
    Box, Box.Outcome
  ) {
    let box = try Box()
    form?.give(to: box, file: "policy.lua")
    return (box, box.load(text, fuel: fuel))
  }

  @Test func `a form does what its text does, for the same fuel`() throws {
    let form = try Form(Self.text, file: "policy.lua")
    let (plain, first) = try loaded(Self.text, with: nil)
    let (quick, second) = try loaded(Self.text, with: form)
    #expect(first.status == LUASANDBOX_OK && second.status == LUASANDBOX_OK)
    #expect(first.fuel == second.fuel)
    for input in [Plain.integer(3), .integer(40)] {
      let (one, other) = (plain.call(input), quick.call(input))
      #expect(one.value == other.value && one.fuel == other.fuel)
    }
    let (one, other) = (plain.call(.integer(13)), quick.call(.integer(13)))
    #expect(other.file == "policy.lua" && other.line == 8 && other.text == "thirteen")
    #expect(one.text == other.text && one.line == other.line && one.fuel == other.fuel)
  }

  @Test func `fuel that is not enough for the text is not enough for its form`() throws {
    let form = try Form(Self.text, file: "policy.lua")
    let needed = try loaded(Self.text, with: nil).1.fuel
    for fuel in [needed - 1, needed, needed / 2, form.fuel - 1, 0] {
      let (one, other) = (
        try loaded(Self.text, with: nil, fuel: fuel).1,
        try loaded(Self.text, with: form, fuel: fuel).1
      )
      #expect(one.status == other.status && one.fuel == other.fuel, "\(fuel): \(one) \(other)")
    }
  }

  @Test func `a form is not used for any other text, nor for any other file`() throws {
    let form = try Form("return function() return 'old' end", file: "policy.lua")
    let (box, outcome) = try loaded("return function() return 'new' end", with: form)
    #expect(outcome.status == LUASANDBOX_OK)
    #expect(box.call().value == .string(Array("new".utf8)))
    let elsewhere = try Box()
    form.give(to: elsewhere, file: "other.lua")
    _ = elsewhere.load("return function() error 'here' end")
    #expect(elsewhere.call().file == "policy.lua")
  }

  @Test func `bytecode in a file stays refused, even that of a form`() throws {
    let form = try Form(Self.text, file: "policy.lua")
    let box = try Box()
    form.give(to: box, file: "policy.lua")
    let outcome = box.load(Array(form.bytes))
    #expect(outcome.status == LUASANDBOX_SYNTAX && outcome.text.contains("bytecode"))
  }

  @Test func `a module in its form is required once, at the same price, and errs at its line`()
    throws
  {
    let module = "local m = {}\nfunction m.f(n)\n  return n.x\nend\nreturn m"
    let script = "local m = require 'm'\nreturn function(n) return m.f(n) end"
    let form = try Form(module, file: "lib/m.lua")
    var outcomes: [Box.Outcome] = []
    for isQuick in [false, true] {
      let box = try Box()
      #expect(box.addModule("m", module) == LUASANDBOX_OK)
      if isQuick { form.give(to: box, file: "lib/m.lua") }
      outcomes.append(box.load(script))
      outcomes.append(box.call(.integer(1)))
    }
    #expect(outcomes[0].fuel == outcomes[2].fuel && outcomes[1].fuel == outcomes[3].fuel)
    #expect(outcomes[3].file == "lib/m.lua" && outcomes[3].line == 3)
    #expect(outcomes[1].text == outcomes[3].text)
  }

  @Test func `the lines that ran are noted as for the text`() throws {
    let form = try Form(Self.text, file: "policy.lua")
    var ran: [[Int]] = []
    for given in [nil, form] {
      let box = try Box()
      #expect(luasandbox_note_lines(box.raw, "policy.lua") == LUASANDBOX_OK)
      given?.give(to: box, file: "policy.lua")
      _ = box.load(Self.text)
      _ = box.call(.integer(2))
      var lines: UnsafePointer<UInt8>?
      let count = luasandbox_ran_lines(box.raw, &lines)
      ran.append((0..<count).filter { lines?[$0] != 0 }.map { $0 + 1 })
    }
    #expect(ran[0] == ran[1] && ran[0].contains(7))
  }

  @Test func `a form that memory does not suffice for ends its state, and nothing is lost`() throws
  {
    let form = try Form(Self.text, file: "policy.lua")
    for number in 1...60 {
      let box = try Box()
      form.give(to: box, file: "policy.lua")
      luasandbox_fail_allocation(box.raw, number)
      let outcome = box.load(Self.text)
      #expect(outcome.status == LUASANDBOX_OK || outcome.status == LUASANDBOX_MEMORY)
    }
  }
}
