import LuaSandbox
import Testing

@Suite("plain data") struct CodecTests {
  static let echo = "return function(v) return v end"

  static let samples: [Plain] = [
    nil, true, false, 0, -1, .integer(.min), .integer(.max), 1.5, -0.0, 1e300, "", "text",
    .string([0, 255, 10, 0]), [1, 2, 3], [[1], ["a", true]], [:], ["a": 1, "b": ["c": [1, 2]]],
    [-5: 1, 2: 2, 7: 3, "": 4, "a": 5, "aa": 6, "b": 7],
    .map([.init(key: 1, value: .sized(["x": 1])), .init(key: "z", value: .record(["y": true]))]),
    .record(["a": 1, "b": .sized(["c": [1, 2]]), "d": .sized([[1], [:]]), "e": .record(["f": 1])]),
  ]

  static func forced(_ value: Plain) -> Plain {
    switch value {
    case .sized(let inner), .record(let inner): forced(inner)
    case .array(let values): .array(values.map(forced))
    case .map(let entries):
      .map(entries.map { Plain.Entry(key: $0.key, value: forced($0.value)) })
    default: value
    }
  }

  @Test("a value comes back as it went in", arguments: samples)
  func roundTrip(_ value: Plain) throws {
    let box = try Box()
    let expected = Self.forced(value)
    // A map of 1..n is an array when it comes back.
    #expect(box.evaluate(Self.echo, value).value == expected)
  }

  @Test("a table with only the keys 1 to n is an array, an empty one a map")
  func shapes() throws {
    let box = try Box()
    #expect(box.evaluate("return { [2] = 'b', [1] = 'a' }").value == ["a", "b"])
    #expect(box.evaluate("return {}").value == [:])
    #expect(box.evaluate("return { [0] = 1, [1] = 2 }").value == [0: 1, 1: 2])
    #expect(box.evaluate("return { [1] = 1, [3] = 3 }").value == [1: 1, 3: 3])
    #expect(
      box.evaluate("return { b = 1, a = 2, [-1] = 3, [10] = 4 }").value
        == [-1: 3, 10: 4, "a": 2, "b": 1])
  }

  static let rejected: [(String, String)] = [
    ("local t = {} t.t = t return t", "nested too deeply"),
    ("return { state = { a = { 1, 2, print } } }", "state.a[3]: a function is not plain data"),
    ("return print", "result: a function is not plain data"),
    ("return { x = 0 / 0 }", "x: not a number (nan) is not plain data"),
    ("return { 1, -1 / 0 }", "[2]: an infinite number is not plain data"),
    ("return { a = { [1.5] = 1 } }", "a: a key that is a float is not plain data"),
    ("return { a = { [true] = 1 } }", "a: a key that is a boolean is not plain data"),
    ("return { a = { [{}] = 1 } }", "a: a key that is a table is not plain data"),
    ("local t = {} for i = 1, 17 do t = { t } end return t", "nested too deeply"),
    ("return ('x'):rep(600000) .. 'y'", "the data is too large"),
    (
      "local t = {} local s = ('x'):rep(1000) for i = 1, 1000 do t[i] = s end return t",
      "the data is too large"
    ),
  ]

  @Test("what is not plain data is refused with its path", arguments: rejected)
  func refuses(_ script: String, _ message: String) throws {
    let box = try Box(result: 500_000)
    let outcome = box.evaluate("return function() \(script) end")
    #expect(outcome.status == LUASANDBOX_DATA)
    #expect(outcome.text.contains(message), "\(outcome.text)")
    #expect(box.call().status == LUASANDBOX_DATA, "the state still runs")
  }

  @Test("sixteen nested tables are accepted")
  func deepest() throws {
    let box = try Box()
    let script = "local t = 1 for i = 1, 16 do t = { t } end return t"
    #expect(box.evaluate("return function() \(script) end").status == LUASANDBOX_OK)
  }

  @Test("malformed input is refused at each length and for each changed bit")
  func fuzz() throws {
    let box = try Box()
    #expect(box.load("return function(v) return v end").status == LUASANDBOX_OK)
    for sample in Self.samples {
      let bytes = sample.bytes
      for length in 0..<bytes.count {
        #expect(box.call(bytes: Array(bytes.prefix(length))).status == LUASANDBOX_DATA)
      }
      #expect(box.call(bytes: bytes + [0]).status == LUASANDBOX_DATA)
      for position in bytes.indices {
        for bit in 0..<8 {
          var changed = bytes
          changed[position] ^= 1 << UInt8(bit)
          let status = box.call(bytes: changed).status
          #expect([LUASANDBOX_OK, LUASANDBOX_DATA].contains(status), "\(changed)")
        }
      }
    }
    #expect(box.call(1).value == 1)
  }

  @Test("input nested a thousand deep is refused")
  func deepInput() throws {
    let box = try Box()
    #expect(box.load(Self.echo).status == LUASANDBOX_OK)
    let bytes = [UInt8](repeatElement([6, 1, 0, 0, 0], count: 1000).joined()) + [0]
    #expect(box.call(bytes: bytes).status == LUASANDBOX_DATA)
  }
}
