import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What a policy table may hold, and what is said of one that holds something else.
struct PolicyTableTests {
  struct Wrong: Sendable, CustomTestStringConvertible {
    /// The whole file, or the entries of a table whose first line is `return { api = 1,`.
    let text: String
    let line: Int
    let parts: [String]

    init(_ text: String, _ line: Int, _ parts: String...) {
      self.text = text
      self.line = line
      self.parts = parts
    }

    init(entry: String, _ parts: String...) {
      text = "return { api = 1,\n\n\(entry)\n}"
      line = 3
      self.parts = parts
    }

    var testDescription: String { String(text.suffix(60).map { $0 == "\n" ? " " : $0 }) }
  }

  static func check(_ wrong: Wrong) {
    let said = Rig.rejection(wrong.text)
    #expect(said?.hasPrefix("p.lua:\(wrong.line): ") == true, "\(said ?? "accepted")")
    for part in wrong.parts { #expect(said?.contains(part) == true, "\(said ?? "accepted")") }
  }

  static let files: [Wrong] = [
    Wrong("", 1, "the file is empty"),
    Wrong(" \n ", 1, "the file holds nothing"),
    Wrong("-- only words\n", 1, "returns its policy table, not nil"),
    Wrong("local p = {}\nreturn nil", 2, "not nil"),
    Wrong("\nreturn function() end", 2, "not a function"),
    Wrong("\nreturn 7", 2, "not 7"),
    Wrong("\nreturn 'text'", 2, "not 'text'"),
    Wrong("\nreturn {}", 2, "needs 'api'"),
    Wrong("\nreturn { 1, 2 }", 2, "a policy has no '1'; it may be api, config"),
    Wrong("\nreturn { api = 1, [true] = 1 }", 2, "a policy has no 'true'"),
    Wrong("\nreturn { [{}] = 1 }", 2, "a policy has no 'table'"),
    Wrong("return {\n api = 99 }", 2, "api = 99 is not known; this is version 1"),
    Wrong("return {\n api = 1.5 }", 2, "api = 1.5"),
    Wrong("return {\n api = '1' }", 2, "'api': expected a number, not '1'"),
    Wrong("return {\n api =", 2, "unexpected symbol"),
    Wrong("\u{1B}Lua", 1, "text only"),
    Wrong("\n\nerror('at load')", 3, "at load"),
    Wrong("local a\nlocal b = a.b", 2, "attempt to index a nil value (local 'a')"),
    Wrong("local p = { api = 1 }\nfunction p.on_paht() end\nreturn p", 2, "mean 'on_path'?"),
    Wrong(
      "-- on_paht\nlocal s = 'on_paht'\nreturn { api = 1,\n  on_paht = print }", 4,
      "no 'on_paht'; did you mean 'on_path'?"),
    Wrong("return { api = 1, monitors = {\n a = {}, b = {\n requird = 'wifi' } } }", 3, "required"),
  ]

  @Test(arguments: files) func `a file that is no policy is refused by its line`(_ wrong: Wrong) {
    Self.check(wrong)
  }

  static let entries: [Wrong] = [
    Wrong(entry: "desciption = 'x'", "a policy has no 'desciption'; did you mean 'description'?"),
    Wrong(entry: "zebra = 1", "a policy has no 'zebra'; it may be api, config, description"),
    Wrong(entry: "description = 5", "'description': expected a string, not 5"),
    Wrong(entry: "enabled = 'no'", "'enabled': expected a boolean, not 'no'"),
    Wrong(entry: "version = 0", "'version': expected a whole number from 1 on, not 0"),
    Wrong(entry: "version = 1.5", "from 1 on, not 1.5"),
    Wrong(entry: "version = '1'", "from 1 on, not '1'"),
    Wrong(entry: "migrate = true", "'migrate': expected a function, not true"),
    Wrong(entry: "monitors = 'internet'", "'monitors': expected a table, not 'internet'"),
    Wrong(entry: "monitors = {}", "monitors is empty"),
    Wrong(entry: "monitors = { 'internet' }", "each monitor has a name"),
    Wrong(entry: "monitors = { [''] = {} }", "each monitor has a name"),
    Wrong(entry: "monitors = { internet = true }", "'internet' is a table { … }, not true"),
    Wrong(entry: "monitors = { a = { prohibited = 'wired ' } }", "'wired ' is no interface type"),
    Wrong(entry: "monitors = { a = { prohibited = { 'wifi', 'cellar' } } }", "mean 'cellular'?"),
    Wrong(entry: "monitors = { a = { prohibited = { x = 'wifi' } } }", "expected a list"),
    Wrong(entry: "monitors = { a = { required = 'ethernet' } }", "is no interface type"),
    Wrong(entry: "monitors = { a = { required = { 'wifi' } } }", "a table is no interface type"),
    Wrong(entry: "monitors = { a = { requird = 'wifi' } }", "did you mean 'required'?"),
    Wrong(entry: "monitors = { a = { interface = 5 } }", "'interface': expected a name, not 5"),
    Wrong(entry: "monitors = { a = { interface = '' } }", "a name must not be empty"),
    Wrong(entry: "monitors = { a = { ignore = { '' } } }", "a name must not be empty"),
    Wrong(entry: "monitors = { a = { ignore = { {} } } }", "expected a name, not a table"),
    Wrong(entry: "monitors = { a = { bound = 1 } }", "'bound': expected a boolean, not 1"),
    Wrong(entry: "monitors = { a = { settle = 2 } }", "not 2, or a function(ctx, ev)"),
    Wrong(entry: "monitors = { a = { settle = '2d' } }", "more than a day is never useful"),
    Wrong(entry: "monitors = { a = { settle_max = '29s' } }", "at least 30s and four times"),
    Wrong(entry: "monitors = { a = { settle = '10s', settle_max = '39s' } }", "at least 30s"),
    Wrong(entry: "settle = 'soon'", "'soon' is not a duration such as"),
    Wrong(entry: "settle = true", "not true, or a function(ctx, ev) that returns one"),
    Wrong(entry: "config = 'x'", "'config': expected a table, not 'x'"),
    Wrong(entry: "config = { f = print }", "config.f: a function is not plain data"),
    Wrong(entry: "config = { a = { b = { print } } }", "a function is not plain data"),
    Wrong(entry: "config = { n = 0/0 }", "config.n: not a number"),
    Wrong(entry: "state = 1", "'state': expected a table, not 1"),
    Wrong(entry: "state = { f = print }", "state.f: a function is not plain data"),
    Wrong(entry: "state = { [1.5] = 1 }", "a key that is a float is not plain data"),
    Wrong(entry: "state = { t = ('x'):rep(70000) }", "state may have 64 KiB"),
    Wrong(entry: "every = 'tick'", "'every': expected a table, not 'tick'"),
    Wrong(
      entry: "every = { tick = 5 }", "every.tick: a duration is a string such as \"10s\", not 5"),
    Wrong(entry: "every = { tick = '999ms' }", "every.tick: at least 1s"),
    Wrong(entry: "every = { '5s' }", "every: each timer has a name, not 1"),
    Wrong(entry: "every = { tick = '5s' }", "every needs a function on_timer(ctx, ev)"),
    Wrong(entry: "on_start = 'x'", "'on_start': expected a function, not 'x'"),
    Wrong(entry: "on_path = 'x'", "'on_path': expected a function, not 'x'"),
    Wrong(entry: "on_timer = {}", "'on_timer': expected a function, not a table"),
    Wrong(entry: "on_button = 1", "'on_button': expected a function, not 1"),
    Wrong(entry: "on_dismissed = 1", "'on_dismissed': expected a function, not 1"),
    Wrong(entry: "on_result = 1", "'on_result': expected a function, not 1"),
    Wrong(entry: "on_system = false", "'on_system': expected a function, not false"),
  ]

  @Test(arguments: entries) func `a wrong entry is refused by its line`(_ wrong: Wrong) {
    Self.check(wrong)
  }

  @Test func `too many monitors or recurring timers are refused`() {
    for (name, end) in [("monitors", "{}"), ("every", "'5s'")] {
      let text = """
        local many = {}
        for i = 1, 33 do many["n" .. i] = \(end) end
        return { api = 1, on_timer = print,
          \(name) = many }
        """
      #expect(says(Rig.rejection(text), "p.lua:4", "at most 32"))
    }
  }

  @Test func `a huge table is refused by its first key and not walked`() {
    let text = "local t = {}\nfor i = 1, 20000 do t[i] = i end\nreturn t"
    #expect(says(Rig.rejection(text), "p.lua:3", "a policy has no '1'"))
  }

  @Test func `a state that contains itself is refused`() {
    let text = "local s = {}\ns.me = s\nreturn { api = 1,\nstate = s }"
    #expect(says(Rig.rejection(text), "p.lua:2", "nested too deeply, or contains itself"))
  }

  @Test func `all that may be written is understood`() throws {
    let text = """
      return { api = 1, description = "d", version = 3, migrate = function() end,
        monitors = {
          a = { required = "wiredEthernet", prohibited = "cellular", interface = "eth*",
                ignore = "wg0", bound = true, settle = "2s", settle_max = "1m" },
          b = { prohibited = { "wifi", "other" }, ignore = { "tun0", "tun1" },
                settle = function() return "1s" end },
          c = {} },
        config = { x = 1 }, state = { n = 1, f = 1.0 }, every = { tick = "1m" },
        on_start = print, on_path = print, on_timer = print, on_button = print,
        on_dismissed = print, on_result = print, on_system = print }
      """
    let set = PolicyRuntime().load([PolicyScript("p", text)], reason: .start)
    #expect(set.rejected == [])
    let policy = try #require(set.loaded.first)
    #expect(policy.about == "d" && policy.isEnabled)
    #expect(policy.handlers == Set(Handler.allCases))
    #expect(policy.every == [RecurringTimer(name: "tick", period: .seconds(60))])
    let wifiAndOther = InterfaceTypeSet([.init(.wifi), .init(.other)])
    #expect(
      policy.monitors == [
        MonitorDeclaration(
          name: "a",
          filter: PathFilter(
            required: .wired, prohibited: .init(.cellular), interface: "eth*", ignored: ["wg0"],
            isBound: true), settle: .fixed(.seconds(2)), settleMax: .seconds(60)),
        MonitorDeclaration(
          name: "b",
          filter: PathFilter(prohibited: wifiAndOther, ignored: ["tun0", "tun1"]),
          settle: .function),
        MonitorDeclaration(name: "c"),
      ])
    var state = PlainWriter()
    let map = state.beginMap()
    state.text("f")
    state.number(1)
    state.text("n")
    state.integer(1)
    state.endMap(map, count: 2)
    #expect(policy.state == PlainData(bytes: state.bytes))
  }

  @Test func `without monitors there is one, called internet`() {
    let set = PolicyRuntime().load([PolicyScript("p", "return { api = 1 }")], reason: .start)
    #expect(set.loaded.first?.monitors == [MonitorDeclaration(name: "internet")])
    #expect(set.loaded.first?.handlers == [.settle])
  }

  @Test func `a disabled policy is listed and not run`() {
    let rig = Rig("return { api = 1, enabled = false, on_start = function() error('ran') end }")
    rig.online()
    #expect(rig.faults == [])
    #expect(rig.rejections == [])
    let isListed = rig.simulator.log.contains {
      if case .policy("p", .disabled, _) = $0.order { true } else { false }
    }
    #expect(isListed)
  }
}
