import Foundation
import Glibc
import Testing

@testable import PathCore
@testable import PathDaemon

/// HTTP on the control socket, with clients that behave and clients that do not.
@Suite struct ControlServerTests {
  private static func alert(_ title: String) -> EngineStatus.Alert {
    EngineStatus.Alert(policy: "p", content: AlertContent(key: "k", title: title), expires: nil)
  }

  @Test func `a request is answered, once, and the connection closed`() throws {
    let rig = try ControlRig(answer: .success(.alerts([Self.alert("up")])))
    let answer = try rig.run { try RawClient.ask($0, "GET", "/v1/alerts") }
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
    #expect(answer.contains("\r\nContent-Type: application/x-ndjson\r\n"))
    #expect(answer.contains("\r\nNetvane-Exit: 0\r\n"))
    #expect(answer.payload.hasPrefix(#"{"policy":"p","key":"k","#) && answer.hasSuffix("}\n"))
    #expect(rig.calls == [.alerts] && rig.said.isEmpty)
  }

  @Test func `people get words, programs JSON`() throws {
    let rig = try ControlRig()
    let (words, mixed, nothing) = try rig.run { path in
      (
        try RawClient.ask(path, "GET", "/v1/alerts", "Accept: text/plain\r\n"),
        try RawClient.ask(path, "GET", "/v1/alerts", "Accept: text/html, text/plain;q=0.5\r\n"),
        try RawClient.ask(path, "GET", "/v1/alerts", "Accept: */*\r\n")
      )
    }
    #expect(words.payload == "in words\n" && mixed.payload == "in words\n")
    #expect(words.contains("Content-Type: text/plain; charset=utf-8"))
    // No alert is up: nothing on no line.
    #expect(nothing.payload == "" && nothing.contains("Netvane-Exit: 3"))
  }

  @Test(arguments: [
    ("GET", "/v1/status", ControlCall.status), ("GET", "/v1/alerts", .alerts),
    ("POST", "/v1/press?key=a%2Fb&button=x+y", .press(key: "a/b", button: "x y")),
    ("POST", "/v1/press?button=b&key=%C3%A4&more=1", .press(key: "ä", button: "b")),
    ("POST", "/v1/dismiss?key=k%00l", .dismiss(key: "k\0l")), ("POST", "/v1/reload", .reload),
  ])
  func `each path is one call`(method: String, target: String, call: ControlCall) throws {
    let rig = try ControlRig()
    let answer = try rig.run { try RawClient.ask($0, method, target, "Content-Length: 0\r\n") }
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
    #expect(rig.calls == [call])
  }

  @Test(arguments: [
    ("GET", "/", 404, "/v1/status"), ("GET", "/v1/statu", 404, "there is nothing"),
    ("GET", "/v1/status/", 404, "there is nothing"), ("GET", "/../etc", 404, "there is nothing"),
    ("POST", "/v1/status", 405, "takes GET"), ("GET", "/v1/press?key=a&button=b", 405, "POST"),
    ("DELETE", "/v1/alerts", 405, "takes GET"), ("HEAD", "/v1/status", 405, ""),
    ("POST", "/v1/press", 400, "?key="), ("POST", "/v1/press?key=a", 400, "?button="),
    ("POST", "/v1/press?key=&button=b", 400, "?key="), ("POST", "/v1/dismiss?kye=a", 400, "?key="),
  ])
  func `what is not there is refused in words`(
    method: String, target: String, status: Int, words: String
  ) throws {
    let rig = try ControlRig()
    let answer = try rig.run { try RawClient.ask($0, method, target) }
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    if !words.isEmpty {
      #expect(
        answer.payload.hasPrefix(#"{"error":""#) && answer.payload.contains(words), "\(answer)")
    }
    #expect((status == 405) == answer.contains("\r\nAllow: "))
    #expect(rig.calls.isEmpty && !answer.contains("Netvane-Exit"))
  }

  @Test func `a refusal has its number and its sentence`() throws {
    let rig = try ControlRig(answer: .failure(ControlRefusal(409, "\"a\" is one of two")))
    let (json, words) = try rig.run { path in
      (
        try RawClient.ask(path, "POST", "/v1/dismiss?key=a"),
        try RawClient.ask(path, "POST", "/v1/dismiss?key=a", "Accept: text/plain\r\n")
      )
    }
    #expect(json.statusLine.contains(" 409 ") && words.statusLine.contains(" 409 "))
    #expect(json.payload == "{\"error\":\"\\\"a\\\" is one of two\"}\n")
    #expect(words.payload == "\"a\" is one of two\n")
  }

  // MARK: Clients that do not behave

  private static let nonsense: [[UInt8]] = [
    Array("\u{16}\u{3}\u{1}".utf8) + [UInt8](repeating: 0xFF, count: 300),
    Array("GET\r\n\r\n".utf8), Array("\r\n\r\n\r\n\r\n".utf8), [0],
    Array("GET / HTTP/9.9\r\n".utf8),
    Array("POST /v1/reload HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".utf8),
    Array("POST /v1/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 9e9\r\n\r\n".utf8),
    Array("POST /v1/reload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8),
    Array("GET /v1/status HTTP/1.1\r\nHost: x".utf8), [],
  ]

  @Test(arguments: nonsense.indices)
  func `nonsense and half requests do nothing, and the next one is answered`(index: Int) throws {
    let rig = try ControlRig()
    let answer = try rig.run { path in
      do {
        let client = try RawClient(path)
        client.send(Self.nonsense[index])
      }
      // Some of it is answered, some not; both is well.
      return try RawClient.ask(path, "GET", "/v1/status")
    }
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
    #expect(rig.calls == [.status])
  }

  @Test func `a header of a megabyte is refused, and none of it kept`() throws {
    let rig = try ControlRig()
    let (refusal, next) = try rig.run { path in
      let client = try RawClient(path)
      client.send("GET /v1/status HTTP/1.1\r\nHost: x\r\nX: ")
      client.send([UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20))
      return (client.readAll(), try RawClient.ask(path, "GET", "/v1/status"))
    }
    #expect(!refusal.contains(" 200 "))
    #expect(next.statusLine == "HTTP/1.1 200 OK" && rig.calls == [.status])
  }

  @Test func `a body may have four kibibytes; a longer one is refused before it comes`() throws {
    let rig = try ControlRig()
    let (most, more, hidden) = try rig.run { path in
      func post(_ fields: String, _ body: String) throws -> String {
        let client = try RawClient(path)
        client.send("POST /v1/reload HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n")
        client.send(body)
        return client.readAll()
      }
      let text = String(repeating: "b", count: ControlServer.bodyMost)
      return (
        try post("Content-Length: \(text.utf8.count)", text),
        try post("Content-Length: \(text.utf8.count + 1)", ""),
        try post("Transfer-Encoding: chunked", "1001\r\n\(text)b\r\n0\r\n\r\n")
      )
    }
    #expect(most.statusLine == "HTTP/1.1 200 OK")
    #expect(more.statusLine.contains(" 413 ") && more.payload.contains("4096 bytes"))
    // Whether it says so beforehand or not.
    #expect(hidden.statusLine.contains(" 413 ") && hidden.payload.contains("4096 bytes"))
    #expect(rig.calls == [.reload])
  }

  @Test func `forty connections at once are all answered, sixteen at a time`() throws {
    let rig = try ControlRig(patience: .init(request: .seconds(60), grace: .seconds(60)))
    let answers = try rig.run { path in
      let clients = try (0..<40).map { _ in try RawClient(path) }
      for client in clients { client.send("GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n") }
      return clients.map { $0.readAll().statusLine }
    }
    #expect(answers == Array(repeating: "HTTP/1.1 200 OK", count: 40))
    #expect(rig.calls.count == 40)
  }

  @Test func `where the silent take all places, the next one is served once they go`() throws {
    let rig = try ControlRig(patience: .init(request: .seconds(1000), grace: .seconds(1000)))
    let answer = try rig.run { path in
      var silent = try (0..<ControlServer.connectionsMost).map { _ in try RawClient(path) }
      for client in silent { client.send("GET /v1/sta") }
      let next = try RawClient(path)
      next.send("GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
      // Until the places are taken.
      for _ in 0..<1000 where ControlRig.sockets(path) < 17 { poll(nil, 0, 10) }
      silent = []
      defer { withExtendedLifetime(silent) {} }
      return next.readAll()
    }
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
  }

  @Test func `clients that say nothing hold neither the loop nor each other`() throws {
    let rig = try ControlRig()
    let (slow, quick) = try rig.run { path in
      let silent = try (0..<10).map { _ in try RawClient(path) }
      let slow = try RawClient(path)
      slow.send("GET /v1/status HTTP/1.1\r\nHo")
      let quick = try (0..<20).map { _ in
        try RawClient.ask(path, "GET", "/v1/alerts").statusLine
      }
      slow.send("st: x\r\n\r\n")
      defer { withExtendedLifetime(silent) {} }
      return (slow.readAll().statusLine, quick)
    }
    #expect(slow == "HTTP/1.1 200 OK")
    #expect(quick == Array(repeating: "HTTP/1.1 200 OK", count: 20))
  }

  @Test func `who reads a long answer slowly holds nobody, and gets all of it`() throws {
    let alerts = (0..<1000).map { _ in Self.alert(String(repeating: "t", count: 3000)) }
    let rig = try ControlRig(answer: .success(.alerts(alerts)))
    let (long, quick) = try rig.run { path in
      let slow = try RawClient(path)
      slow.send("GET /v1/alerts HTTP/1.1\r\nHost: x\r\n\r\n")
      var bytes = slow.read(100) ?? []
      let quick = try RawClient.ask(path, "GET", "/v1/alerts", "Accept: text/plain\r\n")
      while let more = slow.read(4096) { bytes += more }
      return (String(decoding: bytes, as: UTF8.self), quick)
    }
    #expect(quick.payload == "in words\n")
    #expect(long.payload.split(separator: "\n").count == 1000 && long.hasSuffix("}\n"))
  }

  @Test func `an answer without measure is none`() throws {
    let alerts = (0..<1100).map { _ in Self.alert(String(repeating: "t", count: 4000)) }
    let rig = try ControlRig(answer: .success(.alerts(alerts)))
    let answer = try rig.run { try RawClient.ask($0, "GET", "/v1/alerts") }
    #expect(answer.statusLine.contains(" 500 ") && answer.payload.contains("4194304 bytes"))
  }

  // MARK: What is left behind

  @Test func `no descriptor and no wake-up outlives its connection`() throws {
    let rig = try ControlRig()
    #expect(rig.sockets == 1)
    let left = try rig.run { path in
      for _ in 0..<5 {
        let lost = try (0..<8).map { _ in try RawClient(path) }
        for client in lost { client.send("GET /v1/sta") }
        _ = try RawClient.ask(path, "GET", "/v1/status")
      }
      // The ends of those that were lost may still be under way.
      for _ in 0..<1000 where ControlRig.sockets(path) > 1 { poll(nil, 0, 10) }
      return ControlRig.sockets(path)
    }
    #expect(left == 1)
    #expect(rig.server?.isWaiting == false)
    rig.close()
    #expect(rig.sockets == 0)
    #expect(access(rig.path, F_OK) != 0)
  }

  @Test func `those who wait for a reload leave places to those who ask something else`() throws {
    let rig = try ControlRig(reloadsWait: true)
    let answers = try rig.run { path in
      var waiting: [RawClient] = []
      for _ in 0..<ControlServer.connectionsMost - 1 {
        waiting.append(try RawClient(path))
        waiting.last?.send("POST /v1/reload HTTP/1.1\r\nHost: x\r\n\r\n")
      }
      let answers = [
        try RawClient.ask(path, "POST", "/v1/reload"), try RawClient.ask(path, "GET", "/v1/status"),
        waiting[ControlServer.heldMost].readAll(),
      ]
      withExtendedLifetime(waiting) {}
      return answers
    }
    #expect(answers[0].statusLine.contains(" 503 ") && answers[0].contains("others wait"))
    #expect(answers[1].statusLine.contains(" 200 "), "\(answers[1])")
    #expect(answers[2].statusLine.contains(" 503 "), "\(answers[2])")
    #expect(rig.server?.waiting == ControlServer.heldMost)
    rig.close()
  }

  @Test func `without the library it says so once, and leaves nobody waiting`() throws {
    let rig = try ControlRig(libraries: ["libnowhere.so.1"])
    let answers = try rig.run { path in
      try (0..<3).map { _ in try RawClient.ask(path, "GET", "/v1/status") }
    }
    #expect(answers.allSatisfy { $0.statusLine == "HTTP/1.1 503 Service Unavailable" })
    #expect(answers.allSatisfy { $0.payload.hasPrefix(#"{"error":"the daemon cannot answer: "#) })
    #expect(rig.calls.isEmpty)
    #expect(rig.said.count == 1 && rig.said[0].contains("libmicrohttpd12"))
    #expect(rig.sockets == 1)
  }

  @Test func `a library without its functions is as good as none`() throws {
    let rig = try ControlRig(libraries: ["libm.so.6"])
    let answer = try rig.run { try RawClient.ask($0, "GET", "/v1/x", "Accept: text/plain\r\n") }
    #expect(answer.payload.hasPrefix("the daemon cannot answer: that needs the library"))
    #expect(rig.said.count == 1 && rig.said[0].contains("lacks a function"))
    #expect(rig.sockets == 1)
  }
}
