import Foundation
import Testing

@testable import netvane

/// A pipe whose ends are closed with it.
private final class Pipe {
  let reader: Int32
  let writer: Int32
  private var readerIsOpen = true

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    closeReader()
    close(writer)
  }

  func closeReader() {
    if readerIsOpen { close(reader) }
    readerIsOpen = false
  }

  /// Reads until `count` bytes have come.
  func read(_ count: Int) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < count {
      let got = Glibc.read(reader, &buffer, min(buffer.count, count - bytes.count))
      if got <= 0 { break }
      bytes += buffer[..<got]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

struct ConsoleTests {
  private func console(_ descriptor: Int32, colours: Bool = false) -> Console {
    Console(
      output: Console.Stream(descriptor: descriptor, hasColours: colours),
      error: Console.Stream(descriptor: descriptor, hasColours: false))
  }

  @Test func `a line is with the reader at once, with its end`() throws {
    let pipe = try Pipe()
    #expect(console(pipe.writer).print("grüezi"))
    #expect(pipe.read(8) == "grüezi\n")
    #expect(console(pipe.writer).complain(""))
    #expect(pipe.read(1) == "\n")
  }

  @Test func `a reader that went away is told, not died of`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = try Pipe()
    pipe.closeReader()
    #expect(!console(pipe.writer).print("anyone there?"))
  }

  @Test func `a full pipe that does not block is waited for, and nothing is lost`() async throws {
    let pipe = try Pipe()
    _ = fcntl(pipe.writer, F_SETFL, O_NONBLOCK)
    let line = String(repeating: "0123456789", count: 50_000)
    let (output, count) = (console(pipe.writer), line.utf8.count + 1)
    let writer = Thread { output.print(line) }
    writer.start()
    #expect(pipe.read(count) == line + "\n")
    while !writer.isFinished { sched_yield() }
  }

  @Test func `colours appear only on a terminal that wants them`() {
    func wants(_ terminal: Bool, _ environment: [String: String]) -> Bool {
      Console.wantsColours(isTerminal: terminal) { environment[$0] }
    }
    #expect(wants(true, [:]))
    #expect(wants(true, ["TERM": "xterm", "NO_COLOR": ""]))
    #expect(!wants(true, ["NO_COLOR": "1"]))
    #expect(!wants(true, ["TERM": "dumb"]))
    #expect(!wants(false, ["TERM": "xterm"]))
  }

  @Test func `styled text is plain where there are no colours`() {
    #expect(console(1).styled("up", .green) == "up")
    #expect(console(1, colours: true).styled("up", .bold, .green) == "\u{1B}[1;32mup\u{1B}[0m")
    #expect(console(1, colours: true).styled("up") == "up")
  }
}
