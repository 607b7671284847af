import Foundation
import Glibc
import Testing

@testable import PathDaemon

/// A play in a loop: things are done, and awaited, one after the other.
final class Stage {
  enum Step {
    case act(() throws -> Void)
    /// Goes on as soon as this holds; it is asked whenever something happened.
    case until(String, () -> Bool)
    /// The same for what nothing here tells of, as what a thread does: it is asked time and again.
    case poll(String, () -> Bool)
    /// Time in which something may happen that must not.
    case pause(Duration)
  }

  private let loop: EventLoop
  private var steps: [Step] = []
  private var timer: LoopTimer?
  private var patience: LoopTimer?
  private var isPausing = false
  private var isGoing = false
  private let location: SourceLocation

  init(_ loop: EventLoop, location: SourceLocation = #_sourceLocation) throws {
    self.loop = loop
    self.location = location
    timer = try loop.makeTimer(.awake) { [unowned self] in
      isPausing = false
      go()
    }
    patience = try loop.makeTimer(.awake) { [unowned self] in
      switch steps.first {
      case .until(let what, _), .poll(let what, _):
        Issue.record("never came: \(what)", sourceLocation: location)
      default: Issue.record("it did not end", sourceLocation: location)
      }
      loop.stop(0)
    }
  }

  /// Begins once the loop runs.
  func play(_ steps: [Step]) {
    self.steps = steps
    isPausing = true
    timer?.arm(at: Clocks.read(CLOCK_MONOTONIC))
    patience?.arm(at: Clocks.read(CLOCK_MONOTONIC) + .seconds(30))
  }

  /// Something happened.
  func go() {
    guard !isPausing, !isGoing else { return }
    isGoing = true
    defer { isGoing = false }
    while let step = steps.first {
      switch step {
      case .act(let body):
        steps.removeFirst()
        do { try body() } catch { Issue.record(error, sourceLocation: location) }
      case .until(_, let holds):
        guard holds() else { return }
        steps.removeFirst()
      case .poll(_, let holds):
        guard holds() else { return pause(.milliseconds(2)) }
        steps.removeFirst()
      case .pause(let time):
        steps.removeFirst()
        return pause(time)
      }
    }
    loop.stop(0)
  }

  private func pause(_ time: Duration) {
    isPausing = true
    timer?.arm(at: Clocks.read(CLOCK_MONOTONIC) + time)
  }
}

/// A folder of files that are written as editors and deployers write them.
final class Folder {
  let path: String

  init() throws {
    let real = try #require(realpath(NSTemporaryDirectory(), nil))
    defer { free(real) }
    path = String(cString: real) + "/netvane-reload-\(UUID().uuidString)"
    try folder("")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func at(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

  func folder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: at(name), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
  }

  /// In place: opened, cut off, written, closed.
  func write(_ name: String, _ text: String) throws {
    try folder((name as NSString).deletingLastPathComponent)
    let descriptor = try begin(name)
    try add(descriptor, text)
    close(descriptor)
  }

  /// Opens and cuts off.
  func begin(_ name: String) throws -> Int32 {
    let descriptor = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    return try #require(descriptor >= 0 ? descriptor : nil, "\(name): \(errno)")
  }

  func add(_ descriptor: Int32, _ text: String) throws {
    let bytes = Array(text.utf8)
    try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  /// Beside it, and renamed over.
  func replace(_ name: String, _ text: String) throws {
    try write("\(name).tmp", text)
    try rename("\(name).tmp", name)
  }

  func rename(_ name: String, _ other: String) throws {
    try #require(Glibc.rename(at(name), at(other)) == 0, "\(name): \(errno)")
  }

  /// Makes a link, or has it lead elsewhere in one step.
  func link(_ name: String, to target: String) throws {
    try folder((name as NSString).deletingLastPathComponent)
    try #require(symlink(target, at(name + ".tmp")) == 0)
    try rename(name + ".tmp", name)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: at(name)) }
}
