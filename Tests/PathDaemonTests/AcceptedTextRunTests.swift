import Foundation
import Glibc
import PathCore
import PathPolicy
import PathStore
import Testing

@testable import PathDaemon

/// Two runs on one state directory: what the second begins with, when the files were edited.
@Suite(.serialized) struct AcceptedTextRunTests {
  private static var calm: Stage.Step { .pause(.milliseconds(400)) }

  /// Publishes its number and why it starts; keeps how often it did.
  private static func numbered(_ number: Int) -> String {
    """
    local policy = { api = 1, state = { runs = 0 } }
    function policy.on_start(ctx, ev)
      ctx.state.runs = ctx.state.runs + 1
      ctx.publish("v", "\(number) " .. ev.reason .. " " .. ctx.state.runs)
    end
    return policy
    """
  }

  /// A test that is against texts that hold its own first word.
  private static let check: @Sendable (PolicyScript, PolicyScript) -> PolicyFault? = {
    policy, test in
    let word = String(decoding: test.source, as: UTF8.self)
    guard String(decoding: policy.source, as: UTF8.self).contains(word) else { return nil }
    return PolicyFault(
      policy: policy.name, handler: nil, kind: .load, file: test.file, line: 5, message: "no")
  }

  private func run(_ text: String, state: Bool = true) throws -> EditedRun {
    let run = try EditedRun(["a": text], check: Self.check, state: state) {
      try $0.write("p/a_test.lua", "\"2 ")
    }
    return run
  }

  /// Until what was accepted is kept.
  private func kept(_ run: EditedRun) -> Stage.Step {
    .poll("the text is kept") { run.daemon.keeper?.acceptedTexts["a"] != nil }
  }

  private func again(_ run: EditedRun, _ steps: [Stage.Step]) throws {
    try run.again(check: Self.check)
    try run.play([run.until("ready")] + steps)
  }

  @Test func `an accepted text runs at once in the next run, and nothing is told of it`() throws {
    let run = try run(Self.numbered(1))
    try run.play([run.until("a.v=1 start 1"), kept(run)])
    try again(run, [run.until("a.v=1 start 2"), Self.calm])
    #expect(run.count("a.v") == 1 && !run.has("alert") && !run.has("reload"))
    #expect(run.daemon.doubts.isEmpty)
  }

  @Test func `an edit that was refused does not go live at the next start`() throws {
    let run = try run(Self.numbered(1))
    try run.play([
      run.until("ready"), kept(run),
      .act { try run.folder.replace("p/a.lua", Self.numbered(2)) },
      run.until("alert a raised a_test.lua:5"),
    ])
    try again(run, [run.until("alert a raised a_test.lua:5: no"), Self.calm])
    #expect(run.has("a.v=1 start 2") && !run.said.contains { $0.hasPrefix("a.v=2") })
    #expect(run.count("alert") == 1 && run.daemon.engine.has("a"))
    let trace = try String(contentsOfFile: run.folder.at("trace"), encoding: .utf8)
    let found = try PolicyDirectory(reading: run.folder.at("p"))
    #expect(!trace.contains(found.scripts[0].hash))
  }

  @Test func `an edit while nobody ran is taken as any edit is, once its test is for it`() throws {
    let run = try run(Self.numbered(1))
    try run.play([run.until("ready"), kept(run)])
    try run.folder.replace("p/a.lua", Self.numbered(3))
    try again(run, [run.until("reload loaded: a")])
    #expect(run.has("a.v=1 start 2") && run.has("a.v=3 reload 3") && !run.has("alert"))
    try again(run, [run.until("a.v=3 start 4")])
  }

  @Test func `a file that is broken at the start leaves the last good text, with one alert`()
    throws
  {
    let run = try run(Self.numbered(1))
    try run.play([run.until("ready"), kept(run)])
    try run.folder.replace("p/a.lua", "return {\n  api = 1,\n  on_paht = 1 }")
    try again(run, [run.until("alert a raised a.lua:3: "), Self.calm])
    #expect(run.has("a.v=1 start 2") && run.count("alert") == 1)
    try run.folder.write("p/a.lua", "")
    try again(run, [run.until("alert a raised a.lua:1: the file is empty"), Self.calm])
    #expect(run.has("a.v=1 start 3") && run.count("alert") == 1)
    // One that cannot even be read.
    try run.folder.remove("p/a.lua")
    try run.folder.folder("p/a.lua")
    try again(run, [run.until("alert a raised a.lua: it is a directory"), Self.calm])
    #expect(run.has("a.v=1 start 4") && run.count("alert") == 1)
  }

  @Test func `with nothing stored a text runs at once, and stops if its test is against it`() throws
  {
    let run = try run(Self.numbered(2))
    try run.play([
      run.until("a.v=2 start 1"), run.until("alert a raised a_test.lua:5: no"), Self.calm,
      .act {
        #expect(!run.daemon.engine.has("a") && run.count("alert") == 1)
        #expect(run.daemon.keeper?.acceptedTexts.isEmpty == true)
        #expect(run.has("policy a rejected") && !run.has("policy a removed"))
        try run.folder.replace("p/a.lua", Self.numbered(3))
      },
      // What it kept is there for the text that takes its place.
      run.until("a.v=3 start 2"), kept(run),
    ])
    #expect(run.has("alert a resolved"))
  }

  @Test func `a test that was changed is run, and the text that it is against goes on`() throws {
    let run = try run(Self.numbered(1))
    try run.play([run.until("ready"), kept(run)])
    try run.folder.replace("p/a_test.lua", "\"1 ")
    try again(run, [run.until("alert a raised a_test.lua:5"), Self.calm])
    #expect(run.has("a.v=1 start 2") && run.daemon.engine.has("a"))
  }

  @Test func `a file that is gone stays gone, and its text is forgotten`() throws {
    let run = try run(Self.numbered(1))
    try run.folder.write("p/b.lua", Self.numbered(7))
    try run.play([run.until("ready"), kept(run), run.until("b.v=7"), Self.calm])
    try run.folder.remove("p/a.lua")
    try again(run, [run.until("b.v=7"), Self.calm])
    #expect(!run.has("a.v") && !run.daemon.engine.has("a"))
    #expect(run.daemon.keeper.map { Array($0.acceptedTexts.keys) } == ["b"])
    try run.folder.remove("p/b.lua")
    try run.folder.write("p/c.lua", Self.numbered(8))
    try again(run, [run.until("c.v=8"), Self.calm])
    #expect(run.daemon.keeper.map { Array($0.acceptedTexts.keys) } == ["c"])
  }

  @Test func `a stored text that was tampered with is as if nothing were stored`() throws {
    let run = try run(Self.numbered(1))
    try run.play([run.until("ready"), kept(run)])
    let opening = PolicyStore.open(
      directory: run.folder.at("state"), bootID: "boot", at: Clocks.now())
    guard case .refused = opening else {
      guard case .opened(let store) = opening else { throw CancellationError() }
      let text = try #require(store.texts["a"])
      let bytes = text.bytes.map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "2") : $0 }
      _ = store.write(
        StoreBatch(texts: ["a": StoredText(hash: text.hash, bytes: bytes)]), at: Clocks.now())
      store.close()
      try again(run, [run.until("a.v=1 start 2"), kept(run)])
      #expect(!run.has("alert"))
      return
    }
    Issue.record("\(opening)")
  }

  @Test func `where nothing is kept, it is said once what the next start begins with`() throws {
    let run = try run(Self.numbered(1), state: false)
    try run.play([
      run.until("ready"), Self.calm,
      .act { try run.folder.replace("p/a.lua", Self.numbered(2)) },
      run.until("alert a raised"), run.until("reload no state is kept"), Self.calm,
      .act { try run.folder.replace("p/a.lua", "return {") }, run.until("alert a updated"),
      Self.calm,
    ])
    #expect(run.count("reload no state is kept") == 1)
    // The next start has nothing else to run, and says so.
    try again(run, [run.until("alert a raised a.lua:1:"), Self.calm])
    #expect(!run.has("a.v") && !run.daemon.engine.has("a"))
  }
}
