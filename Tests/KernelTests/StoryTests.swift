import PathCore
import PathSimulation
import PathTestKit
import Testing

extension KernelTests {
  /// The stories of the test kit, told to the real kernel.
  @Suite struct Stories {}
}

extension KernelTests.Stories {
  @Test(arguments: Told.stories)
  func `the real kernel gives the verdicts of the story`(_ story: NetworkScenario) throws {
    let network = try RealNetwork()
    defer { network.close() }
    var failures = story.failures(on: network)
    if let drift = try network.drift() { failures.append(drift) }
    #expect(failures.isEmpty, "\(story.name)\n\(failures.joined(separator: "\n"))")
  }

  @Test func `the stories that the real kernel is not told are those that it cannot be`() {
    let untold = Set(NetworkScenario.all.map(\.name)).subtracting(Told.stories.map(\.name))
    #expect(untold == Set(Told.leftOut.keys))
    for story in NetworkScenario.all {
      let missing = story.needs.subtracting(RealNetwork.sureAbilities)
      if let reason = Told.leftOut[story.name] {
        #expect(missing == [reason], "\(story.name)")
      }
    }
    #expect(Told.stories.count >= 50)
  }
}

/// Which stories the real kernel is told.
enum Told {
  static let stories = NetworkScenario.all.filter {
    $0.needs.isSubset(of: RealNetwork.sureAbilities)
  }

  /// The stories left out, each with what the kernels that tests run on are not sure to have:
  /// device kinds that are modules or not built at all, and hardware.
  static let leftOut: [String: TestAbility] = [
    "a vlan whose parent lost its carrier is down": .vlan,
    "a bond takes the type of the port it uses": .bond,
    "an IP tunnel knows its link": .ipTunnel,
    "a PPP line over a cable is other, and wired beneath": .ppp,
    "a blocked radio is named, and denies wifi": .radio,
    "a wireless network is the same once its gateway has answered": .radio,
    "a link whose driver says nothing is judged by its flags": .silentDriver,
  ]
}
