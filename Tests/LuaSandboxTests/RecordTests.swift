import LuaSandbox
import Testing

@Suite("records and decisions") struct RecordTests {
  static let input: Plain = .record(
    .map([
      .init(key: "", value: "kind"), .init(key: "a", value: .sized(["x": [1, 2], "y": [:]])),
      .init(key: "b", value: 7), .init(key: "list", value: .sized([["n": 1], 5])),
      .init(key: "c", value: ["z": 3]), .init(key: "before", value: .record(["b": 6])),
      .init(key: "other", value: .link),
      .init(key: "", value: .sized(["more": "text", "b": 8])),
    ]))

  private func run(_ body: String) throws -> Box.Outcome {
    try Box().evaluate("return function(v) \(body) end", Self.input)
  }

  @Test(
    "a field is read from where it is",
    arguments: [
      ("return v.a.x[2] + v.b", 9), ("return v.more", "text"), ("return v.zz == nil", true),
      ("return v.a == v.a and v.list == v.list and v.before == v.before", true),
      ("return { #v.list, v.list[1].n, v.list[2], v.c.z, v.before.b }", [2, 1, 5, 3, 6]),
      (
        "local s = '' for k in pairs(v) do s = s .. k .. ' ' end return s",
        "a b before c list more "
      ),
      ("local s = 0 for _, x in ipairs(v.a.x) do s = s + x end return s", 3),
      ("local k, x = next(v, 'a') return { k, x, host.thaw(v).b }", ["b", 7, 7]),
      ("return { type(v), type(v.a), v[1] == nil, v[''] == nil }", ["table", "table", true, true]),
      ("return v.a", ["x": [1, 2], "y": [:]]), ("return table.concat(v.a.x, '-')", "1-2"),
      ("return host.thaw(v).a.x[1]", 1), ("host.kept = v return 0", 0),
      ("return { tostring(getmetatable), pcall(function() return v.a.q.r end) }", nil),
    ] as [(String, Plain?)])
  func fields(_ body: String, _ value: Plain?) throws {
    let outcome = try run(body)
    if let value { #expect(outcome.value == value, "\(outcome.text)") }
    #expect(outcome.status == LUASANDBOX_OK, "\(outcome.text)")
  }

  @Test("a field that stands for another record reads that one, as it came")
  func links() throws {
    let box = try Box()
    let keep = "return function(v) if host.kept then host.link(v, host.kept) end host.kept = v"
    let first = box.evaluate("\(keep) return { v.other == nil, v.b } end", Self.input)
    #expect(first.value == [true, 7])
    let body = """
      local keys = 0
      for key in pairs(v) do if key == "other" then keys = keys + 1 end end
      local other = v.other
      return { other == v.other, other ~= v, other.b, other.a.x[1], other.other == nil, keys }
      """
    for _ in 1...3 {
      #expect(box.evaluate("\(keep) \(body) end", Self.input).value == [true, true, 7, 1, true, 1])
    }
    #expect(try run("host.link(v, nil) host.link(v, {}) return v.other == nil").value == true)
    #expect(try run("host.link(v, v) v.other.b = 1").text.contains("read-only"))
    #expect(try run("host.link(1, v)").status == LUASANDBOX_ERROR)
    #expect(try run("host.link(v, v) return v.other").value?["b"] == 7)
  }

  @Test("what comes first counts, and stays where it is after the call")
  func first() throws {
    #expect(try run("return v.b").value == 7)
    let box = try Box()
    #expect(
      box.evaluate("return function(v) host.kept = v return v.a.x end", Self.input).value == [1, 2])
    #expect(box.evaluate("return function() return host.kept.a.x end").value == [1, 2])
  }

  @Test(
    "a record is read-only, whatever it is written through",
    arguments: [
      "v.b = 1", "v.new = 1", "v.a.x = 1", "v.list[1] = 2", "v.list[1].n = 2", "v.before.b = 1",
      "table.insert(v.list, 1)", "table.sort(v.a.x)", "for _, x in pairs(v) do x.y = 2 end",
    ])
  func writes(_ change: String) throws {
    let outcome = try run(change)
    #expect(outcome.status == LUASANDBOX_ERROR)
    #expect(outcome.text.contains("read-only") || outcome.text.contains("index"), "\(outcome.text)")
  }

  @Test("the host answers for fields that a record with a kind does not have")
  func missing() throws {
    let ask = "host.missing(function(kind, key, writes) return kind .. key .. tostring(writes) end)"
    #expect(try run("\(ask) return v.zz").value == "kindzzfalse")
    #expect(try run("\(ask) return v.a.zz == nil").value == true)
    let raise = "host.missing(function(_, key) error('no ' .. key, 0) end)"
    #expect(try run("\(raise) v.b = 1").text == "no b")
    #expect(try run("\(raise) return v.q").text == "no q")
  }

  @Test("a malformed record is refused where it is read, and never trusted")
  func malformed() throws {
    let bytes = Self.input.bytes
    let box = try Box()
    let read = """
      return function(v)
        local n = 0
        for _, key in ipairs { "a", "b", "list", "c", "before", "other", "more", "zz" } do
          if v[key] ~= nil then n = n + 1 end
        end
        return { n, v.a and v.a.x and v.a.x[1], (pcall(pairs, v)) }
      end
      """
    #expect(box.load(read).status == LUASANDBOX_OK)
    for position in bytes.indices {
      for value: UInt8 in [0, 1, 5, 6, 7, 8, 9, 10, 127, 255] where bytes[position] != value {
        var changed = bytes
        changed[position] = value
        let status = box.call(bytes: changed).status
        #expect([LUASANDBOX_OK, LUASANDBOX_DATA, LUASANDBOX_ERROR].contains(status), "\(changed)")
      }
    }
    for length in 5..<bytes.count {
      var cut = Array(bytes.prefix(length))
      (cut[1], cut[2]) = (UInt8((length - 5) & 255), UInt8((length - 5) >> 8))
      let status = box.call(bytes: cut).status
      #expect([LUASANDBOX_DATA, LUASANDBOX_ERROR].contains(status), "cut at \(length)")
    }
    #expect(box.call(bytes: bytes).status == LUASANDBOX_OK)
  }

  @Test("decisions go out in order, a later one in the place of the one it replaces")
  func decisions() throws {
    let outcome = try run(
      """
      host.decide("a", "k", "first", 1)
      host.decide(nil, nil, "log", "x")
      host.decide("b", "k", { deep = { 1, 2 } })
      host.decide("a", "k", "second", false)
      host.decide(nil, nil)
      return 0
      """)
    #expect(outcome.decisions == [["second", false], ["log", "x"], [["deep": [1, 2]]], [:]])
    #expect(try run("return 0").decisions == [:])
  }

  @Test("there are at most 64 decisions, and what replaces one needs no room of its own")
  func bounds() throws {
    let many = "for i = 1, 70 do ok = host.decide('a', 'k' .. i, i) end return ok"
    #expect(try run("local ok \(many)").value == false)
    let again = "local s = ('x'):rep(40000) for i = 1, 200 do host.decide('a', 'k', i, s) end"
    let outcome = try run("host.decide('b', 'k', 1) \(again) host.decide('c', 'k', 2) return 0")
    #expect(outcome.status == LUASANDBOX_OK, "\(outcome.text)")
    guard case .array(let all) = outcome.decisions, all.count == 3 else {
      Issue.record("\(outcome.text)")
      return
    }
    #expect(all[0] == [1] && all[2] == [2])
    let large = "local s = ('x'):rep(400000) for i = 1, 4 do host.decide('a', 'k' .. i, s) end"
    #expect(try run(large).text.contains("too large"))
    #expect(try run("host.decide('a', 'k', print)").text.contains("not plain data"))
  }

  @Test("a table fits its rules or does not")
  func fits() throws {
    let rules = "{ k = { one = true }, t = 4, b = -4, any = true, none = false }"
    for (table, good) in [
      ("{ k = 'one', t = 'abcd', b = '' }", true), ("{}", true), ("{ k = 'two' }", false),
      ("{ t = '' }", false), ("{ t = 'abcde' }", false), ("{ b = 'abcde' }", false),
      ("{ any = {} }", true), ("{ none = 1 }", false), ("{ t = 4 }", false), ("{ x = 1 }", false),
      ("{ 1 }", false), ("1", false), ("nil", false),
      ("host.freeze { t = 'a' }", false),
    ] {
      #expect(
        try run("return host.fits(\(table), \(rules))").value == .bool(good), "\(table)")
    }
  }
}
