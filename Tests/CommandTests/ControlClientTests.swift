import Foundation
import Glibc
import PathDaemon
import PathTestKit
import Testing

@testable import netvane

/// The commands that ask a daemon: where there is none, and where something strange is instead.
@Suite struct ControlClientTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  private static let asking = [
    ["alerts"], ["press", "k", "b"], ["dismiss", "k"], ["reload"],
  ]

  @Test(arguments: asking) func `without a daemon they say where they looked, and what to do`(
    words: [String]
  ) throws {
    let (code, said) = try bench.run(words + ["--control", "@/none"])
    #expect(code == 2)
    #expect(
      said == """
        netvane: no daemon answers; looked at:
          @/none
        Start one (netvane run), or say where its socket is: --control PATH

        """)
  }

  @Test func `a socket that nobody listens on is no daemon`() throws {
    do { _ = try Impostor(bench.path + "/s", []) }
    #expect(FileManager.default.fileExists(atPath: bench.path + "/s"))
    let (code, said) = try bench.run(["alerts", "--control", "@/s"])
    #expect(code == 2 && said.hasPrefix("netvane: no daemon answers"))
  }

  @Test func `what is no socket, or too long a name, is named`() throws {
    try bench.write("file", "x")
    let (code, said) = try bench.run(["reload", "--control", "@/file"])
    #expect(code == 2 && said == "netvane: @/file is no socket\n")
    let long = "/" + String(repeating: "x", count: 107)
    let (_, words) = try bench.run(["reload", "--control", long])
    #expect(words.contains("longer than a socket's can be (107 bytes)"))
  }

  /// The answer to one request, and what came to the impostor.
  private func answered(
    _ words: [String], _ answer: [UInt8]
  ) throws -> (code: Int32, said: String, heard: String) {
    let impostor = try Impostor(bench.path + "/s", answer)
    let (code, said) = try bench.run(words + ["--control", "@/s"])
    return (code, said, impostor.heard)
  }

  private static func http(_ status: String, _ exit: String?, _ body: String) -> [UInt8] {
    let field = exit.map { "Netvane-Exit: \($0)\r\n" } ?? ""
    return Array(
      "HTTP/1.1 \(status)\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
  }

  @Test func `the request says what is wanted, every sign of it escaped`() throws {
    let fine = Self.http("200 OK", "0", "done\n")
    let (code, said, heard) = try answered(["press", "a/b c&d=ä", "x?#+%"], fine)
    #expect(code == 0 && said == "done\n")
    #expect(
      heard.hasPrefix(
        "POST /v1/press?key=a%2Fb%20c%26d%3D%C3%A4&button=x%3F%23%2B%25 HTTP/1.1\r\n"))
    #expect(heard.contains("\r\nAccept: text/plain\r\n"))
    #expect(heard.contains("\r\nContent-Length: 0\r\n"))
    #expect(
      try answered(["alerts", "--json"], fine).heard.hasPrefix("GET /v1/alerts HTTP/1.1\r\n"))
  }

  @Test func `the exit code is the answer's, and a refusal is a failure in its own words`() throws {
    #expect(try answered(["alerts"], Self.http("200 OK", "3", "no alert is up\n")).code == 3)
    let taken = try answered(
      ["reload"], Self.http("422 Unprocessable", "1", "not taken: a\n"))
    #expect(taken.code == 1 && taken.said == "not taken: a\n")
    #expect(try answered(["reload"], Self.http("200 OK", "99", "")).code == 1)
    let refused = try answered(["dismiss", "x"], Self.http("404 Not Found", nil, "no alert\n"))
    #expect(refused.code == 1 && refused.said == "netvane: no alert\n")
    let json = Self.http("404 Not Found", nil, #"{"error":"no alert \"x\""}"# + "\n")
    let (code, said, _) = try answered(["dismiss", "x", "--json"], json)
    #expect(code == 1 && said == #"{"error":"no alert \"x\""}"# + "\n")
    let page = Array("HTTP/1.1 431 x\r\nContent-Type: text/html\r\n\r\n<html>".utf8)
    let unread = try answered(["dismiss", "x"], page)
    #expect(unread.code == 1)
    #expect(unread.said == "netvane: the daemon refused the request (HTTP 431)\n")
    let unable = Self.http("503 x", nil, "the daemon cannot answer: it rains\n")
    #expect(try answered(["alerts"], unable).code == 2)
  }

  @Test func `an impostor's answer cannot drive the terminal`() throws {
    let evil = "a\u{1B}[2Jb\u{202E}\u{9B}\r\n\"\u{7F}\n"
    let text = try answered(["alerts"], Self.http("200 OK", "0", evil))
    #expect(text.said == "a\\u{1b}[2Jb\\u{202e}\\u{9b}\\u{d}\n\"\\u{7f}\n")
    let json = try answered(["alerts", "--json"], Self.http("200 OK", "0", evil))
    #expect(json.said == "a\\u001b[2Jb\\u202e\\u009b\\u000d\n\"\\u007f\n")
    let bytes = Self.http("404 x", nil, "") + [0xFF, 0xFE]
    #expect(try answered(["alerts"], bytes).code == 1)
  }

  @Test func `a daemon that hangs up, or talks without end, is told of`() throws {
    let silent = try answered(["alerts"], [])
    #expect(silent.code == 2 && silent.said.contains("closed the connection without an answer"))
    let garbage = try answered(["alerts"], Array("SSH-2.0-x\r\n".utf8))
    #expect(garbage.code == 2 && garbage.said.contains("cannot be asked"))
    let endless = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 9 << 20)
    let flood = try answered(["alerts"], endless)
    #expect(
      flood.code == 2 && flood.said == "netvane: the answer of @/s is longer than 8388608 bytes\n")
  }

  @Test func `one that does not answer is waited for, but not for ever`() throws {
    let impostor = try Impostor(bench.path + "/s", nil)
    var client = ControlClient(places: [bench.path + "/s"])
    client.patience = .seconds(1)
    guard case .trouble(let words) = client.ask(.status) else {
      Issue.record("no trouble")
      return
    }
    #expect(words.hasSuffix("did not answer within 1s"))
    withExtendedLifetime(impostor) {}
  }

  @Test func `the first that answers is asked`() throws {
    let impostor = try Impostor(bench.path + "/s", Self.http("200 OK", "0", "x\n"))
    try bench.write("file", "")
    let client = ControlClient(places: ["none", "file", "s"].map { bench.path + "/" + $0 })
    guard case .answered(let reply) = client.ask(.status) else {
      Issue.record("no answer")
      return
    }
    #expect(reply.body == "x\n" && reply.exitCode == 0)
    withExtendedLifetime(impostor) {}
  }
}

/// Something that listens on a Unix socket, takes one connection and says what it was told to.
private final class Impostor {
  private let descriptor: Int32
  private let kept = Kept()

  /// Guarded by its lock.
  private final class Kept: @unchecked Sendable {
    let lock = NSLock()
    var heard: [UInt8] = []
    var isOver = false
  }

  /// `answer` nil: it takes the connection and says nothing. Empty: it hangs up at once.
  init(_ path: String, _ answer: [UInt8]?) throws {
    unlink(path)
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let bound = withUnixAddress(path) { bind(descriptor, $0, $1) }
    try #require(bound == 0 && listen(descriptor, 8) == 0)
    Thread { [descriptor, kept] in Self.serve(descriptor, answer, kept) }.start()
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    while !kept.lock.withLock({ kept.isOver }) { poll(nil, 0, 1) }
    close(descriptor)
  }

  /// The header of the request.
  var heard: String { kept.lock.withLock { String(decoding: kept.heard, as: UTF8.self) } }

  private static func serve(_ descriptor: Int32, _ answer: [UInt8]?, _ kept: Kept) {
    defer { kept.lock.withLock { kept.isOver = true } }
    let connection = accept(descriptor, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    kept.lock.withLock { kept.heard = bytes }
    guard let answer else {
      // Until the other end has had enough.
      _ = recv(connection, &piece, piece.count, 0)
      return
    }
    var done = 0
    while done < answer.count {
      let count = answer.withUnsafeBytes {
        send(connection, $0.baseAddress! + done, $0.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      done += count
    }
  }
}
