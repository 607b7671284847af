import Glibc
import PathPolicy
import PathTestKit
import Testing

/// What others put in the place of a file while it is read.
@Suite(.enabled(if: geteuid() == 0, "only root can give files away")) struct SwapTests {
  let scratch = Scratch()

  private func text(_ name: String) -> String {
    "return { grants = { exec = { it = { '/bin/\(name)' } } } }"
  }

  /// `config/config.lua` with root's text; `his/config.lua`, another user's with his own, beside it
  /// `mixed`, his directory with a file of root's.
  private func prepare() {
    scratch.write("config/config.lua", text("good"))
    scratch.write("config/other.lua", text("bad"))
    scratch.write("his/config.lua", text("bad"))
    scratch.write("mixed/config.lua", text("bad"))
    chown(scratch.at("config/other.lua"), 1000, 1000)
    for name in ["his", "his/config.lua", "mixed"] { chown(scratch.at(name), 1000, 1000) }
  }

  /// Reads while a second thread exchanges two names as fast as it can: what was taken, and how
  /// often it was refused.
  private func readings(_ left: String, _ right: String, rounds: Int) -> (
    taken: Set<String>, refused: Int
  ) {
    let swapper = Swapper(scratch.at(left), scratch.at(right))
    defer { swapper.stop() }
    var taken: Set<String> = []
    var refused = 0
    var round = 0
    // Both must have been met, or nothing was shown; how the threads run is the machine's affair.
    while round < rounds || (refused == 0 || taken.isEmpty) && round < 200 * rounds {
      round += 1
      do throws(ConfigurationError) {
        let configuration = try ConfigurationReader.read(scratch.at("config/config.lua"))
        for command in configuration.grants.commands.values { taken.formUnion(command) }
      } catch {
        refused += 1
      }
    }
    return (taken, refused)
  }

  @Test(arguments: [
    ("config/config.lua", "config/other.lua"), ("config", "his"), ("config", "mixed"),
  ]) func `another user's text is never taken while names are exchanged`(
    _ left: String, _ right: String
  ) {
    prepare()
    let (taken, refused) = readings(left, right, rounds: 200)
    #expect(taken == ["/bin/good"] && refused > 0)
  }

  @Test func `a link that is turned back and forth leads to root's text or to nothing`() {
    prepare()
    scratch.rename("config", to: "real")
    scratch.link("config", to: "real")
    scratch.link("turned", to: "mixed")
    let (taken, refused) = readings("config", "turned", rounds: 200)
    #expect(taken == ["/bin/good"] && refused > 0)
  }

  @Test func `root's file in a directory that belongs to another is not taken`() {
    prepare()
    do throws(ConfigurationError) {
      _ = try ConfigurationReader.read(scratch.at("mixed/config.lua"))
      Issue.record("it was taken")
    } catch {
      let place = scratch.at("mixed")
      #expect(
        error.message
          == "\(place) belongs to user 1000; it must be root's or yours: chown root \(place)")
    }
  }
}

/// Exchanges two names until it is told to stop.
private final class Swapper {
  private let state: UnsafeMutablePointer<State>
  private var thread = pthread_t()

  private struct State {
    var left: UnsafeMutablePointer<CChar>
    var right: UnsafeMutablePointer<CChar>
    var spare: UnsafeMutablePointer<CChar>
    var stop: [Int32]
  }

  init(_ left: String, _ right: String) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        left: strdup(left), right: strdup(right), spare: strdup(left + "-spare"), stop: ends))
    let result = pthread_create(
      &thread, nil,
      { argument in
        let state = argument!.assumingMemoryBound(to: State.self)
        var end = pollfd(fd: state.pointee.stop[0], events: Int16(POLLIN), revents: 0)
        repeat {
          rename(state.pointee.left, state.pointee.spare)
          rename(state.pointee.right, state.pointee.left)
          rename(state.pointee.spare, state.pointee.right)
        } while poll(&end, 1, 0) == 0
        return nil
      }, state)
    precondition(result == 0)
  }

  func stop() {
    close(state.pointee.stop[1])
    pthread_join(thread, nil)
    close(state.pointee.stop[0])
    free(state.pointee.left)
    free(state.pointee.right)
    free(state.pointee.spare)
    state.deinitialize(count: 1)
    state.deallocate()
  }
}
