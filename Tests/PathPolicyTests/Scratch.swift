import Glibc

/// A directory of a test's own, gone with it.
final class Scratch {
  let path: String

  init() {
    var template = Array("/tmp/netvane-test-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
    precondition(made != nil, "mkdtemp failed")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// Writes a file, its folders made as needed.
  func write(_ name: String, _ text: String = "return { api = 1 }", mode: mode_t = 0o644) {
    write(name, Array(text.utf8), mode: mode)
  }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) {
    let parts = name.split(separator: "/")
    if parts.count > 1 { folder(parts.dropLast().joined(separator: "/")) }
    let descriptor = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    precondition(descriptor >= 0, "cannot write \(name)")
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    precondition(count == bytes.count, "cannot write \(name) whole")
    fchmod(descriptor, mode)
    close(descriptor)
  }

  func folder(_ name: String) {
    var path = path
    for part in name.split(separator: "/") {
      path += "/" + part
      mkdir(path, 0o755)
    }
  }

  func link(_ name: String, to target: String) {
    precondition(symlink(target, at(name)) == 0, "cannot link \(name)")
  }

  func pipe(_ name: String) { precondition(mkfifo(at(name), 0o644) == 0, "cannot make a pipe") }

  func rename(_ name: String, to other: String) {
    precondition(Glibc.rename(at(name), at(other)) == 0, "cannot rename \(name)")
  }

  func at(_ name: String) -> String { path + "/" + name }

  private static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          Array(bytes.prefix { $0 != 0 })
        }
        if name == Array(".".utf8) || name == Array("..".utf8) { continue }
        let child = Array((path + "/").utf8) + name + [0]
        child.withUnsafeBufferPointer { bytes in
          bytes.withMemoryRebound(to: CChar.self) { text in
            if unlink(text.baseAddress!) != 0 {
              remove(String(decoding: name, as: UTF8.self), under: path)
            }
          }
        }
      }
      closedir(directory)
    }
    rmdir(path)
  }

  private static func remove(_ name: String, under path: String) { remove(path + "/" + name) }
}
