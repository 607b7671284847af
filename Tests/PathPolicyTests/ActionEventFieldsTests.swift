import PathCore
import PathTestKit
import Testing

/// What policies read of their actions, as it is promised.
struct ActionEventFieldsTests {
  private static let policy = """
    local p = { api = 1 }
    function p.on_start(ctx) ctx.exec { key = "k", command = "c", disturbs = "9s" } end
    function p.on_path(ctx, ev) ctx.publish("self_inflicted", ev.self_inflicted) end
    function p.on_result(ctx, ev)
      local fields = {}
      for name in pairs(ev) do fields[#fields + 1] = name end
      ctx.publish("fields", table.concat(fields, " "))
      ctx.publish("ending", tostring(ev.ok) .. tostring(ev.refused) .. tostring(ev.dropped))
    end
    return p
    """

  private func ending(_ result: ActionResult) -> String? {
    let rig = Rig(Self.policy)
    rig.simulator.feed(.result(ActionID(policy: "p", key: "k", serial: 1), result))
    #expect(rig.faults == [])
    return rig.value("ending")?.text
  }

  @Test func `a result says whether it went well, was refused or dropped, never two of them`() {
    #expect(ending(.done) == "truefalsefalse")
    #expect(ending(.failed("x")) == "falsefalsefalse")
    #expect(ending(.notGranted) == "falsetruefalse")
    #expect(ending(.cancelled) == "falsefalsetrue")
  }

  @Test func `a result has its fields, those that are nil left out`() {
    let rig = Rig(Self.policy)
    let result = ActionResult(.failed, error: "x", exitCode: 1, signal: 9, statusCode: 404)
    rig.simulator.feed(.result(ActionID(policy: "p", key: "k", serial: 1), result))
    #expect(
      rig.value("fields")?.text
        == "attempt dropped error exit key kind ok output refused signal status_code")
  }

  @Test func `a change while an action disturbs the network reaches on_path as its doing`() {
    let rig = Rig(Self.policy)
    rig.online()
    #expect(rig.value("self_inflicted")?.bool == false)
    rig.simulator.advance(.seconds(1))
    rig.offline(settling: .seconds(1))
    #expect(rig.value("self_inflicted")?.bool == true)
    rig.simulator.advance(.seconds(10))
    rig.online()
    #expect(rig.value("self_inflicted")?.bool == false)
  }
}
