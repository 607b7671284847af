import PathCore
import PathTestKit
import Testing

/// The lines that actions and their results are written as.
@Suite struct ActionFormTests {
  private func text(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return writer.text
  }

  static let actions: [(Action, String, String)] = [
    (
      .exec(ExecRequest(command: "sync-stop", arguments: ["a b", "\n"], timeout: .seconds(5))),
      #"exec sync-stop "a b" "\n" within 5s"#,
      #"{"kind":"exec","command":"sync-stop","args":["a b","\u000a"],"timeout":5000000000}"#
    ),
    (
      .openURL(
        OpenURLRequest(
          url: "https://example.com/", browsers: ["chrome", "default"], cooldown: .seconds(60))),
      "open_url https://example.com/ in chrome default cooldown 1m",
      #"{"kind":"open_url","url":"https://example.com/","browser":["chrome","default"],"#
        + #""cooldown":60000000000}"#
    ),
    (
      .openURL(OpenURLRequest(url: "x y")), #"open_url "x y""#,
      #"{"kind":"open_url","url":"x y"}"#
    ),
    (
      .http(
        HTTPRequest(
          url: "https://example.com/", method: .post, headers: [.init("Key", "secret")],
          body: "körper", expectation: .init(status: 201, contains: "yes"), interface: "wlan0",
          timeout: .milliseconds(1500))),
      "http POST https://example.com/ by wlan0 headers Key body 7 expect 201 contains \"yes\" "
        + "within 1s500ms",
      #"{"kind":"http","method":"POST","url":"https://example.com/","headers":[{"name":"Key","#
        + #""value":"secret"}],"body":"körper","expect":{"status":201,"contains":"yes"},"#
        + #""interface":"wlan0","timeout":1500000000}"#
    ),
    (
      .http(HTTPRequest(url: "http://a/")), "http GET http://a/ within 10s",
      #"{"kind":"http","method":"GET","url":"http://a/","timeout":10000000000}"#
    ),
  ]

  @Test func `an action is one stable line in both forms, and both are read back the same`() throws
  {
    for (action, line, json) in Self.actions {
      #expect(action.description == line)
      #expect(text { action.writeJSON(into: &$0) } == json)
      #expect(try TraceReader().action(json) == action)
    }
  }

  static let results: [(ActionResult, String, String)] = [
    (ActionResult(.succeeded), "succeeded", #"{"ending":"succeeded"}"#),
    (
      ActionResult(
        .failed, error: "it \"ended\"", exitCode: 3, output: Array("é\n\0".utf8),
        isOutputCut: true),
      #"failed exit 3 output 4+ "it \"ended\"""#,
      #"{"ending":"failed","error":"it \"ended\"","exit":3,"output":"é\u000a\u0000","cut":true}"#
    ),
    (
      ActionResult(.failed, error: "e", signal: 9, output: [0xFF, 0x41]),
      #"failed signal 9 output 2 "e""#,
      #"{"ending":"failed","error":"e","signal":9,"outputHex":"ff41"}"#
    ),
    (
      ActionResult(.failed, error: "e", statusCode: 404), #"failed status 404 "e""#,
      #"{"ending":"failed","error":"e","status":404}"#
    ),
    (
      ActionResult(ActionRefusal("no")), #"refused "no""#, #"{"ending":"refused","error":"no"}"#
    ),
    (
      ActionResult(.dropped, error: "x"), #"dropped "x""#, #"{"ending":"dropped","error":"x"}"#
    ),
  ]

  @Test func `a result is one stable line in both forms, and is read back the same`() throws {
    for (result, line, json) in Self.results {
      #expect(result.description == line)
      #expect(text { result.writeJSON(into: &$0) } == json)
      #expect(try TraceReader().result(json) == result)
    }
  }

  @Test func `a name is one stable line in both forms`() throws {
    let id = ActionID(policy: "p", key: "a key", serial: .max)
    #expect(id.description == "p \"a key\" #18446744073709551615")
    let json = text { id.writeJSON(into: &$0) }
    #expect(json == #"{"policy":"p","key":"a key","serial":18446744073709551615}"#)
    #expect(try TraceReader().actionID(json) == id)
  }

  @Test func `a report says of a result what people read`() {
    let id = ActionID(policy: "p", key: "k", serial: 1)
    let report = ActionReport(id, .openURL, ActionResult(.refused, error: "no screen"))
    #expect(
      report
        == ActionReport(
          policy: "p", key: "k", kind: "open_url", state: .refused, detail: "no screen"))
  }
}
