import Foundation
import Glibc
import PathTrust

/// A directory of a test's own below /tmp, and looks at what is in it.
final class Ground {
  let path: String

  init() {
    path = "/tmp/netvane-trust-\(UUID().uuidString)"
    precondition(mkdir(path, 0o755) == 0)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func at(_ name: String) -> String { "\(path)/\(name)" }

  @discardableResult
  func folder(_ name: String, _ mode: mode_t = 0o755, owner: uid_t? = nil, group: gid_t? = nil)
    -> String
  {
    var made = path
    for part in name.split(separator: "/") {
      made += "/\(part)"
      mkdir(made, 0o755)
    }
    give(made, mode, owner, group)
    return made
  }

  @discardableResult
  func file(
    _ name: String, _ mode: mode_t = 0o644, owner: uid_t? = nil, group: gid_t? = nil,
    text: String = "text"
  ) -> String {
    if let slash = name.lastIndex(of: "/"), access(at(String(name[..<slash])), F_OK) != 0 {
      folder(String(name[..<slash]))
    }
    try! text.write(toFile: at(name), atomically: false, encoding: .utf8)
    give(at(name), mode, owner, group)
    return at(name)
  }

  func link(_ name: String, to target: String) {
    precondition(symlink(target, at(name)) == 0, "cannot link \(name)")
  }

  private func give(_ path: String, _ mode: mode_t, _ owner: uid_t?, _ group: gid_t?) {
    precondition(lchown(path, owner ?? geteuid(), group ?? getegid()) == 0)
    precondition(chmod(path, mode) == 0)
  }

  /// Where the way ended, or why it is not trusted.
  func look(_ name: String, making: TrustedPlace.Making = .nothing) -> String {
    let path = name.hasPrefix("/") ? name : at(name)
    do throws(Distrust) {
      let place = try TrustedPlace.find(path, making: making)
      try place.check()
      _ = try place.open()
      return "taken " + place.path.replacingOccurrences(of: self.path, with: "…")
    } catch {
      return error.message(calling: "it").replacingOccurrences(of: self.path, with: "…")
    }
  }

  /// The same by another process: a command that ends with the program and its argument.
  func look(_ name: String, by launcher: [String]) throws -> String {
    let program = at("child")
    if access(program, F_OK) != 0 {
      try FileManager.default.copyItem(atPath: Self.child, toPath: program)
      chmod(program, 0o755)
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = launcher + [program, name.hasPrefix("/") ? name : at(name)]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).replacingOccurrences(of: path, with: "…")
      .trimmingCharacters(in: .newlines)
  }

  /// Beside the test bundle, which is what this process runs.
  private static let child: String = {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = max(0, readlink("/proc/self/exe", &bytes, bytes.count - 1))
    let own = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (own as NSString).deletingLastPathComponent + "/TrustChild"
  }()
}
