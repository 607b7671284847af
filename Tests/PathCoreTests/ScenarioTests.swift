import PathCore
import PathSimulation
import PathTestKit
import Testing

/// Every story of the test kit, on the scripted kernel.
@Suite struct ScenarioTests {
  @Test(arguments: NetworkScenario.all)
  func `the scripted kernel gives the verdicts of the story`(_ scenario: NetworkScenario) {
    let failures = scenario.failures(on: ScriptedKernel())
    #expect(failures.isEmpty, "\(scenario.name)\n\(failures.joined(separator: "\n"))")
  }

  @Test func `no two stories have the same name`() {
    #expect(Set(NetworkScenario.all.map(\.name)).count == NetworkScenario.all.count)
  }
}
