import Foundation
import PathTestKit
import Testing

/// A place with policies and a configuration, beside a lab whose eth0 is wired and leads out.
struct Site {
  let lab: Lab
  let folder = "/run/netvane-site"

  init(policies: [String] = []) throws {
    lab = try Lab()
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(
      atPath: self.policies, withIntermediateDirectories: true)
    for name in policies { try copy(name) }
    try configure("")
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1 dev eth0")
  }

  var policies: String { "\(folder)/policies" }
  var config: String { "\(folder)/config.lua" }

  /// A shipped policy, as it is or with a word changed.
  func copy(_ name: String, replacing old: String = "", with new: String = "") throws {
    let path = Repository.path("policies/\(name).lua")
    var text = try String(contentsOfFile: path, encoding: .utf8)
    if !old.isEmpty {
      guard text.contains(old) else { throw Lab.Failure(description: "\(name) lacks \(old)") }
      text = text.replacingOccurrences(of: old, with: new)
    }
    try write(name, text)
  }

  /// A policy of the test's own.
  func write(_ name: String, _ text: String) throws {
    try text.write(toFile: "\(policies)/\(name).lua", atomically: true, encoding: .utf8)
  }

  /// The types of eth0 and wlan0, and what else there is to say.
  func configure(_ more: String) throws {
    try """
    return {
      interfaces = { ["eth0"] = { type = "wired" }, ["wlan*"] = { type = "wifi" } },
      \(more)
    }
    """.write(toFile: config, atomically: true, encoding: .utf8)
  }

  /// `netvane run` with JSON; it keeps nothing unless told where.
  func run(
    _ flags: String..., environment: [String: String] = [:], launcher: [String] = []
  ) throws -> Program {
    try Program(
      words(flags), environment: environment, launcher: launcher)
  }

  private func words(_ flags: [String]) -> [String] {
    ["run", "--json", policies, "--config", config]
      + (flags.contains("--state") ? [] : ["--state", "none"]) + flags
  }

  /// Runs it until the first verdict.
  func runToVerdict(_ flags: String...) throws -> Program {
    let program = try Program(words(flags))
    _ = try program.event("path")
    return program
  }
}
