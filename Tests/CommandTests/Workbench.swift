import Foundation

@testable import netvane

/// A folder of a test's own, and a console whose lines are kept.
final class Workbench {
  let path: String
  private let output: String

  init() throws {
    path = NSTemporaryDirectory() + "netvane-command-\(UUID().uuidString)"
    output = path + ".out"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.removeItem(atPath: output)
  }

  func write(_ name: String, _ text: String) throws {
    let file = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: false, encoding: .utf8)
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

  /// The exit code of a command line, and all that it said, this folder's path taken out.
  func run(_ words: String...) throws -> (code: Int32, said: String) { try run(words) }

  func run(_ words: [String]) throws -> (code: Int32, said: String) {
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let descriptor = open(output, O_WRONLY | O_TRUNC)
    defer { close(descriptor) }
    let stream = Console.Stream(descriptor: descriptor, hasColours: false)
    let console = Console(output: stream, error: stream)
    let code: Int32
    switch ArgumentParser.parse(words.map { $0.replacing("@", with: path) }) {
    case .success(let invocation): code = perform(invocation, on: console)
    case .failure(let error):
      for line in error.lines { console.complain(line) }
      code = 2
    }
    let said = try String(contentsOfFile: output, encoding: .utf8)
    return (code, said.replacing(path, with: "@"))
  }
}
