import LuaSandbox
import Testing

@Suite("what scripts can reach") struct ReachTests {
  static let allowed = """
    _VERSION assert error ipairs math next pairs pcall print require select string table tonumber \
    tostring type utf8 \
    math.abs math.ceil math.floor math.fmod math.huge math.max math.maxinteger math.min \
    math.mininteger math.modf math.pi math.random math.sqrt math.tointeger math.type math.ult \
    string.byte string.char string.find string.format string.gmatch string.gsub string.len \
    string.lower string.match string.rep string.reverse string.sub string.upper \
    table.concat table.insert table.move table.pack table.remove table.sort table.unpack \
    utf8.char utf8.charpattern utf8.codepoint utf8.codes utf8.len utf8.offset
    """

  @Test("everything in the environment is on the list, and everything on the list is there")
  func allowList() throws {
    let prelude = """
      local host = ...
      local function walk(t, path, out)
        for k, v in pairs(t) do
          out[#out + 1] = path .. k
          if type(v) == "table" then walk(v, path .. k .. ".", out) end
        end
        return out
      end
      return function() return table.concat(walk(host.env, "", {}), " ") end
      """
    let box = try Box(prelude: prelude)
    let names = box.call().value
    guard case .string(let text)? = names else {
      Issue.record("no list")
      return
    }
    let found = String(decoding: text, as: UTF8.self).split(separator: " ").sorted()
    #expect(found == Self.allowed.split(separator: " ").sorted())
  }

  @Test("nothing behind a string, a function or a frozen table has more")
  func methods() throws {
    let box = try Box(prelude: Box.closedPrelude)
    let script = """
      assert(("").dump == nil and ("").pack == nil and ("").format == string.format)
      assert(_G == nil and coroutine == nil and load == nil and rawget == nil and host == nil)
      assert(not pcall(function() return (print).x end))
      return { api = 1, on_start = function() return #"" end }
      """
    let outcome = box.evaluate(script)
    #expect(outcome.value == 0, "\(outcome.text)")
  }

  @Test(
    "library tables are read-only and say their name",
    arguments: ["string", "table", "math", "utf8"])
  func readOnly(_ name: String) throws {
    let box = try Box()
    for change in ["\(name).x = 1", "\(name).len = nil", "table.insert(\(name), 1)"] {
      let outcome = box.evaluate("return function() \(change) end")
      #expect(outcome.status == LUASANDBOX_ERROR)
      #expect(outcome.text.contains("read-only"), "\(outcome.text)")
    }
    #expect(
      box.evaluate("return function() \(name).x = 1 end").text
        == "the table '\(name)' is read-only")
  }

  @Test("calling a global that is not there names it")
  func missingGlobal() throws {
    let box = try Box()
    let outcome = box.evaluate("return function()\n  notify('x')\nend")
    #expect(outcome.text == "attempt to call a nil value (global 'notify')")
    #expect(outcome.file == "policy.lua" && outcome.line == 2)
  }

  @Test("a prelude's globals are not the scripts'")
  func preludeGlobals() throws {
    let box = try Box(
      prelude:
        "local host = ... leaked = 1 host.env.given = 2 return function() return host.chunk end")
    #expect(box.evaluate("return tostring(leaked) .. given").value == "nil2")
  }

  @Test("require runs a module once, in the scripts' environment, and names what is wrong")
  func modules() throws {
    let box = try Box()
    #expect(box.addModule("once", "count = (count or 0) + 1 return { n = count }") == LUASANDBOX_OK)
    #expect(box.addModule("a", "return require 'b'") == LUASANDBOX_OK)
    #expect(box.addModule("b", "return require 'a'") == LUASANDBOX_OK)
    #expect(box.addModule("bad", "local x =\n=") == LUASANDBOX_OK)
    #expect(box.addModule("none", "local x = 1") == LUASANDBOX_OK)
    #expect(
      box.evaluate("return { require('once').n, require('once').n, count }").value == [1, 1, 1])
    #expect(box.evaluate("return require 'none'").value == true)
    for _ in 1...2 {
      let cycle = box.evaluate("return function() return require 'a' end")
      #expect(cycle.status == LUASANDBOX_ERROR)
      #expect(cycle.text == "module 'a' requires itself, directly or through another module")
      #expect(cycle.file == "lib/b.lua")
    }
    let bad = box.evaluate("return function() return require 'bad' end")
    #expect(bad.status == LUASANDBOX_ERROR && bad.file == "lib/bad.lua" && bad.line == 2)
    #expect(box.evaluate("return require 'x'").text == "module 'x' not found in lib/")
  }

  @Test("a byte order mark and a line for the shell are skipped, lines keep their numbers")
  func firstLine() throws {
    let box = try Box()
    let outcome = box.load("\u{FEFF}#!/usr/bin/env netvane\nlocal x = nil + 1")
    #expect(outcome.status == LUASANDBOX_ERROR && outcome.line == 2, "\(outcome.text)")
    #expect(box.load("#!only").status == LUASANDBOX_OK)
    #expect(box.load("").status == LUASANDBOX_OK)
    let syntax = box.load("\n\nlocal = 1", file: "dir/broken.lua")
    #expect(syntax.status == LUASANDBOX_SYNTAX && syntax.line == 3)
    #expect(syntax.file == "dir/broken.lua" && syntax.text.hasPrefix("<name> expected"))
  }

  @Test("an error keeps its file and line, however long the name")
  func places() throws {
    let box = try Box()
    let long = String(repeating: "directory/", count: 9) + "policy.lua"
    let outcome = box.load("\nerror('no luck')", file: long)
    #expect(outcome.file == long && outcome.line == 2 && outcome.text == "no luck")
    let table = box.load("\n\nerror({})")
    #expect(table.text == "(error object is a table value)" && table.line == 3)
    let loop = box.load("\n\n\nwhile true do end")
    #expect(loop.status == LUASANDBOX_FUEL && loop.line == 4 && loop.file == "policy.lua")
  }

  @Test("an error text is cut between two characters")
  func cutText() throws {
    let box = try Box()
    let outcome = box.load("error('a' .. ('\u{20AC}'):rep(3000), 0)")
    #expect(
      outcome.bytes.count == 4096 || outcome.bytes.count == 4094 || outcome.bytes.count == 4095)
    #expect(String(validating: outcome.bytes, as: UTF8.self) != nil)
  }
}
