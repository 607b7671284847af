import LuaSandbox
import LuaStock
import Testing

@Suite("patterns") struct MatcherTests {
  /// Draws `count` cases from a generator of its own and returns what each gave, one a line.
  static func script(seed: Int, count: Int) -> String {
    """
    local seed, lines = \(seed), {}
    local function draw(n)
      seed = (seed * 1103515245 + 12345) % 2147483648
      return (seed >> 8) % n + 1
    end
    local letters = { "a", "b", "A", "1", " ", "_", "-", "]", "(", ")", "\\0", "\\xe9", "." }
    local items = { "a", "b", ".", "%a", "%d", "%s", "%w", "%A", "%W", "%x", "%u", "%l", "%p",
      "[ab]", "[^a]", "[a-c]", "[%a_]", "[]]", "[^]]", "[a-]", "[%]]", "%b()", "%bab", "%f[%w]",
      "%f[^a]", "()", "(a)", "(.)", "(.-)", "(a*)", "((.).)", "%1", "%2", "%.", "$", "^", "%%",
      "(", ")", "[", "[a", "%", "%b", "%f", "%f[", "[%", "[^", "%9", "%0", "\\0", "[\\0-b]", "%z" }
    local suffixes = { "", "", "", "*", "+", "-", "?", "*" }
    local replacements = { "", "x", "%0", "%1", "%2", "%%", "<%0%1>", "%", "%x", "a%", "\\0" }
    local function text(n)
      local t = {}
      for i = 1, draw(n) - 1 do t[i] = letters[draw(#letters)] end
      return table.concat(t)
    end
    local function pattern()
      local t = {}
      for i = 1, draw(5) do t[i] = items[draw(#items)] .. suffixes[draw(#suffixes)] end
      return (draw(5) == 1 and "^" or "") .. table.concat(t)
    end
    local function show(ok, ...)
      if not ok then return "error " .. tostring((...)):gsub("^.-:%d+: ", "") end
      local t = { "ok" }
      for i = 1, select("#", ...) do
        local v = select(i, ...)
        t[#t + 1] = math.type(v) or type(v)
        t[#t + 1] = string.format("%q", v)
      end
      return table.concat(t, " ")
    end
    local function all(...)
      local t = {}
      for a, b, c in string.gmatch(...) do
        t[#t + 1] = tostring(a) .. "," .. tostring(b) .. "," .. tostring(c)
        if #t > 50 then break end
      end
      return table.concat(t, ";")
    end
    local function replacement()
      local kind = draw(6)
      if kind == 1 then return { a = "T", ab = false, b = 5, [1] = "one", [2] = {} } end
      if kind == 2 then
        return function(x, y)
          if x == "b" then return nil end
          if x == " " then return {} end
          return "<" .. tostring(x) .. tostring(y) .. ">"
        end
      end
      return replacements[draw(#replacements)]
    end
    for i = 1, \(count) do
      local s, p, init = text(14), pattern(), draw(24) - 12
      local plain = draw(8) == 1
      if init == -11 then init = nil end
      lines[#lines + 1] = string.format("%q %q: ", s, p)
        .. show(pcall(string.find, s, p, init, plain))
        .. " | " .. show(pcall(string.match, s, p, init))
        .. " | " .. show(pcall(all, s, p, init))
        .. " | " .. show(pcall(string.gsub, s, p, replacement(),
          draw(3) == 1 and draw(4) - 2 or nil))
    end
    return table.concat(lines, "\\n")
    """
  }

  @Test("find, match, gmatch and gsub agree with Lua's own", arguments: 1...25)
  func agrees(seed: Int) throws {
    let source = Self.script(seed: seed * 7919, count: 1000)
    let box = try Box(memory: 64 << 20, block: 8 << 20, result: 8 << 20)
    let mine = box.load("return function() \(source) end").status
    #expect(mine == LUASANDBOX_OK)
    let outcome = box.call(fuel: 1_000_000_000)
    guard case .string(let ours)? = outcome.value else {
      Issue.record("\(outcome.text)")
      return
    }
    var buffer = [CChar](repeating: 0, count: 8 << 20)
    let length = luastock_run(source, source.utf8.count, &buffer, buffer.count)
    #expect(length > 0)
    let theirs = buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
    if ours == theirs { return }
    let pairs = zip(ours.split(separator: 10), theirs.split(separator: 10))
    for (left, right) in pairs where left != right {
      let texts = [left, right].map { String(decoding: $0, as: UTF8.self) }
      Issue.record("ours:  \(texts[0])\nLua's: \(texts[1])")
      return
    }
  }
}
