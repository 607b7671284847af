import Foundation
import LuaSandbox
import Testing

@Suite("limits") struct LimitTests {
  @Test("a doomed run falls through nested pcalls, and the state then refuses to run")
  func doomed() throws {
    let box = try Box()
    let script = """
      return function()
        local function again(n) if n > 0 then pcall(again, n - 1) end while true do end end
        again(100)
      end
      """
    let outcome = box.evaluate(script, fuel: 100_000)
    #expect(outcome.status == LUASANDBOX_FUEL && outcome.fuel == 100_000)
    #expect(outcome.text.contains("100000"))
    #expect(box.call().status == LUASANDBOX_ERROR)
    #expect(box.load("return 1").text.contains("stopped by a limit"))
    #expect(luasandbox_add_module(box.raw, "m", "m", nil, 0) == LUASANDBOX_ERROR)
  }

  @Test("what begins with a seed is not ticked; what it runs is, whatever became of it before")
  func ticks() throws {
    let prelude = """
      local host = ...
      host.env.host = host
      return function(...) return host.chunk(...) end, function(_, how) return host.chunk(how) end
      """
    let box = try Box(prelude: prelude)
    let loop = "local n = 0 for i = 1, 100000 do n = n + i end"
    let script = """
      return function(how)
        \(loop)
        if how == "free" then return host.fuel() end
        if how == "run" then
          host.run(function() \(loop) end)
          return host.fuel()
        end
        if how == "values" then return { host.run(function(...) return ..., 2, 3 end, 1) } end
        if how == "error" then host.run(error, "of its own", 0) end
        host.run(function() pcall(function() while true do end end) end)
      end
      """
    #expect(box.load(script).status == LUASANDBOX_OK)
    for _ in 1...2 {
      #expect(box.call(seed: 7, "free").fuel < 100)
      #expect(box.call("free").fuel > 2000)
      #expect(box.call(seed: 7, "run").fuel > 2000)
      #expect(box.call(seed: 7, "values").value == [1, 2, 3])
      #expect(box.call(seed: 7, "error").text == "of its own")
    }
    #expect(box.call(seed: 7, "endless", fuel: 10_000).status == LUASANDBOX_FUEL)
    let closed = try Box(prelude: Box.closedPrelude)
    #expect(closed.evaluate("return { on_start = function() return host end }").value == .null)
  }

  @Test("a value has these bytes or not; nothing has none")
  func same() throws {
    for (value, other, isSame) in [
      ("{}", "{}", true), ("{ a = { 1 } }", "{ a = { 1 } }", true),
      ("{ a = 1 }", "{ a = 2 }", false),
      ("{ 1 }", "{}", false), ("{}", "{ 1 }", false), ("5", "5", true), ("{ a = {} }", "{}", false),
      ("print", "{}", false), ("{ print }", "{ 1 }", false), ("host.freeze {}", "{}", true),
    ] {
      let outcome = try Box().evaluate(
        "return function() return host.same(\(value), host.encode(\(other)), 1) end")
      #expect(outcome.value == .bool(isSame), "\(value), \(other): \(outcome.text)")
    }
    let other = "local t = { a = 1 } local _, bytes = host.same(t, 'x', 1)"
    #expect(try Box().evaluate("\(other) return bytes == host.encode(t)").value == true)
    #expect(try Box().evaluate("return select('#', host.same(print, 'x', 1))").value == 1)
    let loop = "local t = {} for i = 1, 100 do t[i] = { t } end"
    let deep = try Box().evaluate("return function() \(loop) return host.same(t, 'x', 1) end")
    #expect(deep.value == false, "\(deep.text)")
  }

  @Test("emptied tables cost time alone, and that is noticed while they are written out")
  func emptied() throws {
    let script = """
      local t, y, s = {}, {}, {}
      for i = 1, 32000 do t[i] = true end
      for i = 1, 16000 do t[i + 0.5] = true end
      for i = 1, 16000 do t[i + 0.5] = nil end
      for i = 1, 32000 do t[i] = nil end
      for i = 1, 30000 do y[i] = t end
      for i = 1, 6 do s[i] = y end
      return function() return host.encode(s) end
      """
    for (deadline, fuel, status) in [
      (Int64(-1), Int64(1_000_000), LUASANDBOX_FUEL), (500_000_000, 1 << 40, LUASANDBOX_DEADLINE),
    ] {
      let box = try Box(deadline: deadline)
      #expect(box.load(script).status == LUASANDBOX_OK)
      let began = ContinuousClock.now
      let outcome = box.call(fuel: fuel)
      #expect(outcome.status == status, "\(outcome.text)")
      #expect(ContinuousClock.now - began < .seconds(5))
    }
  }

  @Test("a deadline ends a run that has fuel left, also inside a pattern")
  func deadline() throws {
    for body in ["while true do end", "string.find(('a'):rep(10000), '.-.-.-.-b$')"] {
      let box = try Box(deadline: 20_000_000)
      let outcome = box.evaluate("return function() \(body) end", fuel: 1 << 60)
      #expect(outcome.status == LUASANDBOX_DEADLINE)
      #expect(outcome.text.contains("20 ms"))
    }
  }

  @Test("fuel of nothing runs nothing")
  func noFuel() throws {
    let box = try Box()
    #expect(box.load("return 1", fuel: 0).status == LUASANDBOX_FUEL)
    let negative = try Box()
    #expect(negative.load("return 1", fuel: .min).status == LUASANDBOX_FUEL)
  }

  @Test("entry points out of order say so")
  func order() throws {
    let box = try Box(prelude: nil)
    #expect(box.call().text == "it has no prelude yet")
    #expect(box.load("return 1").text == "it has no prelude yet")
    #expect(box.boot("return 1").text == "the prelude must return a function")
    #expect(box.boot("return function() end").status == LUASANDBOX_OK)
    #expect(box.boot("return function() end").text == "it has a prelude already")
    luasandbox_destroy(nil)
  }

  @Test("a thread with a small stack survives nested gsub callbacks")
  func smallStack() async throws {
    let outcome: (luasandbox_status, String) = await withCheckedContinuation { done in
      let thread = Thread {
        guard let box = try? Box() else { return done.resume(returning: (LUASANDBOX_OK, "")) }
        let script = """
          return function()
            local function g(s) return s:gsub(".", function() return g(s) end) end
            g("abc")
          end
          """
        let outcome = box.evaluate(script)
        done.resume(returning: (outcome.status, outcome.text))
      }
      thread.stackSize = 256 * 1024
      thread.start()
    }
    #expect(outcome.0 == LUASANDBOX_ERROR)
    #expect(outcome.1.contains("C stack overflow"), "\(outcome.1)")
  }

  static let work = """
    local m = require "m"
    return function(v)
      local t = {}
      for k, x in pairs(v) do t[k] = { x, tostring(x), m.twice(k) } end
      t.s = ("x"):rep(300):gsub("x", { x = "yy" }):upper()
      t.f = string.format("%s %q %d", "a", "b", 3)
      t.ok = pcall(error, {})
      table.sort(t.list or { 3, 2, 1 })
      t.copy = host.thaw(host.freeze { a = { b = 1 } })
      t.bytes = host.decode(host.encode(t.copy))
      t.x = v.a.x[1]
      host.decide("a", "key", "value", t.copy)
      return t
    end
    """

  @Test("running out of memory at any allocation is an outcome, not an accident")
  func everyAllocationFails() throws {
    let input: Plain = .map([
      .init(key: "a", value: .record(["x": [1, 2]])), .init(key: "b", value: "text"),
    ])
    var statuses: Set<UInt32> = []
    for step in 1..<1200 {
      let box = try Box()
      luasandbox_fail_allocation(box.raw, step)
      let added = box.addModule("m", "return { twice = function(k) return k .. k end }")
      let loaded = added == LUASANDBOX_OK ? box.load(Self.work) : nil
      let outcome = loaded?.status == LUASANDBOX_OK ? box.call(input) : loaded
      guard let outcome else { continue }
      statuses.insert(outcome.status.rawValue)
      if outcome.status == LUASANDBOX_OK { break }
      #expect(outcome.status == LUASANDBOX_MEMORY, "allocation \(step): \(outcome.text)")
    }
    #expect(statuses == [LUASANDBOX_OK.rawValue, LUASANDBOX_MEMORY.rawValue])
    #expect(luasandbox_unbalanced() == 0)
  }

  @Test("a state of any size is made, used and freed, or not made")
  func everySize() throws {
    var made = 0
    for memory in stride(from: 64, to: 60_000, by: 97) {
      var limits = luasandbox_limits(
        memory_bytes: memory, block_bytes: 0, deadline_ns: -1, source_bytes: 0, result_bytes: 0)
      guard let raw = luasandbox_create(&limits) else { continue }
      luasandbox_destroy(raw)
      made += 1
      let box = try Box(memory: memory)
      let outcome = box.evaluate("return function(v) return { v, ('x'):rep(3000) } end", [1, 2])
      #expect(
        outcome.status == LUASANDBOX_OK || box.booted?.status == LUASANDBOX_MEMORY
          || outcome.status == LUASANDBOX_MEMORY, "\(memory): \(outcome.text)")
    }
    #expect(made > 10)
    #expect(luasandbox_unbalanced() == 0)
  }

  @Test("a thousand states come and go and give everything back")
  func thousandRounds() throws {
    for _ in 1...1000 {
      let box = try Box()
      #expect(box.evaluate("return { 1, { 2 } }").status == LUASANDBOX_OK)
    }
    #expect(luasandbox_unbalanced() == 0)
  }
}
