import Foundation
import Glibc
import Testing

@testable import PathCore
@testable import PathDaemon

/// Clients on the control socket that take their time, or send more than anybody needs.
@Suite struct ControlCrowdTests {
  private static let whole = "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n"
  private static let places = Int(ControlServer.connectionsMost)

  /// No deadline of its own helps the next one here: places are made for it.
  private static let noDeadline = ControlServer.Patience(
    seconds: 1000, request: .seconds(1000), grace: .milliseconds(50))

  @Test(arguments: [1, 2, 4])
  func `an honest client is answered among the silent, however many they are`(times: Int) throws {
    let rig = try ControlRig(patience: Self.noDeadline)
    let answer = try rig.run { path in
      let silent = try (0..<times * Self.places).map { _ in try RawClient(path) }
      defer { withExtendedLifetime(silent) {} }
      for client in silent { client.send("GET /v1/sta") }
      return try RawClient.ask(path, "GET", "/v1/status")
    }
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
    #expect(rig.calls == [.status])
  }

  @Test func `who came first and said nothing goes first, and one place is enough`() throws {
    let rig = try ControlRig(patience: Self.noDeadline)
    let (first, last) = try rig.run { path in
      let silent = try (0..<Self.places).map { _ in try RawClient(path) }
      _ = try RawClient.ask(path, "GET", "/v1/status")
      let first = silent[0].readAll()
      silent[Self.places - 1].send(Self.whole)
      return (first, silent[Self.places - 1].readAll())
    }
    #expect(first == "" && last.statusLine == "HTTP/1.1 200 OK")
  }

  @Test func `those whose answer waits to be read make room too`() throws {
    let alert = EngineStatus.Alert(
      policy: "p", content: AlertContent(key: "k", title: String(repeating: "t", count: 3000)),
      expires: nil)
    let rig = try ControlRig(
      patience: .init(seconds: 1000, request: .milliseconds(100), grace: .milliseconds(50)),
      answer: .success(.alerts(Array(repeating: alert, count: 1000))))
    let answer = try rig.run { path in
      let full = try (0..<Self.places).map { _ in try RawClient(path) }
      defer { withExtendedLifetime(full) {} }
      for client in full { client.send("GET /v1/alerts HTTP/1.1\r\nHost: x\r\n\r\n") }
      // The answer has begun to come, and nobody reads it.
      for client in full { _ = client.read(1) }
      return try RawClient.ask(path, "GET", "/v1/status")
    }
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
  }

  @Test(arguments: ["", "GET /v1/sta", "GET /v1/status HTTP/1.1\r\nHost: x\r\nX: "])
  func `a request must be whole in time, also where bytes trickle in`(begin: String) throws {
    let rig = try ControlRig(
      patience: .init(seconds: 1000, request: .milliseconds(300), grace: .seconds(1000)))
    let (answer, sent) = try rig.run { path in
      let client = try RawClient(path)
      client.send(begin)
      var sent = 0
      // Ends when the other side hangs up.
      while sent < 1000, client.send("a") == 1 {
        sent += 1
        poll(nil, 0, 20)
      }
      return (client.readAll(), sent)
    }
    #expect(answer == "" && sent < 1000)
    #expect(rig.calls.isEmpty && rig.sockets == 1)
  }

  @Test func `a body that never comes ends with its time`() throws {
    let rig = try ControlRig(
      patience: .init(seconds: 1000, request: .milliseconds(100), grace: .seconds(1000)))
    let answers = try rig.run { path in
      try ["Content-Length: 10", "Transfer-Encoding: chunked"].map { field in
        let client = try RawClient(path)
        client.send("POST /v1/reload HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n")
        return client.readAll()
      }
    }
    #expect(answers == ["", ""] && rig.calls.isEmpty)
  }

  // MARK: Too much

  @Test func `a body in pieces that goes on is refused at its end, or cut off`() throws {
    let rig = try ControlRig()
    let (long, endless, next) = try rig.run { path in
      func post(_ count: Int) throws -> String {
        let client = try RawClient(path)
        client.send("POST /v1/reload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let piece = "1000\r\n" + String(repeating: "b", count: 4096) + "\r\n"
        for _ in 0..<count { client.send(piece) }
        client.send("0\r\n\r\n")
        return client.readAll()
      }
      return (try post(200), try post(2000), try RawClient.ask(path, "GET", "/v1/status"))
    }
    #expect(long.statusLine.contains(" 413 ") && long.payload.contains("4096 bytes"))
    #expect(!endless.contains(" 200 ") && next.statusLine == "HTTP/1.1 200 OK")
    #expect(rig.calls == [.status])
  }

  @Test func `sixteen arguments are taken, and of more none`() throws {
    let rig = try ControlRig()
    let answers = try rig.run { path in
      try [15, 16, 3000, 7000].map { count in
        let more = (0..<count).map { _ in "&a=1" }.joined()
        return try RawClient.ask(path, "POST", "/v1/dismiss?key=k\(more)")
      }
    }
    #expect(answers[0].statusLine == "HTTP/1.1 200 OK")
    for answer in answers[1...] {
      #expect(answer.statusLine == "HTTP/1.1 400 Bad Request")
      #expect(answer.payload.contains("more than 16 arguments"))
    }
    #expect(rig.calls == [.dismiss(key: "k")])
  }

  @Test(arguments: [
    String(repeating: "X: y\r\n", count: 3000), String(repeating: "Cookie: a=b; c\r\n", count: 900),
    "Cookie: " + String(repeating: "a=b; ", count: 4000) + "\r\n",
    "X: " + String(repeating: "z", count: 30_000) + "\r\n",
    "Content-Length: 0\r\nContent-Length: 0\r\n", "Expect: 100-continue\r\nContent-Length: 5\r\n",
    "Connection: close\r\n", "Connection: keep-alive\r\n",
    "Upgrade: h2c\r\nConnection: Upgrade\r\n",
  ])
  func `odd headers hold nobody up`(fields: String) throws {
    let rig = try ControlRig(
      patience: .init(request: .milliseconds(300), grace: .milliseconds(50)))
    let next = try rig.run { path in
      let odd = try RawClient(path)
      odd.send("GET /v1/alerts HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
      _ = odd.readAll()
      return try RawClient.ask(path, "GET", "/v1/status").statusLine
    }
    #expect(next == "HTTP/1.1 200 OK" && rig.calls.last == .status)
  }

  @Test func `of requests in one go the first is answered`() throws {
    let rig = try ControlRig()
    let answer = try rig.run { path in
      let client = try RawClient(path)
      client.send(String(repeating: Self.whole, count: 100))
      return client.readAll()
    }
    #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 2)
    #expect(rig.calls == [.status] && rig.sockets == 1)
  }
}
