import PathPolicy
import PolicyTesting
import Testing

/// What the table of the API says of tests is what tests really find, and what documents show runs.
struct TestAPITests {
  private static let nonsense = "zzzzzzzzzzzz"

  /// The words that an error lists: "… has no 'zzzzzzzzzzzz'; there is a, b, c".
  private func listed(_ message: String?) -> [String]? {
    guard let message, let start = message.firstRange(of: "'\(Self.nonsense)'"),
      let list = message[start.upperBound...].firstRange(of: "there is ")
    else { return nil }
    return message[list.upperBound...].split(separator: ", ").map(String.init).sorted()
  }

  /// What is said of a case, or of a property, with this body.
  private func message(_ body: String, inProperty: Bool = false) -> String? {
    if !inProperty { return Bench.onNetwork(body)?.message }
    let bench = Bench("t.property('it', { runs = 1 }, function(sim, gen)\n\(body)\nend)")
    return bench.outcomes.first?.failure?.message
  }

  @Test(arguments: PolicyAPI.testToolboxes) func `a toolbox has exactly its verbs`(
    toolbox: PolicyAPI.Toolbox
  ) {
    let said = message(
      "local it = \(toolbox.name).\(Self.nonsense)", inProperty: toolbox.name == "gen")
    #expect(listed(said) == toolbox.verbs.map(\.name).sorted(), "\(said ?? "nothing")")
  }

  @Test(arguments: PolicyAPI.testTables) func `a table of a test takes exactly its keys`(
    group: PolicyAPI.Group
  ) {
    let table = "{ \(Self.nonsense) = 1 }"
    let said =
      switch group.name {
      case "property":
        Bench("t.property('it', \(table), function() end)").plan.problems.first
      case "actions": message("sim.expect { actions = { \(table) } }")
      case "path": Bench.body("sim.path \(table)")?.message
      case "interface": message("net.add('eth7', \(table))")
      case "join": message("net.join('wlan0', \(table))")
      case "finish_action": message("sim.finish_action('k', \(table))")
      case "vpn": message("net.vpn \(table)")
      case "flaps", "roaming", "sleep":
        message("local it = gen.\(group.name) \(table)", inProperty: true)
      default: message("sim.\(group.name) \(table)")
      }
    #expect(listed(said) == group.entries.map(\.name).sorted(), "\(said ?? "nothing")")
  }

  @Test func `the events that are counted are those of the table`() {
    let said = message("sim.count '\(Self.nonsense)'")
    #expect(listed(said) == PolicyAPI.testEvent.words.sorted(), "\(said ?? "nothing")")
  }

  @Test func `the policy to start from passes its test`() {
    let files = StarterPolicy(name: "p").files.map(\.text)
    let bench = Bench(["p": files[0]], ["p": files[1]])
    #expect(bench.plan.problems == [])
    #expect(bench.messages == ["passed", "passed"])
  }

  @Test func `the test that the reference shows passes with the policy that it shows`() throws {
    let page = try #require(PolicyAPI.Files.all.last).text
    var blocks: [String] = []
    var rest = page[...]
    while let start = rest.firstRange(of: "```lua\n") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: "```") else { break }
      blocks.append(String(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    let policy = try #require(blocks.first { $0.contains("api = 1") })
    let test = try #require(blocks.first { $0.contains("policy.test") })
    let bench = Bench(["p": policy], ["p": test])
    #expect(bench.plan.problems == [])
    #expect(bench.messages == ["passed", "passed"])
  }
}
