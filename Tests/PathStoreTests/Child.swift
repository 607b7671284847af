import Foundation

/// The `StoreChild` program: a process with a store of its own.
final class Child {
  /// Beside the test bundle, which is what this process runs.
  static let path: String = {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = max(0, readlink("/proc/self/exe", &bytes, bytes.count - 1))
    let own = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (own as NSString).deletingLastPathComponent + "/StoreChild"
  }()

  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var rest: [UInt8] = []

  /// `shell` is what runs it: lines of a script that end with `exec "$0" "$@"`.
  init(_ words: [String], shell: String? = nil) throws {
    if let shell {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", shell, Self.path] + words
    } else {
      process.executableURL = URL(filePath: Self.path)
      process.arguments = words
    }
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  deinit { if process.isRunning { kill() } }

  /// The next line it prints; nil when it has ended.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let piece = output.fileHandleForReading.availableData
      if piece.isEmpty { return nil }
      rest += piece
    }
  }

  /// All that it still prints.
  func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func end() {
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  /// Whether this machine lets us mount things that only a child sees.
  /// In CI it is not asked: what is missing there is a failure, not a reason to skip.
  static let canMount: Bool = {
    if ProcessInfo.processInfo.environment["CI"] != nil { return true }
    let probe = Process()
    probe.executableURL = URL(filePath: "/bin/sh")
    probe.arguments = ["-c", "\(namespace) mount -t tmpfs tmpfs /mnt 2>/dev/null"]
    guard (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  static let namespace = geteuid() == 0 ? "unshare -m" : "unshare -rm"

  /// Runs it with a tmpfs on a directory that nobody else sees.
  static func onTmpfs(
    _ words: [String], _ directory: String, options: String, before: String = ":"
  ) throws -> [String] {
    let inner =
      "mount -t tmpfs -o \(options) tmpfs '\(directory)' && { \(before); } && exec \"$0\" \"$@\""
    return try Child(
      words, shell: "exec \(namespace) sh -c '\(inner.replacing("'", with: "'\\''"))' \"$0\" \"$@\""
    ).lines()
  }
}
