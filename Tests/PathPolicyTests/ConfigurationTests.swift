import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The configuration file: every word of it, good and bad.
struct ConfigurationTests {
  func parse(_ text: String) throws(ConfigurationError) -> Configuration {
    try ConfigurationReader.parse(Array(text.utf8), file: "config.lua")
  }

  func refusal(_ text: String) -> String? {
    do throws(ConfigurationError) {
      _ = try parse(text)
      return nil
    } catch {
      return error.located
    }
  }

  @Test func `all that may be written is understood`() throws {
    let config = try parse(
      """
      local name = "wlan*"
      return {
        interfaces = {
          [name] = { type = "wifi", expensive = false, constrained = true },
          eth0 = { type = "wiredEthernet", unique_local = true },
          wwan0 = { expensive = true, on_demand = true } },
        underlay = { wg0 = "eth0", ["tun*"] = "always" },
        lookup = { ipv4 = "192.0.2.1", ipv6 = "2001:db8::1" },
        bridge_uplink = false,
        grants = {
          exec = { vpn = { "/usr/bin/nmcli", "up", "" } },
          open_url = { "Example.com", "*.example.org" }, http = { "*", "[2001:DB8::1]" },
        },
        policies = { ["reconnect-banner"] = { grace = "3s" } },
        limits = { load_fuel = 10000, handler_fuel = 20000, deadline_ms = 100, reconcile_s = 60 },
      }
      """)
    #expect(config.interfaces.map(\.pattern) == ["wwan0", "eth0", "wlan*"])
    #expect(config.interfaces.map(\.type) == [nil, .wired, .wifi])
    #expect(config.interfaces.map(\.isExpensive) == [true, nil, false])
    #expect(config.interfaces.map(\.isConstrained) == [nil, nil, true])
    #expect(config.interfaces.map(\.acceptsUniqueLocal) == [nil, true, nil])
    #expect(config.interfaces.map(\.isOnDemand) == [true, nil, nil])
    #expect(config.underlay.map(\.pattern) == ["wg0", "tun*"])
    #expect(config.underlay.map(\.interface) == ["eth0", nil])
    #expect(config.lookupIPv4 == IPAddress("192.0.2.1"))
    #expect(config.lookupIPv6 == IPAddress("2001:db8::1"))
    #expect(!config.countsBridgeUplink)
    #expect(config.grants.commands == ["vpn": ["/usr/bin/nmcli", "up", ""]])
    #expect(config.grants.openURL == [.host("example.com"), .below("example.org")])
    #expect(config.grants.http == [.any, .host("2001:db8::1")])
    let settings = config.settings(for: "reconnect-banner")
    #expect(PlainReader.decode(settings.config)?["grace"].text == "3s")
    #expect(settings.place == "config.lua: policies[\"reconnect-banner\"]")
    #expect(settings.loadFuel == 10_000 && settings.callFuel == 20_000)
    #expect(settings.deadline == .milliseconds(100))
    #expect(config.limits.reconcileSeconds == 60)
    #expect(config.settings(for: "other").config == .emptyMap)
  }

  @Test(arguments: [
    "return {}",
    """
    return { interfaces = {}, underlay = {}, lookup = {}, grants = {}, policies = {}, limits = {} }
    """,
    "return { grants = { exec = {} }, policies = { p = {} }, interfaces = { eth0 = {} } }",
  ]) func `what is left out is as it was`(_ text: String) throws {
    let config = try parse(text)
    #expect(config.countsBridgeUplink && config.limits == Configuration().limits)
    #expect(config.lookupIPv4 == nil && config.grants.isEmpty)
  }

  @Test func `a name comes before patterns, a long pattern before a short one`() throws {
    let patterns = ["*", "e*", "eth?", "eth0", "enp*s0", "a", "longer-name"]
    let entries = patterns.map { "['\($0)'] = {}" }.joined(separator: ", ")
    let config = try parse("return { interfaces = { \(entries) } }")
    #expect(
      config.interfaces.map(\.pattern)
        == ["longer-name", "eth0", "a", "enp*s0", "eth?", "e*", "*"])
  }

  /// Entries whose third line is wrong, and what is said.
  static let wrong: [(String, String)] = [
    ("interfacs = {}", "the configuration has no 'interfacs'; did you mean 'interfaces'?"),
    ("zebra = 1", "the configuration has no 'zebra'; it may be bridge_uplink, grants"),
    ("interfaces = 5", "interfaces: expected a table { … }, not a number"),
    ("interfaces = { 'eth0' }", "interfaces: expected a table { … }"),
    ("interfaces = { eth0 = 'wired' }", "eth0: expected a table { … }, not a string"),
    ("interfaces = { [5] = {} }", "interfaces: expected a name as key, not 5"),
    ("interfaces = { [''] = {} }", "interfaces: expected a name as key, not ''"),
    ("interfaces = { ['w*'] = { typ = 'wifi' } }", "the interface 'w*' has no 'typ'; did you mean"),
    ("interfaces = { ['w*'] = { type = 'wiffi' } }", "'wiffi' is no interface type; did you mean"),
    ("interfaces = { ['w*'] = { type = 5 } }", "5 is no interface type; it may be wifi, wired"),
    ("interfaces = { ['w*'] = { type = {} } }", "a table is no interface type"),
    ("interfaces = { ['w*'] = { expensive = 'no' } }", "expensive: expected true or false"),
    ("interfaces = { ['w*'] = { constrained = 0 } }", "constrained: expected true or false, not 0"),
    ("underlay = true", "underlay: expected a table { … }, not a boolean"),
    ("underlay = { wg0 = true }", "underlay.wg0: expected an interface's name or \"always\""),
    ("underlay = { wg0 = '' }", "underlay.wg0: expected an interface's name"),
    ("lookup = '192.0.2.1'", "lookup: expected a table { … }, not a string"),
    ("lookup = { ipv5 = 'x' }", "lookup has no 'ipv5'; did you mean 'ipv"),
    ("lookup = { ipv4 = '2001:db8::1' }", "lookup.ipv4: expected a global IPv4 address"),
    ("lookup = { ipv6 = '192.0.2.1' }", "lookup.ipv6: expected a global IPv6 address"),
    ("lookup = { ipv4 = '127.0.0.1' }", "not '127.0.0.1'"),
    ("lookup = { ipv4 = '0.0.0.0' }", "not '0.0.0.0'"),
    ("lookup = { ipv4 = '169.254.1.1' }", "not '169.254.1.1'"),
    ("lookup = { ipv4 = '192.0.2.1/24' }", "not '192.0.2.1/24'"),
    ("lookup = { ipv4 = '192.0.2.256' }", "not '192.0.2.256'"),
    ("lookup = { ipv4 = 3221225985 }", "not 3221225985"),
    ("lookup = { ipv4 = '224.0.0.1' }", "not '224.0.0.1'"),
    ("lookup = { ipv4 = '255.255.255.255' }", "not '255.255.255.255'"),
    ("lookup = { ipv6 = 'ff02::1' }", "not 'ff02::1'"),
    ("lookup = { ipv6 = 'fe80::1' }", "not 'fe80::1'"),
    ("lookup = { ipv6 = 'fe80::1%eth0' }", "not 'fe80::1%eth0'"),
    ("lookup = { ipv6 = '::' }", "not '::'"),
    ("lookup = { ipv6 = '::1' }", "not '::1'"),
    ("bridge_uplink = 'no'", "bridge_uplink: expected true or false, not 'no'"),
    ("grants = 'all'", "grants: expected a table { … }"),
    ("grants = { exce = {} }", "grants has no 'exce'; did you mean 'exec'?"),
    ("grants = { exec = { 'ls' } }", "exec: expected a table { … }"),
    ("grants = { exec = { ls = '/bin/ls' } }", "grants.exec.ls: expected a list such as"),
    ("grants = { exec = { ls = {} } }", "grants.exec.ls: expected a list such as"),
    ("grants = { exec = { ls = { 'ls' } } }", "the program with its whole path"),
    ("grants = { exec = { ls = { '/bin/ls', 5 } } }", "grants.exec.ls: expected a list such as"),
    ("grants = { exec = { ls = { '/bin/l\\0s' } } }", "grants.exec.ls: expected a list such as"),
    ("grants = { exec = { ls = { x = '/bin/ls' } } }", "grants.exec.ls: expected a list such as"),
    (
      "grants = { exec = { ls = { '/bin/ls', ('x'):rep(40000) } } }",
      "grants.exec.ls: more than 64 arguments, or than 32768 bytes"
    ),
    ("grants = { open_urls = {} }", "grants has no 'open_urls'; did you mean 'open_url'?"),
    ("grants = { http = 'x' }", "grants.http: expected a list of hosts such as {"),
    ("grants = { http = { hosts = { 'x' } } }", "not a table with names"),
    ("grants = { http = { 5 } }", "grants.http: expected a host, not 5"),
    ("grants = { http = { 'https://x/' } }", "grants.http: \"https://x/\" is no host"),
    ("grants = { http = { 'x:80' } }", "grants.http: \"x:80\" is no host"),
    ("grants = { open_url = { '' } }", "grants.open_url: there is no host"),
    ("grants = { open_url = { '*.' } }", "grants.open_url: there is no host"),
    ("grants = { open_url = { 'a.*' } }", "grants.open_url: \"a.*\" is no host"),
    ("grants = { open_url = { '127.1' } }", "grants.open_url: \"127.1\" looks like an address"),
    ("policies = { 'x' }", "policies: expected a table { … }"),
    ("policies = { x = 5 }", "x: expected a table { … }, not a number"),
    ("policies = { x = { 1, 2 } }", "x: expected a table { … }"),
    ("limits = { fuel = 1 }", "limits has no 'fuel'; "),
    ("limits = { load_fuel = 9999 }", "expected a whole number from 10000 to 1000000000, not 9999"),
    ("limits = { load_fuel = 1e300 }", "limits.load_fuel: expected a whole number"),
    ("limits = { handler_fuel = 1000000001 }", "limits.handler_fuel: expected a whole number"),
    ("limits = { deadline_ms = 0 }", "limits.deadline_ms: expected a whole number from 1 to 10000"),
    ("limits = { deadline_ms = 10001 }", "limits.deadline_ms"),
    ("limits = { deadline_ms = '100' }", "not '100'"),
    ("limits = { deadline_ms = 1.5 }", "not 1.5"),
    (
      "limits = { reconcile_s = 9 }", "limits.reconcile_s: expected a whole number from 10 to 86400"
    ),
    ("policies = { x = { f = print } }", "a function is not plain data"),
    ("policies = { x = { n = 0/0 } }", "not a number (nan) is not plain data"),
    ("policies = { x = { [1.5] = 1 } }", "a key that is a float is not plain data"),
    ("limits = print", "a function is not plain data"),
  ]

  @Test(arguments: wrong) func `a wrong entry is refused by its line`(
    _ entry: String, _ part: String
  ) {
    let said = refusal("-- \(entry)\nreturn {\n\(entry) }")
    #expect(says(said, "config.lua:3", part), "\(said ?? "accepted")")
  }

  @Test(arguments: [
    ("", 0, "returns a table, not nothing"), ("\nreturn nil", 2, "not nothing"),
    ("\nreturn 5", 2, "not a number"), ("\nreturn { 1, 2 }", 2, "the configuration"),
    ("return {\n x = = 1 }", 2, "unexpected symbol"), ("\nerror('stop')", 2, "stop"),
    ("\n\nwhile true do end", 3, "fuel"), ("\nlocal t = nil\nreturn t.x", 3, "nil value"),
    ("\nlocal s = 'x' while true do s = s .. s end", 2, "memory"),
    ("\nprint('x')\nreturn {}", 2, "no effects"), ("\nreturn { [true] = 1 }", 2, "boolean"),
    ("\nio.open('/etc/passwd')", 2, "nil value (global 'io')"),
    ("\nrequire 'x'", 2, "'x'"), ("\u{1B}Lua", 1, "text only"),
    ("local t = {}\nt.t = t\nreturn { policies = t }", 1, "contains itself"),
    ("return {\n interfaces = setmetatable({}, {}) }", 2, "nil value"),
  ]) func `a file that is no configuration is refused`(_ text: String, _ line: Int, _ part: String)
  {
    let said = refusal(text)
    let place = line > 0 ? "config.lua:\(line)" : "config.lua"
    #expect(says(said, place, part), "\(said ?? "accepted")")
  }

  @Test func `a duration that a policy cannot read is refused with the place of the setting`()
    throws
  {
    let config = try parse("return { policies = { p = { grace = '3 seconds' } } }")
    let text = "return { api = 1, config = { grace = '2s' } }"
    let said = Rig.rejection(text, settings: config.settings(for: "p"))
    #expect(said?.contains("config.lua: policies[\"p\"].grace: '3 seconds' is not a dur") == true)
  }

  @Test func `settings for a policy that is not there are told`() throws {
    let config = try parse("return { policies = { ['recconect-banner'] = {}, other = {} } }")
    let known = ["other", "reconnect-banner"]
    #expect(
      config.straySettings(policies: known) == [
        "config.lua: policies[\"recconect-banner\"]: there is no such policy; "
          + "did you mean 'reconnect-banner'?"
      ])
  }

  @Test func `a file that cannot be read or is anybody's is refused by its name`() {
    let scratch = Scratch()
    let path = scratch.at("config.lua")
    func refusal() -> String? {
      do throws(ConfigurationError) {
        _ = try ConfigurationReader.read(path)
        return nil
      } catch {
        return error.located
      }
    }
    #expect(refusal() == "\(path): there is no such file")
    scratch.write("config.lua", "return {}")
    #expect(refusal() == nil)
    chmod(path, 0o666)
    #expect(refusal()?.contains("everybody may write it") == true)
    unlink(path)
    scratch.pipe("config.lua")
    #expect(refusal() == "\(path): it is a pipe, not a file")
    unlink(path)
    scratch.link("config.lua", to: "/dev/zero")
    #expect(refusal() == "\(path): it is a device, not a file")
    unlink(path)
    scratch.write("config.lua", "\nreturn { intefaces = {} }")
    #expect(refusal()?.hasPrefix("\(path):2: the configuration has no 'intefaces'") == true)
  }

  @Test func `a configuration is taken only from a file that nobody else can write or replace`() {
    let scratch = Scratch()
    scratch.folder("etc")
    let path = scratch.at("etc/config.lua")
    func refusal(_ path: String) -> String? {
      do throws(ConfigurationError) {
        _ = try ConfigurationReader.read(path)
        return nil
      } catch {
        return error.located
      }
    }
    let granting = "return {\n  grants = { http = { 'example.com' } } }"
    scratch.write("etc/config.lua", granting)
    #expect(refusal(path) == nil)
    // A group of one's own, or any other but root's.
    chown(path, geteuid(), geteuid() == 0 ? 12_345 : getegid())
    chmod(path, 0o664)
    #expect(
      refusal(path)
        == "\(path): its group may write it; take that away with: chmod g-w \(path)")
    chmod(path, 0o644)
    #expect(refusal(path) == nil)
    chmod(scratch.at("etc"), 0o777)
    #expect(refusal(path)?.contains("everybody may write into \(scratch.at("etc"));") == true)
    chmod(scratch.at("etc"), 0o1777)
    #expect(refusal(path) == nil)
    chmod(scratch.at("etc"), 0o755)
    scratch.folder("loose")
    scratch.link("loose/config.lua", to: path)
    #expect(refusal(scratch.at("loose/config.lua")) == nil)
    chmod(scratch.at("loose"), 0o777)
    #expect(refusal(scratch.at("loose/config.lua"))?.contains("may write into") == true)
    if geteuid() == 0 {
      chown(path, 12_345, 0)
      #expect(refusal(path)?.contains("it belongs to user 12345") == true)
    }
    // What grants nothing steers what runs all the same.
    scratch.write("etc/config.lua", "return {}")
    chown(path, geteuid(), geteuid() == 0 ? 12_345 : getegid())
    chmod(path, 0o664)
    #expect(refusal(path)?.contains("its group may write it") == true)
    chmod(path, 0o644)
    #expect(refusal(path) == nil)
  }
}
