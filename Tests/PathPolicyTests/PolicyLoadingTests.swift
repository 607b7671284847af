import PathCore
import PathPolicy
import PathTestKit
import Testing

/// Loading a step at a time, while the policies that run go on.
struct PolicyLoadingTests {
  private static func text(_ version: Int, _ migrate: String = "return { n = old.n * 100 }")
    -> String
  {
    """
    local p = { api = 1, version = \(version), state = { n = 0 } }
    function p.migrate(old, from) \(migrate) end
    function p.on_path(ctx) ctx.state.n = ctx.state.n + 1 ctx.publish("n", ctx.state.n) end
    return p
    """
  }

  private func request(_ text: String, _ reason: StartReason = .reload) -> PolicyLoading.Request {
    var request = PolicyLoading.Request(
      [PolicyScript("a", text), PolicyScript("b", Self.text(1))], reason: reason)
    request.settings = { _ in PolicySettings(deadline: nil) }
    return request
  }

  private func published(_ simulator: Simulator) -> Int64? {
    simulator.published["a/n"].flatMap { PlainReader.decode($0) }?.integer
  }

  @Test func `nothing is in place before the end`() {
    let simulator = Simulator()
    let loading = simulator.runtime.loading(request(Self.text(1), .start))
    var steps = 0
    while !loading.isDone {
      loading.step()
      steps += 1
    }
    #expect(steps == 2)
    simulator.feed(.snapshot(.online()))
    #expect(published(simulator) == nil)
    simulator.feed(.policies(loading.finish()))
    #expect(published(simulator) == 1)
  }

  @Test func `what the old version makes of its state meanwhile is what is migrated, once`() {
    let simulator = Simulator()
    simulator.feed(.policies(simulator.runtime.loading(request(Self.text(1), .start)).finish()))
    simulator.feed(.snapshot(.online()))
    let loading = simulator.runtime.loading(request(Self.text(2)))
    while !loading.isDone { loading.step() }
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.seconds(10))
    #expect(published(simulator) == 2)
    simulator.feed(.policies(loading.finish()))
    simulator.feed(.snapshot(.online()))
    simulator.advance(.seconds(10))
    #expect(published(simulator) == 201)
  }

  @Test func `a migrate that fails on what came meanwhile leaves the old version at work`() {
    let simulator = Simulator()
    simulator.feed(.policies(simulator.runtime.loading(request(Self.text(1), .start)).finish()))
    simulator.feed(.snapshot(.online()))
    let picky = Self.text(2, "if old.n > 1 then error('no way') end return old")
    let loading = simulator.runtime.loading(request(picky))
    while !loading.isDone { loading.step() }
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.seconds(10))
    let set = loading.finish()
    #expect(set.rejected.map(\.located) == ["a.lua:2: no way"])
    simulator.feed(.policies(set))
    simulator.feed(.snapshot(.online()))
    simulator.advance(.seconds(10))
    #expect(published(simulator) == 3)
  }

  @Test func `a test is a step of its own`() {
    let simulator = Simulator()
    var asked: [String] = []
    simulator.runtime.check = { policy, _ in
      asked.append(policy.name)
      return nil
    }
    var request = request(Self.text(1), .start)
    request.tests = [PolicyScript("a", "")]
    let loading = simulator.runtime.loading(request)
    loading.step()
    #expect(asked == [] && !loading.isDone)
    loading.step()
    #expect(asked == ["a"] && !loading.isDone)
    loading.step()
    #expect(loading.isDone && loading.finish().changed == ["a", "b"])
  }
}
