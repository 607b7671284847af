import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// Texts that take long to compile or to run, wherever a text is loaded.
@Suite(.serialized) struct SlowTextTests {
  static let chain = "local a\nlocal x = a" + String(repeating: " and a", count: 42_000) + "\n"
  static let numerals = """
    local s, t = ("0"):rep(1000000) .. "65", {}
    for i = 1, 32000 do t[i] = s end
    string.char(table.unpack(t))
    """

  private func withinTime<Value>(_ body: () throws -> Value) rethrows -> Value {
    let before = processorTime()
    let value = try body()
    let time = processorTime() - before
    let most: Duration = getenv("NETVANE_SANITIZER") == nil ? .milliseconds(600) : .seconds(10)
    #expect(time < most, "\(time)")
    return value
  }

  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func `a policy that takes too long to compile is refused with its line`() {
    let fault = withinTime { Rig.rejection(Self.chain + "return { api = 1 }") }
    #expect(says(fault, "p.lua:2", "too long to compile"), "\(fault ?? "")")
  }

  @Test func `ten modules and the policy that requires them share one time`() {
    var modules: [String: String] = [:]
    for number in 1...10 {
      modules["m\(number)"] = "local a\nlocal x = a" + String(repeating: " and a", count: 11_000)
    }
    let lines = modules.keys.sorted().map { "pcall(require, '\($0)')\n" }.joined()
    let fault = withinTime { Rig.rejection(lines + "return { api = 1 }", modules: modules) }
    #expect(
      fault?.hasPrefix("lib/m") == true && fault?.contains(".lua:2: it takes too long") == true,
      "\(fault ?? "")")
  }

  @Test func `a configuration that takes too long is refused with its line`() {
    for (text, line) in [(Self.chain + "return {}", 2), (Self.numerals, 3)] {
      let error = withinTime {
        #expect(throws: ConfigurationError.self) {
          try ConfigurationReader.parse(Array(text.utf8), file: "config.lua")
        }
      }
      #expect(error?.file == "config.lua" && error?.line == line, "\(error?.located ?? "")")
    }
  }

  @Test func `a handler that requires a slow module is stopped, at a place`() {
    let rig = Rig(
      "return { api = 1, on_path = function() require 'm' end }",
      modules: ["m": Self.chain])
    withinTime { rig.online() }
    #expect(rig.faults.first?.file == "lib/m.lua" && rig.faults.first?.line == 2)
    #expect(rig.faults.first?.message.contains("too long to compile") == true)
  }

  @Test func `what an engine's bound refuses is told with the handler's line`() {
    let rig = Rig.onPath("for i = 1, 65 do ctx.log 'x' ctx.publish('n' .. i, i) end")
    rig.online()
    #expect(rig.faults.first.map { $0.line >= 1 } == true, "\(rig.faults)")
  }

  @Test func `a setting that the policy does not know is told at its config`() {
    var settings = PolicySettings.untimed
    let given = PlainValue.map([
      PlainPair(
        key: .bytes(Array("grce".utf8)), value: .bytes(Array("1s".utf8)))
    ])
    settings.config = PlainEncoder.encode(given) ?? .emptyMap
    let fault = Rig.rejection(
      "return {\n  api = 1,\n  config = { grace = '1s' },\n}", settings: settings)
    #expect(says(fault, "p.lua:3", "grce: the policy has no such setting"), "\(fault ?? "")")
  }
}
