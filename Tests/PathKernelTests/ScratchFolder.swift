import Foundation

/// A temporary folder that is removed with its owner.
final class ScratchFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "netvane-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func folder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }

  /// Writes in place, making the folders on the way.
  func write(_ name: String, _ text: String) throws {
    try folder((name as NSString).deletingLastPathComponent)
    try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
  }

  /// Replaces by a rename, as editors and resolvconf do.
  func replace(_ name: String, _ text: String) throws {
    try write("\(name).new", text)
    guard rename("\(path)/\(name).new", "\(path)/\(name)") == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Makes or swaps a symbolic link, in one step.
  func link(_ name: String, to target: String) throws {
    try folder((name as NSString).deletingLastPathComponent)
    guard symlink(target, "\(path)/\(name).new") == 0,
      rename("\(path)/\(name).new", "\(path)/\(name)") == 0
    else { throw CocoaError(.fileWriteUnknown) }
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }
}
