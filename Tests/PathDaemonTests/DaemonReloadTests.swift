import Foundation
import Glibc
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

/// The running daemon while its policies and its configuration are edited.
@Suite(.serialized) struct DaemonReloadTests {
  private static var calm: Stage.Step { .pause(.milliseconds(350)) }

  /// Publishes its number and why it starts, once each.
  private static func numbered(_ number: Int) -> String {
    """
    local policy = { api = 1 }
    function policy.on_start(ctx, ev) ctx.publish("v", "\(number) " .. ev.reason) end
    function policy.on_button(ctx, ev) ctx.publish("pressed", "\(number)") end
    return policy
    """
  }

  @Test func `a saved edit is live, and told as loaded and as a reload`() throws {
    let run = try EditedRun(["a": Self.numbered(1), "b": Self.numbered(1)])
    try run.play([
      run.until("a.v=1 start"), .act { run.clear() },
      .act { try run.folder.replace("p/a.lua", Self.numbered(2)) },
      run.until("reload loaded: a"), Self.calm,
    ])
    #expect(run.said == ["policy a loaded ", "a.v=2 reload", "reload loaded: a"])
  }

  @Test func `a broken edit is one alert with its place; the fix takes it back`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"), .act { run.clear() },
      .act { try run.folder.replace("p/a.lua", "return {\n  api = 1,\n  on_paht = 1 }") },
      run.until("reload not taken: a"), Self.calm,
      .act {
        #expect(run.count("alert a raised a.lua:3: ") == 1 && run.has("policy a rejected a.lua:3"))
        #expect(run.daemon.engine.rejected.map(\.name) == ["a"])
        try run.folder.replace("p/a.lua", "return {\n  api = 1,\n  on_paht = 2 }")
      }, Self.calm,
      .act { try run.folder.replace("p/a.lua", "return {") }, run.until("alert a updated a.lua:1:"),
      // What ran before is live all the while.
      .act { try run.folder.write("p/b.lua", Self.numbered(1)) }, run.until("b.v=1 start"),
      .act { #expect(run.count("alert") == 2 && !run.has("a.v")) },
      .act { try run.folder.replace("p/a.lua", Self.numbered(3)) },
      run.until("a.v=3 reload"), Self.calm,
    ])
    #expect(run.count("alert a resolved") == 1 && run.count("alert") == 3)
    #expect(run.daemon.engine.rejected.isEmpty)
  }

  @Test func `the old text again, after a broken one, is told and starts nothing`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"),
      .act { try run.folder.replace("p/a.lua", "x = = 1") }, run.until("alert a raised"),
      .act { try run.folder.replace("p/a.lua", Self.numbered(1)) },
      run.until("alert a resolved"), Self.calm,
    ])
    #expect(run.count("a.v") == 1 && run.has("reload as before: a"))
  }

  // R-03
  @Test func `an empty file is no empty policy`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"), .act { try run.folder.write("p/a.lua", "") },
      run.until("policy a rejected a.lua:1: the file is empty"), Self.calm,
      .act { #expect(run.daemon.engine.has("a") && !run.has("policy a removed")) },
    ])
  }

  @Test func `of a removed policy alerts and timers end, and nothing of it is kept`() throws {
    let run = try EditedRun([
      "a": """
      return { api = 1, state = { n = 0 }, on_start = function(ctx)
        ctx.state.n = 7
        ctx.alert.raise { key = "k", title = "t", body = "up" }
        ctx.timer.start("soon", "400ms")
      end, on_timer = function(ctx) ctx.publish("fired", "yes") end }
      """, "b": Self.numbered(1),
    ])
    try run.play([
      run.until("ready"),
      .act { #expect(run.daemon.keeper?.memories(of: ["a"]).count == 1) },
      .act { try run.folder.remove("p/a.lua") }, run.until("reload removed: a"),
      .pause(.milliseconds(500)),
      .act { #expect(run.daemon.keeper?.memories(of: ["a", "b"]).keys.sorted() == ["b"]) },
    ])
    #expect(run.has("alert a resolved up by policy-removed") && run.has("policy a removed"))
    #expect(!run.has("a.fired"))
  }

  @Test func `a broken policy that never ran is forgotten with its file`() throws {
    let run = try EditedRun(["a": "x = = 1", "b": Self.numbered(1)])
    try run.play([
      run.until("ready 1"), .act { #expect(run.has("alert a raised a.lua:1:")) },
      .act { try run.folder.remove("p/a.lua") }, run.until("reload removed: a"),
    ])
    #expect(run.has("policy a removed"))
    #expect(
      run.said.contains { $0.hasPrefix("alert a resolved") && $0.hasSuffix("policy-removed") })
  }

  @Test func `what a policy kept is there for the fix of an edit that broke it before the start`()
    throws
  {
    let text = { (number: Int) in
      """
      return { api = 1, state = { n = 0 }, on_start = function(ctx, ev)
        ctx.state.n = ctx.state.n + 1
        ctx.publish("n", ctx.state.n .. " \(number) " .. ev.reason)
      end }
      """
    }
    let run = try EditedRun(["a": text(1)])
    try run.play([run.until("a.n=1 1 start")])
    try run.folder.replace("p/a.lua", "return {")
    try run.again()
    try run.play([
      run.until("alert a raised"),
      .act { try run.folder.replace("p/a.lua", text(2)) }, run.until("a.n=2 2 start"),
      .act { try run.folder.replace("p/a.lua", text(3)) }, run.until("a.n=3 3 reload"),
    ])
  }

  @Test func `a changed module concerns those who use it`() throws {
    let user = """
      local m = require "m"
      return { api = 1, on_start = function(ctx) ctx.publish("m", m.word) end }
      """
    let run = try EditedRun([
      "a": user, "b": Self.numbered(1), "lib/m": "return { word = 'one' }", "lib/n": "return 1",
    ])
    try run.play([
      run.until("ready"), .act { run.clear() },
      .act { try run.folder.write("p/lib/m.lua", "return { word = 'two' }") },
      run.until("a.m=two"), Self.calm,
      .act { #expect(run.said == ["policy a loaded ", "a.m=two", "reload loaded: a"]) },
      .act { try run.folder.write("p/lib/n.lua", "return 2") }, Self.calm,
      .act { #expect(run.count("reload") == 1) },
      .act { try run.folder.write("p/lib/m.lua", "") }, run.until("reload not taken"),
      .act {
        #expect(run.has("policy lib/m rejected lib/m.lua: the file is empty"))
        #expect(run.has("policy a rejected a.lua:1: module 'm' not found"))
        try run.folder.write("p/lib/m.lua", "return { word = 'two' }")
      }, run.until("reload as before: a"),
    ])
    #expect(run.count("alert") == 4)
  }

  // R-05
  @Test func `content counts, not the time that a file bears`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    let path = run.folder.at("p/a.lua")
    var status = stat()
    try run.play([
      run.until("ready"), .act { run.clear() },
      .act {
        stat(path, &status)
        try run.folder.replace("p/a.lua", Self.numbered(2))
        let times = [status.st_atim, status.st_mtim]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      }, run.until("a.v=2 reload"), Self.calm,
      .act {
        run.clear()
        utimensat(AT_FDCWD, path, nil, 0)
      }, Self.calm, .act { #expect(run.said == []) },
    ])
  }

  // R-07
  @Test func `what happens while a policy loads is judged by one version, once`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let inner = ends[1]
    let text = { (number: Int) in
      """
      local p = { api = 1, settle = "0s" }
      function p.on_start(ctx)
        ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
      end
      function p.on_button(ctx) ctx.log "\(number)" end
      return p
      """
    }
    // News comes while the new text is looked over, beside the old one.
    let run = try EditedRun(["a": text(1), "a_test": ""]) { _, _ in
      _ = write(inner, "x", 1)
      return nil
    }
    try run.daemon.loop.watch(descriptor: ends[0]) { [daemon = run.daemon!] in
      var byte: UInt8 = 0
      _ = read(ends[0], &byte, 1)
      daemon.feed(.button(policy: "a", key: "k", button: "b"))
    }
    try run.play([
      run.until("ready"), .act { try run.folder.replace("p/a.lua", text(2)) },
      run.until("action a"), Self.calm,
    ])
    #expect(run.said.filter { $0.hasPrefix("action") } == ["action a 2"])
  }

  // R-02
  @Test func `a release of several files goes live as one`() throws {
    let run = try EditedRun(["..v1/a": Self.numbered(1)])
    let folder = run.folder
    try folder.link("p/..data", to: "..v1")
    try folder.link("p/a.lua", to: "..data/a.lua")
    try run.again()
    try run.play([
      run.until("a.v=1 start"), run.until("ready"), .act { run.clear() },
      .act {
        try folder.write("p/..v2/a.lua", Self.numbered(2))
        try folder.write("p/..v2/b.lua", Self.numbered(2))
        try folder.link("p/b.lua", to: "..data/b.lua")
        try folder.link("p/..data", to: "..v2")
        try folder.remove("p/..v1")
      }, run.until("reload"), Self.calm,
    ])
    #expect(run.said.filter { $0.hasPrefix("reload") } == ["reload loaded: a, b"])
    #expect(run.has("a.v=2 reload") && run.has("b.v=2 start") && !run.has("alert"))
  }

  // R-03, R-08
  @Test func `a slow save in pieces is no broken edit`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    let text = Self.numbered(2)
    var descriptor: Int32 = -1
    try run.play([
      run.until("ready"), .act { run.clear() },
      .act { descriptor = try run.folder.begin("p/a.lua") }, .pause(.milliseconds(300)),
      .act { try run.folder.add(descriptor, String(text.prefix(40))) }, .pause(.milliseconds(300)),
      .act {
        try run.folder.add(descriptor, String(text.dropFirst(40)))
        close(descriptor)
      }, .pause(.milliseconds(80)),
      .act { try run.folder.write("p/a.lua", text + "\n") }, run.until("reload"), Self.calm,
    ])
    #expect(run.said == ["policy a loaded ", "a.v=2 reload", "reload loaded: a"])
  }

  @Test func `an edit made while the daemon starts is not missed`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    // It has read the old text already.
    try run.folder.replace("p/a.lua", Self.numbered(2))
    try run.play([run.until("a.v=2 reload")])
    #expect(run.has("a.v=1 start"))
  }

  @Test func `what happens at the end changes no policy any more`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"),
      .act {
        try run.folder.replace("p/a.lua", Self.numbered(2))
        run.daemon.end()
        run.daemon.hangUp()
      },
    ])
    #expect(!run.has("reload") && !run.has("a.v=2"))
  }

  @Test func `an edit whose migrate fails is not live, and the state is as it was`() throws {
    let text = { (version: Int, migrate: String) in
      """
      local p = { api = 1, version = \(version), state = { n = 0 } }
      function p.migrate(old) \(migrate) end
      function p.on_start(ctx)
        ctx.state.n = ctx.state.n + 1
        ctx.publish("n", ctx.state.n .. " of \(version)")
      end
      return p
      """
    }
    let run = try EditedRun(["a": text(1, "return old")])
    try run.play([
      run.until("a.n=1 of 1"),
      .act { try run.folder.replace("p/a.lua", text(2, "error 'no way'")) },
      run.until("alert a raised a.lua:2: no way"),
      .act { try run.folder.replace("p/a.lua", text(2, "return { n = old.n * 100 }")) },
      run.until("a.n=101 of 2"),
    ])
  }

  @Test func `an edit that its own test refuses waits until one of them is mended`() throws {
    let run = try EditedRun(["a": Self.numbered(1), "a_test": "1", "b": Self.numbered(1)]) {
      policy, test in
      let number = String(decoding: test.source, as: UTF8.self)
      return String(decoding: policy.source, as: UTF8.self).contains("\"\(number) \"")
        ? nil
        : PolicyFault(
          policy: policy.name, handler: nil, kind: .load, file: "a_test.lua", line: 9,
          message: "not \(number)")
    }
    try run.play([
      run.until("a.v=1 start"),
      .act { try run.folder.replace("p/a.lua", Self.numbered(2)) },
      run.until("alert a raised a_test.lua:9: not 1"), Self.calm,
      .act { #expect(!run.has("a.v=2")) },
      // Another's edit does not try it again.
      .act { try run.folder.replace("p/b.lua", Self.numbered(2)) }, run.until("b.v=2 reload"),
      .act { #expect(!run.has("a.v=2") && run.count("alert a") == 1) },
      .act { try run.folder.replace("p/a_test.lua", "2") }, run.until("a.v=2 reload"),
      .act { try run.folder.replace("p/a.lua", Self.numbered(3)) },
      run.until("alert a raised a_test.lua:9: not 2"),
      .act { try run.folder.remove("p/a_test.lua") }, run.until("a.v=3 reload"),
    ])
  }

  @Test func `a directory that is gone stops nothing; put back as it was it starts nothing`() throws
  {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"), .act { try run.folder.rename("p", "aside") },
      run.until("policy \(run.folder.at("p"))/ rejected"), Self.calm,
      .act { #expect(run.daemon.engine.has("a")) },
      .act { try run.folder.rename("aside", "p") }, run.until("reload taken again"), Self.calm,
      .act { try run.folder.replace("p/a.lua", Self.numbered(2)) }, run.until("a.v=2 reload"),
    ])
    #expect(run.count("a.v") == 2)
    #expect(run.said.contains { $0.contains("/ raised") && $0.contains("there is no such file") })
  }

  @Test func `a policy that is a link out of the directory is live where it lies`() throws {
    let run = try EditedRun(
      [:],
      prepare: { folder in
        try folder.write("shipped/a.lua", Self.numbered(1))
        try folder.folder("p")
        try folder.link("p/a.lua", to: "../shipped/a.lua")
      })
    try run.play([
      run.until("ready"), .act { try run.folder.write("shipped/a.lua", Self.numbered(2)) },
      run.until("a.v=2 reload"),
      .act { try run.folder.replace("shipped/a.lua", Self.numbered(3)) },
      run.until("a.v=3 reload"),
    ])
  }

  @Test func `a directory that everybody may write is not read again until that is over`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"), .act { chmod(run.folder.at("p"), 0o777) },
      run.until("policy \(run.folder.at("p"))/ rejected"),
      .act { try run.folder.replace("p/a.lua", Self.numbered(2)) }, Self.calm,
      .act {
        #expect(!run.has("a.v=2"))
        chmod(run.folder.at("p"), 0o755)
      }, run.until("a.v=2 reload"),
    ])
  }

  @Test func `by hand it says so when nothing changed, and what is still wrong`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"), .act { run.daemon.hangUp() },
      .act { #expect(run.said.last == "reload nothing changed") },
      .act { try run.folder.replace("p/a.lua", "return {") }, run.until("reload not taken"),
      .act { run.daemon.hangUp() },
      .act { #expect(run.said.last == "reload nothing changed; still not taken: a") },
      // At once, without waiting for the watch.
      .act {
        try run.folder.replace("p/a.lua", Self.numbered(2))
        run.daemon.hangUp()
        #expect(run.has("a.v=2 reload"))
        run.clear()
      }, Self.calm, .act { #expect(run.said == []) },
    ])
  }

  @Test func `a reload is in the trace, with the text's hash, and once`() throws {
    let run = try EditedRun(["a": Self.numbered(1)])
    try run.play([
      run.until("ready"), .act { try run.folder.replace("p/a.lua", Self.numbered(2)) },
      run.until("a.v=2"), Self.calm,
    ])
    let trace = try String(contentsOfFile: run.folder.at("trace"), encoding: .utf8)
    let facts = trace.split(separator: "\n").filter { $0.contains(#""fact":"policies""#) }
    let hash = PolicyScript(
      name: "a", file: "a.lua", source: Array(Self.numbered(2).utf8)
    ).hash
    #expect(facts.count == 2)
    #expect(facts.last?.contains(#""reason":"reload""#) == true)
    #expect(facts.last?.contains(#""hashes":{"a":"\#(hash)"}"#) == true)
  }
}
