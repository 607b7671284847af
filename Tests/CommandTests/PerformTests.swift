import Glibc
import Testing

@testable import netvane

struct PerformTests {
  private func console(_ path: String) throws -> Console {
    let descriptor = open(path, O_WRONLY)
    try #require(descriptor >= 0)
    let stream = Console.Stream(descriptor: descriptor, hasColours: false)
    return Console(output: stream, error: stream)
  }

  @Test(arguments: [Invocation.help(nil), .help(.run), .version])
  func `help and version are done when they could be written`(invocation: Invocation) throws {
    let fine = try console("/dev/null")
    defer { close(fine.output.descriptor) }
    #expect(perform(invocation, on: fine) == 0)

    let full = try console("/dev/full")
    defer { close(full.output.descriptor) }
    #expect(perform(invocation, on: full) == Console.unwritable)
  }
}
