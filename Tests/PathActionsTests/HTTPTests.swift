import Foundation
import PathActions
import PathCore
import PathTestKit
import Testing

extension ActionTests {
  /// Requests, to a real server on the loopback address.
  @Suite struct HTTPTests {
    static let grants = Grants(http: [.host("127.0.0.1")])

    let server = WebServer { path in
      switch path {
      case "/ok": .text(WebServer.ok("all is well"))
      case "/created": .text(WebServer.ok("", "201 Created"))
      case "/moved": .text(WebServer.ok("", "302 Found", "Location: http://evil.net/\u{1B}x\r\n"))
      case "/silent": .silence("")
      case "/half": .silence("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      case "/endless":
        .endless("HTTP/1.1 200 OK\r\n\r\nbegin\n", String(repeating: "a", count: 999))
      case "/headers":
        .endless("HTTP/1.1 200 OK\r\n", "X: \(String(repeating: "a", count: 900))\r\n")
      case "/cut": .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
      case "/empty": .text("")
      case "/garbage": .text("SSH-2.0-OpenSSH\r\n\r\n")
      default: .text(WebServer.ok("nothing here", "404 Not Found"))
      }
    }

    func rig() throws -> Rig { try Rig(Self.grants) }

    func send(
      _ rig: Rig, _ path: String, _ change: (inout HTTPRequest) -> Void = { _ in }
    ) throws -> ActionResult {
      var request = HTTPRequest(url: server.url + path)
      change(&request)
      return try rig.result(rig.start(.http(request)))
    }

    @Test func `an answer from 200 to 299 is a success, with its body`() throws {
      let rig = try rig()
      #expect(
        try send(rig, "ok")
          == ActionResult(.succeeded, statusCode: 200, output: Array("all is well".utf8)))
      #expect(try send(rig, "created").statusCode == 201)
      #expect(rig.results.allSatisfy { $0.result.isOK })
    }

    @Test func `another status is a failure that says both`() throws {
      let result = try send(rig(), "missing")
      #expect(result.ending == .failed && result.statusCode == 404)
      #expect(result.error == "127.0.0.1 answered with status 404; expected was 200 to 299")
      #expect(result.text == "nothing here")
    }

    @Test func `what is expected decides`() throws {
      let rig = try rig()
      #expect(try send(rig, "missing") { $0.expectation = .init(status: 404) }.isOK)
      #expect(
        try send(rig, "created") { $0.expectation = .init(status: 200) }.error
          == "127.0.0.1 answered with status 201; expected was 200")
      #expect(try send(rig, "ok") { $0.expectation = .init(contains: "well") }.isOK)
      #expect(
        try send(rig, "ok") { $0.expectation = .init(status: 200, contains: "Well") }.error
          == "the answer of 127.0.0.1 does not hold \"Well\"")
    }

    @Test func `a redirection is not followed, and named`() throws {
      let rig = try rig()
      let result = try send(rig, "moved")
      #expect(result.ending == .failed && result.statusCode == 302)
      #expect(
        result.error == "127.0.0.1 answered with status 302, a redirection to http://evil.net/x, "
          + "which is not followed; expected was 200 to 299")
      #expect(server.requests.count == 1)
      #expect(try send(rig, "moved") { $0.expectation = .init(status: 302) }.isOK)
    }

    @Test(arguments: ["silent", "half"])
    func `an answer that does not come in time is a failure`(_ path: String) throws {
      let rig = try rig()
      let (result, took) = try rig.timed {
        rig.start(.http(HTTPRequest(url: server.url + path, timeout: .milliseconds(200))))
      }
      #expect(result.ending == .failed)
      #expect(result.error == "no whole answer from 127.0.0.1 within 200ms")
      #expect(took >= .milliseconds(190) && took < .seconds(3))
      #expect(result.text == (path == "half" ? "half" : ""))
    }

    @Test func `nobody there, nothing said and nonsense are failures with a reason`() throws {
      let rig = try rig()
      let dead = HTTPRequest(url: "http://127.0.0.1:\(WebServer.deadPort())/")
      let refused = try rig.result(rig.start(.http(dead)))
      #expect(refused.error.hasPrefix("no connection to 127.0.0.1: "), "\(refused.error)")
      #expect(
        try send(rig, "empty").error == "127.0.0.1 closed the connection without an answer")
      #expect(try send(rig, "garbage").error.hasPrefix("the request to 127.0.0.1 failed: "))
      #expect(try send(rig, "cut").error.hasPrefix("the request to 127.0.0.1 failed: "))
      #expect(rig.results.allSatisfy { $0.result.ending == .failed })
    }

    @Test func `of an endless body the beginning is kept, and that is a success`() throws {
      let rig = try rig()
      let result = try send(rig, "endless") { $0.expectation.contains = "begin" }
      #expect(result.isOK && result.output.count == 64 * 1024 && result.isOutputCut)
      let missing = try send(rig, "endless") { $0.expectation.contains = "end" }
      #expect(missing.error.hasSuffix("does not hold \"end\" in its first 65536 bytes"))
    }

    @Test func `an endless header ends in a failure`() throws {
      let result = try send(rig(), "headers")
      #expect(result.ending == .failed)
      #expect(result.error.contains("has more than 65536 bytes"), "\(result.error)")
    }

    @Test func `the request is what was asked for, and says who sends it`() throws {
      let rig = try rig()
      _ = try send(rig, "ok?a=1") { $0.headers = [.init("X-Key", "v"), .init("X-Empty", "")] }
      let request = server.requests[0]
      #expect(request.hasPrefix("GET /ok?a=1 HTTP/1.1\r\n"))
      for line in ["User-Agent: netvane/9.9", "X-Key: v", "X-Empty:", "Host: 127.0.0.1:"] {
        #expect(request.contains("\r\n\(line)"), "\(line)")
      }
      #expect(!request.contains("Cookie") && !request.contains("Authorization"))
    }

    @Test func `methods send what they should`() throws {
      let rig = try rig()
      _ = try send(rig, "ok") {
        ($0.method, $0.body) = (.post, "{\"a\":1}")
        $0.headers = [.init("content-type", "application/json")]
      }
      _ = try send(rig, "ok") { ($0.method, $0.body) = (.put, "\0b") }
      _ = try send(rig, "ok") { $0.method = .post }
      #expect(try send(rig, "ok") { $0.method = .head }.isOK)
      let requests = server.requests
      #expect(requests[0].hasPrefix("POST /ok") && requests[0].hasSuffix("\r\n\r\n{\"a\":1}"))
      #expect(requests[0].contains("content-type: application/json\r\n"))
      #expect(requests[1].hasPrefix("PUT /ok") && requests[1].hasSuffix("\r\n\r\n\0b"))
      #expect(requests[2].hasPrefix("POST /ok") && requests[2].contains("Content-Length: 0\r\n"))
      #expect(requests[3].hasPrefix("HEAD /ok"))
      #expect(!requests.contains { $0.contains("Expect:") || $0.contains("x-www-form") })
    }

    static let wrong: [(HTTPRequest, String)] = [
      (HTTPRequest(url: "http://127.0.0.1\r\nX: y/"), "line break"),
      (HTTPRequest(url: "ftp://127.0.0.1/"), "must begin with http:// or https://"),
      (HTTPRequest(url: "http://localhost/"), "the host localhost is not granted"),
      (HTTPRequest(url: "http://127.1/"), "write all four numbers"),
      (HTTPRequest(url: "http://a:b@127.0.0.1/"), "user name"),
      (HTTPRequest(url: "http://127.0.0.1/", body: "x"), "a GET request has no body"),
      (
        HTTPRequest(url: "http://127.0.0.1/", headers: [.init("X", "a\r\nHost: evil")]),
        "the header X holds a line break"
      ),
      (HTTPRequest(url: "http://127.0.0.1/", headers: [.init("X: y", "a")]), "no header's name"),
      (HTTPRequest(url: "http://127.0.0.1/", headers: [.init("HOST", "evil")]), "Netvane's own"),
      (
        HTTPRequest(url: "http://127.0.0.1/", headers: [.init("Content-Length", "0")]),
        "Netvane's own"
      ),
      (HTTPRequest(url: "http://127.0.0.1/", interface: "eth0!1"), "no interface's name"),
      (HTTPRequest(url: "http://127.0.0.1/", timeout: .seconds(4000)), "a timeout of 1h6m40s"),
      (
        HTTPRequest(url: "http://127.0.0.1/", expectation: .init(status: 20)),
        "a number from 100 to 599"
      ),
    ]

    @Test func `a request that may not be is refused, and nothing is sent`() throws {
      let rig = try rig()
      for (request, part) in Self.wrong {
        let result = try rig.result(rig.start(.http(request)))
        #expect(result.ending == .refused)
        #expect(result.error.contains(part), "\(result.error)")
      }
    }

    @Test func `a request can be bound to an interface`() throws {
      let rig = try rig()
      #expect(try send(rig, "ok") { $0.interface = "lo" }.isOK)
      let missing = try send(rig, "ok") { $0.interface = "nope0" }
      #expect(missing.ending == .failed)
      #expect(
        missing.error.hasPrefix("the request cannot be sent through nope0"), "\(missing.error)")
      #expect(server.requests.count == 1)
    }

    @Test func `requests run side by side, and each is cancelled by itself`() throws {
      let rig = try rig()
      let silent = (0..<8).map { index in
        rig.start(.http(HTTPRequest(url: server.url + "silent")), key: "\(index)")
      }
      #expect(try send(rig, "ok").isOK)
      for id in silent.dropLast() { rig.runner.cancel(id) }
      for id in silent.dropLast() {
        #expect(try rig.result(id) == ActionResult(.dropped, error: "it was cancelled"))
      }
      #expect(rig.runner.runningCount == 1)
      var isDone = false
      rig.runner.stopAll { isDone = true }
      try rig.wait(within: .seconds(1)) { isDone }
      #expect(try rig.result(silent[7]).wasDropped)
    }

    @Test func `without libcurl a request is refused, and says what is missing`() throws {
      let rig = try Rig(Self.grants) { $0.curlLibraries = ["libno-such-curl.so.4"] }
      let result = try send(rig, "ok")
      #expect(result.ending == .refused)
      #expect(
        result.error == "requests need the library libcurl, but it is not installed; "
          + "on Debian the package is libcurl4")
    }

    @Test func `a library that is none of the kind is refused`() throws {
      let rig = try Rig(Self.grants) { $0.curlLibraries = ["libm.so.6"] }
      #expect(try send(rig, "ok").error.contains("it lacks a function that is needed"))
    }

    @Test func `a hundred requests leave no descriptor`() throws {
      let rig = try rig()
      _ = try send(rig, "ok")
      let before = allDescriptors()
      for index in 0..<100 { _ = try send(rig, index % 10 == 0 ? "empty" : "ok") }
      try rig.wait("the descriptors of before") { allDescriptors() <= before + 8 }
    }

    @Test func `a request that is under way when everything goes is no trouble`() throws {
      do {
        let rig = try rig()
        rig.start(.http(HTTPRequest(url: server.url + "silent")))
        rig.start(.http(HTTPRequest(url: server.url + "half")), key: "other")
        try rig.wait { server.requests.count == 2 }
      }
      #expect(try send(rig(), "ok").isOK)
    }
  }
}
