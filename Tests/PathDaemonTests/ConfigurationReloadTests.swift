import Foundation
import Glibc
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

/// The configuration, edited while the daemon runs.
@Suite(.serialized) struct ConfigurationReloadTests {
  private static var calm: Stage.Step { .pause(.milliseconds(350)) }

  private static let policy = """
    return { api = 1, config = { g = "1s" }, on_start = function(ctx, ev)
      ctx.publish("g", ctx.config.g .. " " .. ev.reason)
    end }
    """
  private static let other = "return { api = 1, on_start = function(c) c.publish('o', 'x') end }"

  private static func config(_ grace: String, _ more: String = "") -> String {
    "return { policies = { a = { g = \"\(grace)\" } }, \(more) }"
  }

  @Test func `changed settings load the policy anew, and no other`() throws {
    let run = try EditedRun(["a": Self.policy, "b": Self.other], config: Self.config("2s"))
    try run.play([
      run.until("a.g=2s start"), run.until("ready"), .act { run.clear() },
      .act { try run.folder.replace("config.lua", Self.config("3s")) },
      run.until("reload loaded: a"), Self.calm,
    ])
    #expect(run.said == ["policy a loaded ", "a.g=3s reload", "reload loaded: a"])
  }

  @Test func `a broken configuration changes nothing and is one alert with its line`() throws {
    let run = try EditedRun(["a": Self.policy], config: Self.config("2s"))
    let path = run.folder.at("config.lua")
    try run.play([
      run.until("ready"),
      .act { try run.folder.replace("config.lua", "return {\n  polices = {} }") },
      run.until("alert \(path) raised \(path):2: "), Self.calm,
      .act {
        #expect(run.said.contains { $0.contains("did you mean 'policies'?") })
        // Edits of policies go on, with the settings of before.
        try run.folder.replace("p/a.lua", Self.policy + " -- edited")
      }, run.until("a.g=2s reload"),
      .act { try run.folder.replace("config.lua", Self.config("5s")) },
      run.until("a.g=5s reload"), Self.calm,
    ])
    #expect(run.count("alert \(path) raised") == 1 && run.count("alert \(path) resolved") == 1)
    #expect(!run.said.contains { $0.contains("policy-removed") || $0.contains("removed") })
  }

  @Test func `settings that do not fit leave the policy with the old ones`() throws {
    let run = try EditedRun(["a": Self.policy], config: Self.config("2s"))
    try run.play([
      run.until("ready"),
      .act { try run.folder.replace("config.lua", "return { policies = { a = { g = 7 } } }") },
      run.until("alert a raised"), Self.calm,
      .act { #expect(run.daemon.engine.has("a") && run.count("a.g") == 1) },
      .act { try run.folder.replace("config.lua", Self.config("2s")) },
      run.until("alert a resolved"),
    ])
    #expect(run.said.contains { $0.contains("policies[\"a\"].g: expected a string, not 7") })
  }

  @Test func `grants hold from the edit on, and can be taken back`() throws {
    let text = """
      return { api = 1, on_start = function(ctx)
        ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
      end, on_button = function(ctx) ctx.exec { key = "e", command = "hello" } end,
      on_result = function(ctx, ev)
        ctx.publish("r", (ev.ok and "ok " or "no ") .. tostring(ev.output or ev.error))
      end }
      """
    let grant = "return { grants = { exec = { hello = { \"/bin/echo\", \"hi\" } } } }"
    let run = try EditedRun(["a": text], config: "return {}")
    let press = Stage.Step.act { run.daemon.feed(.button(policy: "a", key: "k", button: "b")) }
    try run.play([
      run.until("ready"), press, run.until("a.r=no "),
      .act { try run.folder.replace("config.lua", grant) },
      run.until("reload \(run.folder.at("config.lua")): grants taken"), press,
      run.until("a.r=ok hi"), .act { run.clear() },
      .act { try run.folder.replace("config.lua", "return {}") }, run.until("reload"), press,
      run.until("a.r=no "),
      // Grants in a file that the group may write are somebody else's words.
      .act {
        run.clear()
        try run.folder.write("config.lua.new", grant)
        chmod(run.folder.at("config.lua.new"), 0o664)
        chown(run.folder.at("config.lua.new"), geteuid(), 12345)
        try run.folder.rename("config.lua.new", "config.lua")
      }, run.until("alert"),
    ])
    #expect(run.said.contains { $0.contains("its group may write it") })
  }

  @Test func `what holds only at the next start says so`() throws {
    let run = try EditedRun(["a": Self.policy], config: Self.config("2s"))
    let more = "interfaces = { eth0 = { type = 'wired' } }, underlay = { wg0 = 'always' }"
    try run.play([
      run.until("ready"),
      .act { try run.folder.replace("config.lua", Self.config("2s", more)) },
      run.until("reload"), Self.calm,
      // Back at what holds, there is nothing to say.
      .act { try run.folder.replace("config.lua", Self.config("2s")) }, Self.calm,
    ])
    let path = run.folder.at("config.lua")
    #expect(
      run.said.last == "reload \(path): interfaces, underlay take effect at the next start")
    #expect(run.count("a.g") == 1)
  }

  @Test func `a configuration that comes later is taken, and one that goes takes nothing back`()
    throws
  {
    let run = try EditedRun(["a": Self.policy])
    try run.play([
      run.until("a.g=1s start"), .act { try run.folder.write("config.lua", Self.config("4s")) },
      run.until("a.g=4s reload"), .act { try run.folder.remove("config.lua") },
      run.until("alert \(run.folder.at("config.lua")) raised"), Self.calm,
      .act {
        #expect(run.count("a.g") == 2)
        #expect(run.said.contains { $0.contains("it is gone; what it said holds until") })
        try run.folder.write("config.lua", Self.config("4s"))
      }, run.until("alert \(run.folder.at("config.lua")) resolved"), Self.calm,
    ])
    #expect(run.count("a.g") == 2)
  }

  @Test func `settings for a policy that is not there are named`() throws {
    let run = try EditedRun(["a": Self.policy])
    try run.play([
      run.until("ready"),
      .act { try run.folder.write("config.lua", "return { policies = { aa = { g = '1s' } } }") },
      run.until("reload \(run.folder.at("config.lua")): policies[\"aa\"]: there is no such policy"),
    ])
    #expect(run.said.contains { $0.contains("did you mean 'a'?") })
  }
}
