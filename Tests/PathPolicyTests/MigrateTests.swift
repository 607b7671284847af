import PathCore
import PathPolicy
import PathTestKit
import Testing

/// State of an older version, handed over to a newer text.
struct MigrateTests {
  /// What a text of version `version` left in `ctx.state`.
  private func left(_ state: String, version: Int64) -> PolicyMemory {
    let rig = Rig(
      """
      return { api = 1, on_start = function(ctx) ctx.state = \(state) end }
      """)
    var memory = rig.simulator.engine.memory(of: "p") ?? PolicyMemory()
    memory.version = version
    return memory
  }

  private func start(_ text: String, _ memory: PolicyMemory) -> Rig {
    let rig = Rig([:])
    rig.simulator.load([PolicyScript("p", text)], memories: ["p": memory]) { _ in .untimed }
    return rig
  }

  private static let counting = """
    return { api = 1, version = 3, state = { n = 0 },
      migrate = function(old, from)
        return { n = old.count * 10, from = from, list = old.list }
      end,
      on_start = function(ctx)
        ctx.state.n = ctx.state.n + 1
        ctx.publish("state", ctx.state)
      end }
    """

  @Test func `a newer text is given the old state and its version, and goes on with its answer`() {
    let rig = start(Self.counting, left("{ count = 4, list = { 1, 2 } }", version: 2))
    #expect(rig.rejections == [])
    #expect(rig.value("state")?["n"].integer == 41)
    #expect(rig.value("state")?["from"].integer == 2)
    #expect(rig.value("state")?["list"].elements?.count == 2)
    #expect(rig.simulator.engine.memory(of: "p")?.version == 3)
  }

  @Test(arguments: [Int64(3), 4]) func `no older state, nothing to migrate`(version: Int64) {
    let rig = start(Self.counting, left("{ n = 7 }", version: version))
    #expect(rig.value("state")?["n"].integer == 8)
    #expect(rig.simulator.engine.memory(of: "p")?.version == version)
  }

  @Test func `the default state is nobody's and is not migrated`() {
    var memory = PolicyMemory()
    memory.wasStarted = true
    #expect(start(Self.counting, memory).value("state")?["n"].integer == 1)
  }

  @Test func `without migrate the state is kept as it is, also where the default has more`() {
    let rig = start(
      """
      return { api = 1, version = 2, state = { n = 0, more = 1 },
        on_start = function(ctx) ctx.publish("state", ctx.state) end }
      """, left("{ n = 7 }", version: 1))
    #expect(rig.value("state")?["n"].integer == 7)
    #expect(rig.value("state")?["more"] == .null)
    #expect(rig.simulator.engine.memory(of: "p")?.version == 2)
  }

  @Test(arguments: [
    ("error('no luck')", "no luck"), ("return nil", "plain data, not nil"),
    ("return 'x'", "plain data, not 'x'"), ("return { f = print }", "function"),
    ("return { s = ('x'):rep(70000) }", "64 KiB"), ("while true do end", "fuel"),
    ("return { n = old.missing.n }", "nil value"),
  ]) func `a migrate that fails turns the policy away with its place`(body: String, words: String) {
    let rig = start(
      """
      return { api = 1, version = 2,
        on_start = function(ctx) ctx.publish("ran", true) end,
        migrate = function(old, from)
          \(body)
        end }
      """, left("{ n = 7 }", version: 1))
    #expect(rig.rejections.count == 1)
    let rejection = rig.rejections.first ?? "none"
    #expect(rejection.hasPrefix("p.lua:3: ") || rejection.hasPrefix("p.lua:4: "), "\(rejection)")
    #expect(rejection.contains(words), "\(rejection)")
    #expect(rig.value("ran") == nil)
    #expect(rig.simulator.engine.memory(of: "p") == nil)
  }

  @Test func `an edit of a running policy migrates too, and a broken one leaves the old at work`() {
    let rig = Rig(
      """
      return { api = 1, version = 1,
        on_path = function(ctx, ev) ctx.state.count = ev.sequence end }
      """)
    rig.online()
    rig.load(
      ["p": "return { api = 1, version = 2, migrate = function() error('no') end }"],
      reason: .reload)
    #expect(says(rig.rejections.first, "p.lua:1", "no"))
    rig.load(["p": Self.counting], reason: .reload)
    #expect(rig.value("state")?["n"].integer == 11)
    #expect(rig.value("state")?["from"].integer == 1)
    #expect(rig.simulator.engine.memory(of: "p")?.version == 3)
  }

  @Test func `migrate has no effects`() {
    let rig = start(
      """
      return { api = 1, version = 2,
        migrate = function(old, from)
          print("x")
          return old
        end }
      """, left("{ n = 7 }", version: 1))
    #expect(says(rig.rejections.first, "p.lua:3", "inside a handler only"))
  }
}
