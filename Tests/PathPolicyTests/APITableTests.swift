import LuaSandbox
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The table of the API is what the Lua state really does.
struct APITableTests {
  private static let nonsense = "zzzzzzzzzzzz"

  /// The words that an error lists: "… has no 'zzzzzzzzzzzz'; it may be a, b, c".
  private func listed(_ message: String?) -> [String]? {
    guard let message, let start = message.firstRange(of: "'\(Self.nonsense)'; it may be ") else {
      return nil
    }
    return message[start.upperBound...].split(separator: ", ").map(String.init).sorted()
  }

  /// How a policy writes each table, with the entries that are given.
  private static let calls: [String: @Sendable (String) -> String] = [
    "alert": { "ctx.alert.raise { \($0) }" },
    "button": { "ctx.alert.raise { key = 'k', title = 't', buttons = { { \($0) } } }" },
    "timer": { "ctx.timer.start('x', '1s', { \($0) })" },
    "exec": { "ctx.exec { \($0) }" }, "open_url": { "ctx.open_url { \($0) }" },
    "http": { "ctx.http { \($0) }" }, "retry": { "ctx.retry { \($0) }" },
    "expectation": { "ctx.http { key = 'k', url = 'https://a.example.com/', expect = { \($0) } }" },
  ]

  /// What is said of a table with these entries.
  private func answer(_ group: PolicyAPI.Group, _ entries: String) throws -> String? {
    switch group.name {
    case "policy": return Rig.rejection("return { \(entries) }")
    case "monitor": return Rig.rejection("return { api = 1, monitors = { m = { \(entries) } } }")
    default:
      let call = try #require(Self.calls[group.name], "how is \(group.name) written?")
      return Rig.fault(onPath: call(entries))
    }
  }

  private static let good = [
    "api": "1", "key": "'k'", "title": "'t'", "id": "'i'", "label": "'l'", "command": "'c'",
    "url": "'https://a.example.com/'",
  ]

  // MARK: What is written

  @Test(arguments: PolicyAPI.tables) func `a table takes exactly the keys of its group`(
    group: PolicyAPI.Group
  ) throws {
    let names = listed(try answer(group, "\(Self.nonsense) = 1"))
    #expect(names == group.entries.map(\.name).sorted())
    #expect(Set(group.entries.map(\.name)).count == group.entries.count)
  }

  @Test(arguments: PolicyAPI.tables)
  func `each key is checked, and only those that must be are missed`(
    group: PolicyAPI.Group
  ) throws {
    let required = group.entries.filter(\.isRequired).map(\.name)
    for entry in group.entries {
      let isFunction = ["function", "settle", "boolean"].contains(entry.kind.check)
      let message = try answer(group, "\(entry.name) = \(isFunction ? "1" : "true")")
      #expect(message?.contains("'\(entry.name)': ") == true, "\(entry.name): \(message ?? "fine")")
    }
    for name in required {
      let rest = try required.filter { $0 != name }.map { "\($0) = \(try #require(Self.good[$0]))" }
      let message = try answer(group, rest.joined(separator: ", "))
      #expect(message?.hasSuffix("needs '\(name)'") == true, "\(message ?? "fine")")
    }
    let all = try required.map { "\($0) = \(try #require(Self.good[$0]))" }
    let message = try answer(group, all.joined(separator: ", "))
    #expect(message == nil || group.name == "retry" && message?.contains("one of") == true)
  }

  @Test func `one more than the bounds of lists is refused`() throws {
    func fault(_ key: String, _ count: Int, _ entry: String) -> String? {
      let list = String(repeating: entry + ", ", count: count)
      return Rig.fault(onPath: "ctx.exec { key = 'k', command = 'c', \(key) = { \(list) } }")
    }
    #expect(fault("args", PolicyBounds.listEntries, "'x'") == nil)
    #expect(fault("args", PolicyBounds.listEntries + 1, "'x'")?.contains("at most 64") == true)
    func monitors(_ count: Int) -> String? {
      Rig.rejection(
        "return { api = 1, monitors = { \((0..<count).map { "m\($0) = {}, " }.joined()) } }")
    }
    #expect(monitors(PolicyBounds.monitors) == nil)
    #expect(monitors(PolicyBounds.monitors + 1)?.contains("at most 32 monitors") == true)
    func key(_ bytes: Int) -> String? {
      Rig.fault(onPath: "ctx.alert.resolve(('k'):rep(\(bytes)))")
    }
    #expect(key(PolicyBounds.keyBytes) == nil)
    #expect(key(PolicyBounds.keyBytes + 1)?.contains("128 bytes") == true)
  }

  // MARK: What is called

  @Test(arguments: PolicyAPI.contextToolboxes) func `a toolbox has exactly the verbs that it has`(
    toolbox: PolicyAPI.Toolbox
  ) throws {
    let names = listed(Rig.fault(onPath: "ctx.log(\(toolbox.name).\(Self.nonsense))"))
    #expect(names == (toolbox.fields.map(\.name) + toolbox.verbs.map(\.name)).sorted())
    for verb in toolbox.verbs {
      #expect(
        Rig.fault(onPath: "assert(type(\(toolbox.name).\(verb.name)) == 'function')") == nil)
      // The commonest slip is answered with the way it is written, by its whole name.
      let colon = Rig.fault(onPath: "\(toolbox.name):\(verb.name)('x')")
      #expect(colon?.contains("with a dot: \(toolbox.name).\(verb.name)") == true, "\(verb.name)")
    }
  }

  @Test func `each verb that takes a table takes that of its group`() throws {
    for verb in PolicyAPI.contextToolboxes.flatMap(\.verbs)
    where verb.parameters.first?.name == "options" {
      let kind = try #require(verb.parameters.first).kind
      #expect(PolicyAPI.tables.contains { kind.annotation == "netvane.\($0.className)" })
    }
  }

  // MARK: What a script finds

  @Test func `the parts of Lua that are named are those that are there`() throws {
    var limits = luasandbox_limits()
    let sandbox = try #require(luasandbox_create(&limits))
    defer { luasandbox_destroy(sandbox) }
    let walk = """
      local host = ...
      local out = {}
      for name, value in pairs(host.env) do
        if type(value) == "table" then
          for member in pairs(value) do out[#out + 1] = name .. "." .. member end
        else
          out[#out + 1] = name
        end
      end
      return function() return table.concat(out, " ") end
      """
    var result = luasandbox_result()
    let prelude = Array(walk.utf8)
    try #require(luasandbox_boot(sandbox, "walk", prelude, prelude.count, &result) == LUASANDBOX_OK)
    let nothing: [UInt8] = [6, 0, 0, 0, 0]
    try #require(
      luasandbox_call(sandbox, nothing, nothing.count, 1_000_000, &result) == LUASANDBOX_OK)
    let bytes = Array(UnsafeBufferPointer(start: result.bytes, count: result.length))
    let text = try #require(PlainReader.decode(PlainData(bytes: bytes))?.elements?.first?.text)
    let named =
      PolicyAPI.globals
      + PolicyAPI.libraries.flatMap { library in library.members.map { "\(library.name).\($0)" } }
    #expect(text.split(separator: " ").map(String.init).sorted() == named.sorted())
  }
}
