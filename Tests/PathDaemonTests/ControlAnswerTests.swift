import PathTestKit
import Testing

@testable import PathCore
@testable import PathDaemon

/// Which alert is meant, which refusals still count, and the service manager's line.
@Suite struct ControlAnswerTests {
  private static func alert(
    _ policy: String, _ key: String, _ buttons: String...
  ) -> EngineStatus.Alert {
    EngineStatus.Alert(
      policy: policy,
      content: AlertContent(
        key: key, title: "t", buttons: buttons.map { AlertButton(id: $0, label: "") }),
      expires: nil)
  }

  private let search = AlertSearch([
    alert("a", "connection", "retry", "web"), alert("b", "connection"), alert("b", "page"),
    alert("lib/words", "policy-rejected"), alert("page", "b/page"),
  ])

  private func found(_ name: String) -> String {
    do throws(ControlRefusal) {
      return try search.alert(name).name
    } catch {
      return "\(error.status) \(error.message)"
    }
  }

  @Test(arguments: [
    ("page", "b/page"), ("a/connection", "a/connection"), ("b/connection", "b/connection"),
    // The whole name comes before a key that looks like one.
    ("b/page", "b/page"), ("page/b/page", "page/b/page"),
    ("lib/words/policy-rejected", "lib/words/policy-rejected"),
    ("policy-rejected", "lib/words/policy-rejected"),
    (
      "connection", "409 \"connection\" is the key of several alerts: a/connection, b/connection"
    ),
    ("conection", "404 there is no alert \"conection\"; did you mean connection?"),
    ("a/conection", "404 there is no alert \"a/conection\"; did you mean a/connection?"),
    (
      "zzz\u{1B}",
      "404 there is no alert \"zzz\\u{1b}\"; up are: a/connection, b/connection, b/page, "
        + "lib/words/policy-rejected, page/b/page"
    ),
  ])
  func `an alert is found by its key or its whole name`(name: String, answer: String) {
    #expect(found(name) == answer)
  }

  @Test func `where no alert is up it says so`() {
    let error = #expect(throws: ControlRefusal.self) { try AlertSearch([]).alert("x") }
    #expect(error?.message == "there is no alert \"x\", and none else is up")
  }

  @Test func `a button is found by its id; else what there is, is said`() throws {
    let alert = Self.alert("a", "k", "retry", "web")
    #expect(try alert.button("web").id == "web")
    func refusal(_ alert: EngineStatus.Alert, _ id: String) -> String? {
      #expect(throws: ControlRefusal.self) { try alert.button(id) }?.message
    }
    #expect(refusal(alert, "rety") == "a/k has no button \"rety\"; did you mean retry?")
    #expect(refusal(alert, "open") == "a/k has no button \"open\"; it has: retry, web")
    #expect(refusal(Self.alert("a", "k"), "x") == "a/k has no buttons; it can be dismissed")
  }

  @Test func `of many names the first are listed, and the rest counted`() {
    let many = (0..<12).map { Self.alert("p", "k\($0)") }
    let error = #expect(throws: ControlRefusal.self) { try AlertSearch(many).alert("zzzzz") }
    #expect(error?.message.hasSuffix("p/k7 and 4 more") == true)
  }

  @Test func `a refusal counts until its action is done, its policy gone, or many newer came`() {
    var book = RefusalBook()
    func note(_ policy: String, _ key: String, _ state: ActionReport.State, _ detail: String = "") {
      book.note(
        ActionReport(policy: policy, key: key, kind: "exec", state: state, detail: detail),
        at: WallTime())
    }
    note("p", "a", .refused, "first")
    note("p", "a", .refused, "second")
    note("q", "a", .refused)
    #expect(book.entries.map(\.report.detail) == ["second", ""])
    note("p", "a", .started)
    #expect(book.entries.count == 2)
    note("p", "a", .succeeded)
    #expect(book.entries.map(\.report.policy) == ["q"])
    book.forget("q")
    #expect(book.entries.isEmpty)
    for number in 0...RefusalBook.most { note("p", "\(number)", .refused) }
    #expect(book.entries.count == RefusalBook.most && book.entries.first?.report.key == "1")
  }

  @Test func `the service manager's line is one line, whatever names say`() {
    let path = PathEvaluator.path(of: .online("wl\n\u{202E}an0"), filter: .none)
    let line = ServiceStatus.line(path, policies: 1, rejected: ["a", "lib/\n"])
    #expect(line.hasPrefix("satisfied: wl\\n\\u{202e}an0 (wifi) carries IPv4"))
    #expect(line.hasSuffix(" | 1 policy | not taken: a, lib/\\n"))
    #expect(
      ServiceStatus.line(path, policies: 8, rejected: []).hasSuffix("192.0.2.1. | 8 policies"))
  }

}
