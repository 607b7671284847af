import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The policies that people get, driven through the real engine.
@Suite struct ShippedPoliciesTests {
  let simulator = Simulator()

  init() throws {
    let directory = try PolicyDirectory(reading: Repository.path("policies"))
    #expect(directory.refused.isEmpty)
    simulator.load(directory.scripts)
    let faults = simulator.log.compactMap {
      if case .policy(_, .rejected, let detail) = $0.order { detail } else { nil }
    }
    #expect(faults == [])
  }

  @Test("the banner goes from lost to back and away again")
  func banner() {
    simulator.feed(.snapshot(.online()))
    #expect(simulator.alerts.isEmpty)
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.milliseconds(1999))
    #expect(simulator.alerts.isEmpty)
    simulator.advance(.milliseconds(1))
    #expect(simulator.alerts["reconnect-banner/connection"]?.title == "Not connected")
    simulator.feed(.snapshot(.online()))
    simulator.advance(.milliseconds(300))
    #expect(simulator.alerts["reconnect-banner/connection"]?.title == "Back online")
    simulator.advance(.seconds(5))
    #expect(simulator.alerts["reconnect-banner/connection"] == nil)
  }

  @Test("a drop within the five seconds keeps the banner, without a gap")
  func bannerWithoutGap() {
    simulator.feed(.snapshot(.online()))
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.seconds(2))
    simulator.feed(.snapshot(.online()))
    simulator.advance(.milliseconds(300))
    simulator.advance(.seconds(4))
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.milliseconds(1900))
    #expect(simulator.alerts["reconnect-banner/connection"]?.title == "Back online")
    simulator.advance(.milliseconds(100))
    #expect(simulator.alerts["reconnect-banner/connection"]?.title == "Not connected")
  }
}
