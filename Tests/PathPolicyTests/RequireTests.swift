import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What policies share: the modules of `lib/`.
struct RequireTests {
  @Test func `a module is run once and may need others`() {
    let rig = Rig(
      """
      local a, b = require "a", require "b"
      return { api = 1, on_path = function(ctx)
        ctx.publish("same", a == require("a") and a.b == b)
        ctx.publish("x", b.x)
      end }
      """,
      modules: ["a": "return { b = require 'b' }", "b": "return { x = 5 }"])
    rig.online()
    #expect(rig.faults == [])
    #expect(rig.value("same")?.bool == true)
    #expect(rig.value("x")?.integer == 5)
  }

  @Test(arguments: [
    ("nothing", "nothing"), ("../p", "../p"), ("a/b", "a/b"), ("os", "os"), ("", ""),
    ("lib.a", "lib.a"),
  ]) func `a module that is not there is named`(_ name: String, _ shown: String) {
    let said = Rig.rejection(
      "\nlocal m = require '\(name)'\nreturn { api = 1 }", modules: ["a": ""])
    #expect(says(said, "p.lua:2", "'\(shown)'"), "\(said ?? "accepted")")
  }

  @Test func `modules in a circle are refused`() {
    let said = Rig.rejection(
      "local a = require 'a'\nreturn { api = 1 }",
      modules: ["a": "\nreturn require 'b'", "b": "\nreturn { a = require 'a' }"])
    #expect(
      says(said, "lib/b.lua:2", "'a' requires itself"), "\(said ?? "")")
  }

  @Test(arguments: [
    ("x = = 1", 1, "unexpected symbol"), ("\n\nlocal a <const> = 1 a = 2", 3, "const"),
    ("\nerror('in the module')", 2, "in the module"), ("local t = nil\nreturn t.x", 2, "nil value"),
    ("\n\nwhile true do end", 3, "fuel"), ("\u{1B}Lua", 1, "text only"),
  ]) func `what is wrong in a module is named by its line`(
    _ text: String, _ line: Int, _ part: String
  ) {
    let said = Rig.rejection("local m = require 'm'\nreturn { api = 1 }", modules: ["m": text])
    #expect(says(said, "lib/m.lua:\(line)", part), "\(said ?? "accepted")")
  }

  @Test func `a broken module that nobody needs is nobody's fault`() {
    #expect(Rig("return { api = 1 }", modules: ["m": "x = = 1"]).rejections == [])
  }

  @Test func `changing a module's table changes it for oneself only`() {
    let text = { (own: String) in
      """
      local m = require "m"
      if "\(own)" == "a" then m.word = "spoiled" string = nil table = nil end
      return { api = 1, on_path = function(ctx) ctx.publish("word", m.word) end }
      """
    }
    let rig = Rig(["a": text("a"), "b": text("b")], modules: ["m": "return { word = 'fresh' }"])
    rig.online()
    #expect(rig.simulator.published["a/word"].flatMap { PlainReader.decode($0) }?.text == "spoiled")
    #expect(rig.simulator.published["b/word"].flatMap { PlainReader.decode($0) }?.text == "fresh")
  }

  @Test func `a module may be needed late, inside a handler`() {
    let rig = Rig.onPath("ctx.log(require('nothing'))")
    rig.online()
    #expect(says(rig.faults.first?.located, "p.lua:2", "'nothing'"))
  }

  @Test func `a changed module loads its policies anew`() {
    let runtime = PolicyRuntime()
    let script = { (text: String) in
      PolicyScript("p", "local m = require 'm' return { api = 1 }", modules: ["m": text])
    }
    #expect(runtime.load([script("return 1")], reason: .start).changed == ["p"])
    #expect(runtime.load([script("return 1")], reason: .reload).changed == [])
    #expect(runtime.load([script("return 2")], reason: .reload).changed == ["p"])
  }

  /// Loads with modules a and b, then with another b: whether the policy is loaded anew.
  private func isConcerned(by text: String, a: String = "return 1") -> Bool {
    let runtime = PolicyRuntime()
    func changed(_ b: String) -> Set<String> {
      runtime.load(
        [PolicyScript("p", text + "\nreturn { api = 1 }", modules: ["a": a, "b": b])],
        reason: .reload
      ).changed
    }
    #expect(changed("return 1") == ["p"])
    return changed("return 2") == ["p"]
  }

  @Test(arguments: [
    "local b = require 'b'", "local b = require\"b\"", "local b = require ( 'b' )",
    "local f = function() return require 'b' end", "local n = 'b' local b = require(n)",
    "local r = require local b = r 'b'", "local b = require [[b]]", "local b = require('\\98')",
    "local b = require --[[ x ]] 'b'",
    "local b = require('' .. 'b')",
  ]) func `a module that a policy can reach concerns it`(_ text: String) {
    #expect(isConcerned(by: text))
  }

  @Test func `through another module, too`() {
    #expect(isConcerned(by: "local a = require 'a'", a: "return require 'b'"))
    #expect(!isConcerned(by: "local a = require 'a'", a: "return 'b'"))
  }

  @Test(arguments: [
    "", "local a = require 'a'", "-- it requires b", "local required = 'b'",
    "local a = require('a') .. 'b'",
  ]) func `a module that a policy does not name concerns others`(_ text: String) {
    #expect(!isConcerned(by: text))
  }
}
