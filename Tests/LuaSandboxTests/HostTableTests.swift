import LuaSandbox
import Testing

@Suite("the host table") struct HostTableTests {
  private func run(_ body: String, _ input: Plain = .null) throws -> Box.Outcome {
    try Box().evaluate("return function(v)\n\(body)\nend", input)
  }

  @Test("a frozen table reads like the one behind it and can not be changed")
  func frozen() throws {
    let outcome = try run(
      """
      local t = host.freeze { 1, 2, x = { y = { "deep" } } }
      local s = ""
      for k, x in pairs(t) do s = s .. tostring(k) .. type(x) end
      for i, x in ipairs(t) do s = s .. i .. x end
      s = s .. #t .. table.concat(t, "+") .. t.x.y[1] .. select("#", table.unpack(t)) .. next(t)
      assert(t.x == t.x and host.frozen(t) and host.frozen(t.x) and not host.frozen {})
      return { s, t }
      """)
    #expect(
      outcome.value
        == [
          "1number2numberxtable112221+2deep21",
          .map([
            .init(key: 1, value: 1), .init(key: 2, value: 2),
            .init(key: "x", value: ["y": ["deep"]]),
          ]),
        ])
  }

  @Test(
    "each way to write to a frozen table fails",
    arguments: [
      "t.a = 2", "t.b = 1", "t.x.y = 1", "t[1] = 1", "table.insert(t, 1)", "table.remove(t)",
      "table.sort(t)", "table.move({ 1 }, 1, 1, 1, t)", "for _, x in pairs(t) do x.y = 2 end",
      "local _, x = next(t, 'a') x.y = 2",
    ])
  func writes(_ change: String) throws {
    let outcome = try run("local t = host.freeze { a = { y = 1 }, x = {} }\n\(change)")
    #expect(outcome.status == LUASANDBOX_ERROR)
    #expect(outcome.text.contains("attempt to change a read-only table"), "\(outcome.text)")
  }

  @Test("thaw gives a copy of its own")
  func thaw() throws {
    let outcome = try run(
      """
      local frozen = host.freeze { a = { 1 }, v = v }
      local copy = host.thaw(frozen)
      copy.a[1] = 2
      copy.v.x.y = 3
      return { copy.a[1], frozen.a[1], copy.v.x.y, frozen.v.x.y }
      """, .map([.init(key: "x", value: .record(["y": 1]))]))
    #expect(outcome.value == [2, 1, 3, 1])
    #expect(try run("local t = {} t.t = t host.thaw(t)").status == LUASANDBOX_ERROR)
  }

  @Test("places and words are found in the source")
  func places() throws {
    let box = try Box()
    let found = box.evaluate(
      """
      -- word
      --[==[ word
      ]] word ]==]
      local s = "word" .. 'word\\'word' .. [[
      word]]
      local word_x, x_word = 1, 2
      local t = { word = 1 }
      return function()
        local file, line = host.where(1)
        return { host.find_word "word", host.line_of(host.chunk), file, line,
          tostring(host.find_word "nowhere"), host.file }
      end
      """)
    #expect(found.value == [7, 8, "policy.lua", 9, "nil", "policy.lua"], "\(found.text)")
  }

  @Test("a prelude can encode, decode and count its fuel")
  func encode() throws {
    #expect(try run("return host.decode(host.encode { a = { 1 } })").value == ["a": [1]])
    let outcome = try run("host.encode({ a = print }, 'state')")
    #expect(outcome.status == LUASANDBOX_ERROR)
    #expect(outcome.text == "state.a: a function is not plain data")
    #expect(
      try run("local a = host.fuel() for i = 1, 1000 do end return host.fuel() > a").value == true)
  }

  @Test("sorting is stable, also with an order of one's own")
  func sort() throws {
    let outcome = try run(
      """
      local t = {}
      for i = 1, 100 do t[i] = { k = i % 5, i = i } end
      table.sort(t, function(a, b) return a.k < b.k end)
      for i = 2, 100 do assert(t[i - 1].k < t[i].k or t[i - 1].i < t[i].i) end
      local words = { "pear", "apple", "fig", "apple" }
      table.sort(words)
      assert(not pcall(table.sort, { 1, "x" }))
      return table.concat(words, " ")
      """)
    #expect(outcome.value == "apple apple fig pear", "\(outcome.text)")
  }

  @Test("table functions keep the manual's edges")
  func tables() throws {
    let outcome = try run(
      """
      local t = { 1, 2, 3 }
      table.insert(t, 4) table.insert(t, 1, 0)
      assert(table.remove(t) == 4 and table.remove(t, 1) == 0 and #t == 3)
      assert(table.remove({}) == nil and table.remove({}, 0) == nil and table.remove({}, 1) == nil)
      assert(table.remove({ 1, 2 }, 3) == nil and not pcall(table.remove, { 1, 2 }, 4))
      assert(not pcall(table.insert, t, 5, 1) and not pcall(table.insert, t, 0, 1))
      assert(not pcall(table.insert, t) and not pcall(table.insert, t, 1, 2, 3))
      assert(table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), ",") == "1,1,2,3")
      assert(table.concat(table.move({ 1, 2, 3 }, 2, 3, 1), ",") == "2,3,3")
      assert(table.concat(table.move({ 1, 2 }, 1, 2, 1, {}), ",") == "1,2")
      assert(select("#", table.unpack({}, 1, 3)) == 3 and table.pack(nil, nil).n == 2)
      assert(select("#", table.unpack({}, math.maxinteger, math.maxinteger)) == 1)
      assert(table.concat({ 1, 2.5, "x" }, "-") == "1-2.5-x" and table.concat({}) == "")
      assert(("x"):rep(3, ",") == "x,x,x" and ("x"):rep(0) == "" and ("x"):rep(-1) == "")
      local s = "" for p, c in utf8.codes("a\\u{20AC}") do s = s .. p .. ":" .. c .. " " end
      assert(s == "1:97 2:8364 ")
      assert(string.format("%5s|%-5s|%.2s|%%|%i", true, nil, "xyz", 3) == " true|nil  |xy|%|3")
      assert("10" + 1 == 11 and "0x10" * "2" == 32 and -"2" == -2)
      assert(math.type("1" + 1) == "integer")
      assert(not pcall(function() return "x" + 1 end) and not pcall(function() return {} + "1" end))
      return "done"
      """)
    #expect(outcome.value == "done", "\(outcome.text)")
  }
}
