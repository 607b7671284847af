import Foundation
import LuaSandbox
import Testing

/// Whatever a script can call or compute, with every awkward shape of argument.
@Suite("every function with every argument", .serialized) struct EveryFunctionTests {
  /// Has every function by name: a new one is among them by itself. `chunk` makes the arguments.
  static let prelude = """
    local host = ...
    local functions, names = {}, {}
    local function walk(t, path)
      for key, value in pairs(t) do
        if type(value) == "table" and value ~= host.env then walk(value, path .. key .. ".") end
        if type(value) == "function" then
          functions[path .. key], names[#names + 1] = value, path .. key
        end
      end
    end
    walk(host.env, "")
    walk({ host = host }, "")
    functions["ipairs' step"], names[#names + 1] = ipairs {}, "ipairs' step"
    functions["codes' step"], names[#names + 1] = utf8.codes "", "codes' step"
    functions["gmatch's step"] = string.gmatch(("a"):rep(900000), ".-b")
    names[#names + 1] = "gmatch's step"
    functions["pairs' step"], names[#names + 1] = pairs { 1 }, "pairs' step"
    host.env.host = host
    return function(input, shape, times)
      if input == nil then return names end
      if input == "shapes" then
        local list = {}
        for name in pairs(host.chunk) do list[#list + 1] = name end
        return list
      end
      local fn, arguments = functions[input], table.pack(host.chunk[shape]())
      for i = 1, times do pcall(fn, table.unpack(arguments, 1, arguments.n)) end
    end
    """

  static let shapes = """
    local digits = ("0"):rep(1000000) .. "65"
    local function many(value, count)
      local t = {}
      for i = 1, count or 32000 do t[i] = value end
      return table.unpack(t)
    end
    local function emptied()
      local t = {}
      for i = 1, 16000 do t[i + 0.5] = true end
      for i = 1, 16000 do t[i + 0.5] = nil end
      return t
    end
    local function border()
      local t = { 1, 2, 3, 4, 5, [8] = 8, [9] = 9 }
      for i = 4, 62 do t[1 << i] = 1 end
      return t
    end
    local function looped()
      local t = {}
      t[1], t.t = t, { t }
      return t
    end
    local function numbers(count)
      local t = {}
      for i = 1, count do t[i] = i * 1.7e300 end
      return t
    end
    return {
      nothing = function() end,
      numeral = function() return digits end,
      numerals = function() return many(digits) end,
      ["fraction of a megabyte"] = function() return many(("9"):rep(900000) .. ".5e1", 300) end,
      ["hexadecimal megabyte"] = function() return many("0x" .. ("f"):rep(900000), 300) end,
      blanks = function() return many((" "):rep(900000), 300) end,
      nuls = function() return many(("\\0"):rep(1000000)) end,
      ["texts of nuls"] = function() return ("\\0"):rep(1000000), ("\\0"):rep(999999) .. "x" end,
      ["continuation bytes"] = function() return "a" .. ("\\x80"):rep(900000), 2, 900000 end,
      ["table and numerals"] = function() return {}, digits, digits, digits, digits end,
      ["text and numerals"] = function() return "abc", digits, digits, digits end,
      ["two texts and numerals"] = function() return "abc", "b", digits, digits end,
      ["number and numerals"] = function() return 1, digits, digits end,
      infinities = function() return many(math.huge) end,
      ["not a number"] = function() return many(0 / 0) end,
      ["greatest integers"] = function() return many(math.maxinteger) end,
      ["least integers"] = function() return many(math.mininteger) end,
      ["huge numbers"] = function() return table.unpack(numbers(30000)) end,
      ["table of huge numbers"] = function() return numbers(30000), (","):rep(30) end,
      ["table and huge numbers"] = function() return {}, 1, math.maxinteger - 1, 2 end,
      ["tables of themselves"] = function() return looped(), looped(), looped() end,
      ["emptied tables"] = function() return emptied(), emptied() end,
      ["table of emptied tables"] = function()
        local t, e = {}, emptied()
        for i = 1, 30000 do t[i] = e end
        return t
      end,
      ["far border"] = function() return border(), 1, 1 end,
      ["table to sort"] = function()
        local a, b, t = ("\\0"):rep(1000000), ("\\0"):rep(999999) .. "x", {}
        for i = 1, 2000 do t[i] = i % 2 == 0 and a or b end
        return t
      end,
      ["wild order"] = function() return numbers(30000), function(a) return a % 3 < 1 end end,
      frozen = function() return host.freeze(looped()), host.freeze(numbers(2000)), 1, 2 end,
      library = function() return string, table, math end,
      functions = function() return many(print) end,
      ["function that ends"] = function() return function() end, 1, 2 end,
      booleans = function() return many(true) end,
      ["a pattern of a megabyte"] = function() return "a", ("[^b]-"):rep(180000) end,
      ["a set of a megabyte"] = function() return "a", "[" .. ("b"):rep(900000) .. "]" end,
      ["a pattern that goes back"] = function() return ("a"):rep(900000), ".-.-.-b", "%0%0" end,
      ["a text and its end"] = function()
        return ("a"):rep(900000), ("a"):rep(450000) .. "b", 1, true
      end,
      ["a text and functions"] = function() return ("ab"):rep(400000), ".", tostring end,
      formats = function() return ("%99.99f"):rep(20000), many(1.7e308, 20000) end,
      ["formats of numerals"] = function() return ("%d"):rep(30000), many(digits, 30000) end,
      ["quoted nuls"] = function() return ("%q"):rep(9), many(("\\0"):rep(200000), 9) end,
      ["a repetition"] = function() return "", math.maxinteger, "" end,
      mixed = function() return digits, {}, nil, true, 0 / 0, print, -1, "%", math.huge end,
    }
    """

  /// A sanitizer makes everything several times slower; what it runs is no measure of time.
  static let most: Duration =
    getenv("NETVANE_SANITIZER") == nil ? .milliseconds(500) : .seconds(10)

  private static func newBox() throws -> Box {
    let box = try Box(prelude: prelude)
    #expect(box.booted?.status == LUASANDBOX_OK, "\(box.booted?.text ?? "")")
    #expect(box.load(shapes, file: "shapes.lua").status == LUASANDBOX_OK)
    return box
  }

  private static func list(_ input: Plain) throws -> [String] {
    guard case .array(let items)? = try newBox().call(input).value else { return [] }
    return items.compactMap {
      if case .string(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }

  /// The arguments of one call, and how long it took this thread.
  private func measure(_ box: Box, _ arguments: [Plain], fuel: Int64) -> (Box.Outcome, Duration) {
    let before = processorTime()
    let outcome = box.call(arguments: arguments, fuel: fuel)
    return (outcome, processorTime() - before)
  }

  /// Each call alone, and of each function the dearest over and over: errors are caught, and each
  /// call may be just short enough. What is cheap alone is cheap forty times.
  @Test("no function takes longer than half a second, whatever it is given")
  func functions() throws {
    let names = try Self.list(.null), shapes = try Self.list("shapes")
    #expect(names.contains("string.char") && names.contains("host.thaw") && names.count > 60)
    #expect(shapes.count > 40)
    for name in names {
      var box = try Self.newBox()
      var dearest = (shape: "nothing", time: Self.cheap)
      func call(_ shape: String, times: Int64) throws -> Duration {
        let (outcome, time) = measure(
          box, [.string(Array(name.utf8)), .string(Array(shape.utf8)), .integer(times)],
          fuel: 1_000_000)
        #expect(time < Self.most, "\(name), \(shape), \(times) times: \(time) \(outcome.text)")
        // What it was given is changed, or the state has ended: the next one gets another.
        if outcome.status != LUASANDBOX_OK || name.hasPrefix("host.") { box = try Self.newBox() }
        return time
      }
      for shape in shapes {
        let time = try call(shape, times: 1)
        if time > dearest.time { dearest = (shape, time) }
      }
      _ = try call(dearest.shape, times: 40)
    }
  }

  /// What takes less is as good as nothing, forty times over too.
  static let cheap = Duration.milliseconds(5)

  static let operations = [
    "a < b", "a <= b", "a == b", "a ~= b", "a .. b", "a .. b .. a", "a + b", "a * 2", "a % 3",
    "a // 2", "a ^ 2", "-a", "~a", "a & 1", "1 | a", "a << 1", "#a", "a[b]", "({ [a] = 1 })[b]",
    "a:len()", "a()", "a and b", "not a", "{ a, b }",
    "(function() for i = 1, a do break end end)()", "(function() for i = a, 1 do break end end)()",
    "(function() for i = 1, 2, a do break end end)()",
  ]

  static let operands = [
    "(('0'):rep(1000000) .. '65')", "('0x' .. ('f'):rep(1000000))", "(('9'):rep(1000000) .. '.5')",
    "('\\0'):rep(1000000)", "(('\\0'):rep(999999) .. 'x')", "('\\0'):rep(60000)",
    "('\\0'):rep(250000)", "{}", "1.7e308", "(0 / 0)", "math.mininteger", "string", "print",
  ]

  @Test("nor does an operation, on whatever values", arguments: operations)
  func operators(_ operation: String) throws {
    let pairs = zip(Self.operands, Self.operands.dropFirst() + [Self.operands[0]])
    var dearest = (a: Self.operands[0], b: Self.operands[0], time: Duration.zero)
    for (first, second) in pairs {
      // A second value matters only where there is one.
      for (a, b) in operation.contains("b") ? [(first, first), (first, second)] : [(first, "nil")] {
        for isLoad in [false, true] {
          let time = try measure(operation, a, b, isLoad: isLoad, isEndless: false)
          if time > dearest.time { dearest = (a, b, time) }
        }
      }
    }
    for isLoad in [false, true] {
      _ = try measure(operation, dearest.a, dearest.b, isLoad: isLoad, isEndless: true)
    }
  }

  private func measure(
    _ operation: String, _ a: String, _ b: String, isLoad: Bool, isEndless: Bool
  ) throws -> Duration {
    let once = "pcall(function() local _ = \(operation) end)"
    let text = """
      local a, b = \(a), \(b)
      \(isEndless ? "while true do \(once) end" : once)
      """
    let box = try Box()
    let before = processorTime()
    let outcome =
      isLoad
      ? box.load(text, fuel: 1_000_000) : box.evaluate("return function() \(text) end")
    let time = processorTime() - before
    let what = "\(operation), \(a), \(b): \(time) \(outcome.text)"
    #expect(time < Self.most, "\(what)")
    if isEndless {
      #expect([LUASANDBOX_FUEL, LUASANDBOX_MEMORY].contains(outcome.status), "\(what)")
      #expect(outcome.file == "policy.lua" && outcome.line > 0, "\(what)")
    }
    return time
  }

  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
