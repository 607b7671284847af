import LuaSandbox
import Testing

@Suite("the same again") struct DeterminismTests {
  static let script = """
    return function(input)
      local t, out = {}, {}
      for i = 1, 500 do
        t["key" .. i] = { i }
        t[{}] = i
        if i % 3 == 0 then t["key" .. (i - 1)] = nil end
      end
      for k, v in pairs(t) do out[#out + 1] = tostring(k) .. type(v) end
      local function a() end
      local function b() end
      for _, f in ipairs { b, a, print, pairs } do t[f] = #out end
      local k
      for _ = 1, 20 do k = next(t, k) out[#out + 1] = k end
      for i = 1, 50 do out[#out + 1] = math.random(1000) .. "," .. math.random() end
      table.sort(out, function(x, y) return x:reverse() < y:reverse() end)
      local s = table.concat(out, " ")
      return { s = s:gsub("%d+", function(n) return n + 1 end), fuel = host.fuel() }
    end
    """

  @Test("fuel, order and chance do not depend on the state's hash seed")
  func sameInEachState() throws {
    var seen: [Box.Outcome] = []
    for _ in 1...40 {
      let box = try Box()
      #expect(box.load(Self.script).status == LUASANDBOX_OK)
      _ = box.call()
      seen.append(box.call())
    }
    for outcome in seen {
      #expect(outcome.status == LUASANDBOX_OK, "\(outcome.text)")
      #expect(outcome.bytes == seen[0].bytes)
      #expect(outcome.fuel == seen[0].fuel)
    }
  }

  @Test("a seed repeats the numbers, another gives others")
  func seeds() throws {
    let box = try Box()
    let script = """
      return function(seed)
        host.seed(seed)
        local t = {}
        for i = 1, 100 do t[i] = math.random(1, 6) end
        return table.concat(t)
      end
      """
    #expect(box.load(script).status == LUASANDBOX_OK)
    let first = box.call(1).value
    #expect(box.call(1).value == first)
    #expect(box.call(2).value != first)
    #expect(box.evaluate("local n = math.random(3, 3) return n").value == 3)
    #expect(box.evaluate("return math.random(2, 1)").text.contains("interval is empty"))
    #expect(
      box.evaluate("return math.type(math.random(math.mininteger, math.maxinteger))").value
        == "integer")
  }

  @Test("pairs lists integers, floats, strings, booleans, then objects by age")
  func order() throws {
    let box = try Box()
    let script = """
      local one, two = {}, {}
      local t = { [two] = 8, [one] = 7, [true] = 6, [false] = 5, b = 4, a = 3, [0.5] = 2,
        [7] = 1, [-7] = 0 }
      local s = ""
      for _, v in pairs(t) do s = s .. v end
      local k, v = next(t)
      while k ~= nil do s = s .. v k, v = next(t, k) end
      return s
      """
    #expect(box.evaluate(script).value == "012345678012345678")
  }

  @Test("a key may be removed while pairs lists it, and later ones are then left out")
  func removal() throws {
    let box = try Box()
    let script = """
      local t, s = { a = 1, b = 2, c = 3, d = 4 }, ""
      for k in pairs(t) do
        s = s .. k
        t[k] = nil
        t.c = nil
        t["new" .. k] = 1
      end
      return s
      """
    #expect(box.evaluate(script).value == "abd")
  }
}
