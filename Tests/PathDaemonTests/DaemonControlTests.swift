import Foundation
import Glibc
import PathCore
import Testing

@testable import PathDaemon

/// A daemon that is asked over its socket while it runs.
@Suite struct DaemonControlTests {
  private static let banner = """
    local p = { api = 1, description = "shows a banner" }
    function p.on_start(ctx)
      ctx.alert.raise { key = "k", title = "Ready", buttons = { { id = "go", label = "Go on" } } }
    end
    function p.on_button(ctx, ev) ctx.publish("pressed", ev.button) end
    function p.on_dismissed(ctx, ev) ctx.publish("dismissed", ev.key) end
    return p
    """

  /// Asks in a thread, as the loop must go on.
  private func ask(_ run: EditedRun, _ method: String, _ target: String) -> Answer {
    let answer = Answer()
    let path = run.folder.at("run/control")
    Thread {
      answer.text = (try? RawClient.ask(path, method, target)) ?? "no connection"
    }.start()
    return answer
  }

  /// Guarded by its lock.
  private final class Answer: @unchecked Sendable {
    private let lock = NSLock()
    private var kept = ""

    var text: String {
      get { lock.withLock { kept } }
      set { lock.withLock { kept = newValue } }
    }

    var payload: String { text.payload }
  }

  /// Steps that ask, wait for the answer and look at it.
  private func asking(
    _ run: EditedRun, _ method: String, _ target: String, _ look: @escaping (String) -> Void
  ) -> [Stage.Step] {
    var answer: Answer?
    return [
      .act { answer = ask(run, method, target) },
      .poll("an answer to \(target)") { answer?.text.isEmpty == false },
      .act { look(answer?.text ?? "") },
    ]
  }

  @Test func `a broken edit is in the status with its place until it is mended`() throws {
    let run = try EditedRun(["a": Self.banner], control: true)
    let edit = #""editNotTaken":"a.lua:2: "#
    try run.play(
      [run.until("ready")]
        + asking(run, "GET", "/v1/status") {
          #expect($0.statusLine == "HTTP/1.1 200 OK" || $0.statusLine.contains("200"))
          #expect($0.contains(#""standing":"running""#) && !$0.contains("editNotTaken"))
        }
        + [
          .act { try run.folder.replace("p/a.lua", "return {\n  api = = 1 }") },
          run.until("reload not taken: a"),
        ]
        + asking(run, "GET", "/v1/status") {
          #expect($0.contains(#""standing":"running""#) && $0.contains(edit), "\($0)")
        }
        + [
          .act { try run.folder.replace("p/a.lua", Self.banner) }, run.until("reload as before: a"),
        ]
        + asking(run, "GET", "/v1/status") { #expect(!$0.contains("editNotTaken"), "\($0)") })
    #expect(access(run.folder.at("run/control"), F_OK) != 0)
  }

  @Test func `a button and a dismissal over the socket are facts like any other`() throws {
    let run = try EditedRun(["a": Self.banner, "b": Self.banner], control: true)
    try run.play(
      [run.until("ready")]
        + asking(run, "POST", "/v1/press?key=k&button=go") {
          #expect($0.statusLine.contains(" 409 ") && $0.contains("a/k, b/k"))
        }
        + asking(run, "POST", "/v1/press?key=b%2Fk&button=go") {
          #expect(
            $0.payload.hasPrefix(#"{"policy":"b","key":"k","button":"go","decided":["publish b"#))
        }
        + asking(run, "POST", "/v1/dismiss?key=b%2Fk") {
          #expect($0.payload.contains("alert") && $0.payload.contains("dismissed"))
        }
        + asking(run, "POST", "/v1/press?key=b%2Fk&button=go") {
          #expect($0.statusLine.contains(" 404 "))
        })
    #expect(run.count("b.pressed=go") == 1 && run.count("b.dismissed=k") == 1)
    #expect(!run.has("a.pressed"))
    let trace = try String(contentsOfFile: run.folder.at("trace"), encoding: .utf8)
    #expect(trace.contains(#""button":"go""#))
  }

  @Test func `a reload is answered with what came of it`() throws {
    let run = try EditedRun(["a": Self.banner, "b": Self.banner], control: true)
    try run.play(
      [run.until("ready")]
        + asking(run, "POST", "/v1/reload") {
          #expect($0.payload == "{\"detail\":\"nothing changed\",\"rejected\":[]}\n")
          #expect($0.contains("Netvane-Exit: 0"))
        }
        + [
          .act {
            try run.folder.replace("p/b.lua", "return {")
            try run.folder.replace("p/c.lua", "return {")
          }
        ]
        + asking(run, "POST", "/v1/reload") {
          #expect($0.statusLine.contains(" 422 ") && $0.contains("Netvane-Exit: 1"))
          #expect($0.contains(#""name":"b","error":"b.lua:1: "#))
          #expect($0.contains(#""instead":"the version before it runs""#))
          #expect($0.contains(#""instead":"it was not loaded""#))
        })
  }

  @Test func `a policy that fails too often is not pressed`() throws {
    let failing = Self.banner.replacing(
      #"ctx.publish("pressed", ev.button)"#, with: "error('no')")
    let run = try EditedRun(["a": failing], control: true)
    let press = { (run: EditedRun) in
      self.asking(run, "POST", "/v1/press?key=k&button=go") {
        #expect($0.payload.contains("fault a on_button"))
      }
    }
    try run.play(
      [run.until("ready")] + press(run) + press(run) + press(run)
        + asking(run, "POST", "/v1/press?key=k&button=go") {
          #expect($0.statusLine.contains(" 409 ") && $0.contains("rests for another 1m"))
        }
        + asking(run, "GET", "/v1/status") {
          #expect($0.contains(#""standing":"resting","rests":"#))
        })
  }

  @Test func `what is not granted is in the status`() throws {
    let run = try EditedRun(
      [
        "a": """
        return { api = 1, on_start = function(ctx) ctx.exec { key = "x", command = "reset" } end }
        """
      ], control: true)
    try run.play(
      [run.until("action a no command")]
        + asking(run, "GET", "/v1/status") {
          #expect($0.contains(#""refused":[{"time":""#) && $0.contains(#""key":"x""#))
        })
  }

  @Test func `where there can be no socket the run goes on, and says why`() throws {
    let run = try EditedRun(["a": Self.banner], control: true) { folder in
      try folder.write("run/control", "a file")
    }
    try run.play([run.until("ready")])
    #expect(run.gaps.contains { $0.contains("is no socket") })
    #expect(try String(contentsOfFile: run.folder.at("run/control"), encoding: .utf8) == "a file")
  }
}
