import Foundation
import Glibc
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

/// A daemon whose policies and configuration are edited while it runs, and what it says.
final class EditedRun: DaemonDelegate {
  let folder: Folder
  private(set) var stage: Stage!
  private(set) var daemon: Daemon!
  /// What was said, a line each.
  private(set) var said: [String] = []
  private(set) var gaps: [String] = []
  private let hasControl: Bool
  private let keepsState: Bool

  init(
    _ policies: [String: String], config: String? = nil, shadow: [String: String] = [:],
    check: (@Sendable (PolicyScript, PolicyScript) -> PolicyFault?)? = nil,
    control: Bool = false, state: Bool = true, _ location: SourceLocation = #_sourceLocation,
    prepare: (Folder) throws -> Void = { _ in }
  ) throws {
    folder = try Folder()
    hasControl = control
    keepsState = state
    try prepare(folder)
    for (name, text) in policies { try folder.write("p/\(name).lua", text) }
    for (name, text) in shadow { try folder.write("shadow/\(name).lua", text) }
    if let config { try folder.write("config.lua", config) }
    try start(check: check, location)
  }

  private func start(
    check: (@Sendable (PolicyScript, PolicyScript) -> PolicyFault?)?, _ location: SourceLocation
  ) throws {
    let place = PolicyPlace(
      directory: folder.at("p"), configurations: [folder.at("config.lua")])
    let found = try PolicyDirectory(reading: place.directory, withTests: true)
    var settings = DaemonSettings(
      scripts: found.scripts, refused: found.refused,
      configuration: access(place.configurations[0], F_OK) == 0
        ? try ConfigurationReader.read(place.configurations[0]) : Configuration(),
      version: "test")
    settings.tests = found.tests
    settings.place = place
    if access(folder.at("shadow"), F_OK) == 0 { settings.shadow = folder.at("shadow") }
    settings.check = check
    settings.state = keepsState ? folder.at("state") : "none"
    settings.bootID = "boot"
    settings.record = folder.at("trace")
    settings.overwritesRecord = true
    if hasControl { settings.control = folder.at("run/control") }
    daemon = try Daemon(settings: settings, delegate: self)
    stage = try Stage(daemon.loop, location: location)
  }

  func input(_ line: String) -> [Fact] { [] }

  func report(_ report: Report, at time: WallTime) -> Bool {
    switch report {
    case .ready(let count): said.append("ready \(count)")
    case .publish(let notice):
      let text = notice.value.flatMap { PlainReader.decode($0)?.text } ?? "?"
      said.append("\(notice.policy).\(notice.name)=\(text)")
    case .alert(let notice):
      said.append(
        "alert \(notice.policy) \(notice.state) \(notice.content.body)"
          + (notice.cause.map { " by \($0.rawValue)" } ?? ""))
    case .policy(let name, let standing, let detail):
      said.append("policy \(name) \(standing) \(detail)")
    case .action(let report): said.append("action \(report.policy) \(report.detail)")
    case .fault(let fault): said.append("fault \(fault.located)")
    case .reload(let detail): said.append("reload \(detail)")
    case .shadow(let difference):
      said.append("shadow \(difference.policy) \(difference.only) \(difference.what)")
    case .gap(let detail): gaps.append(detail)
    case .path: break
    }
    stage?.go()
    return true
  }

  func until(_ line: String) -> Stage.Step {
    .until(line) { [unowned self] in said.contains { $0.hasPrefix(line) } }
  }

  func has(_ line: String) -> Bool { said.contains { $0.hasPrefix(line) } }
  func count(_ line: String) -> Int { said.count { $0.hasPrefix(line) } }
  func clear() { said = [] }

  /// Plays, and ends the daemon in good order.
  func play(_ steps: [Stage.Step]) throws {
    stage.play(steps + [.act { [unowned self] in daemon.end() }, .pause(.seconds(5))])
    #expect(try daemon.run() == 0)
  }

  /// Runs the same files again.
  func again(
    check: (@Sendable (PolicyScript, PolicyScript) -> PolicyFault?)? = nil
  ) throws {
    stage = nil
    daemon = nil
    said = []
    try start(check: check, #_sourceLocation)
  }
}
