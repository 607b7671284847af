import PathKernel
import Testing

extension KernelTests {
  /// The table of what a verdict rests on, walked on the real kernel.
  @Suite struct Inputs {}
}

extension KernelTests.Inputs {
  @Test(arguments: VerdictInput.allCases)
  func `each change of an input is judged in time, and the reconcile finds nothing`(
    _ input: VerdictInput
  ) throws {
    let place = try InputPlace()
    let changes = try place.changes(of: input)
    #expect(changes.isEmpty == (input.wake == .never), "\(input)")
    let follower = try place.follower()
    for change in changes {
      if change.settles { follower.settle(.milliseconds(200)) }
      #expect(!change.isJudged(follower), "\(change.what): it was so before")
      try change.make()
      let time = follower.time(within: .seconds(3)) { change.isJudged(follower) }
      #expect(
        time.map { $0 < change.limit } == true,
        "\(change.what): \(time as Any); \(follower.path.why)")
    }
    follower.settle(.milliseconds(300))
    // The end of duplicate address detection is a change, and comes when it comes.
    _ = follower.time(within: .seconds(5)) {
      !follower.last.interfaces.contains { $0.addresses.contains(where: \.isPending) }
    }
    let judged = follower.last
    #expect(!follower.reader.reconcile(), "\(input)")
    #expect(follower.reader.snapshot() == judged, "\(input)")
    #expect(follower.losses.isEmpty)
  }
}
