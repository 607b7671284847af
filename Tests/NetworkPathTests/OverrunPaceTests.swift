import Testing

@testable import NetworkPath

/// How often all is read anew because news was lost.
struct OverrunPaceTests {
  @Test func `the first loss is read at once, the next a second after that reading`() {
    var pace = OverrunPace()
    pace.lose()
    #expect(pace.heldUntil(.seconds(10)) == nil)
    pace.read(at: .seconds(10))
    pace.lose()
    #expect(pace.heldUntil(.milliseconds(10_001)) == .seconds(11))
    #expect(pace.heldUntil(.milliseconds(10_999)) == .seconds(11))
    #expect(pace.heldUntil(.seconds(11)) == nil)
  }

  @Test func `news that was not lost is never held`() {
    var pace = OverrunPace()
    pace.lose()
    pace.read(at: .seconds(10))
    #expect(pace.heldUntil(.milliseconds(10_001)) == nil)
    // A reading without a loss before it does not count.
    pace.read(at: .milliseconds(10_500))
    pace.lose()
    #expect(pace.heldUntil(.milliseconds(10_600)) == .seconds(11))
  }
}
