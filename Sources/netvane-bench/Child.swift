import Glibc

/// A program under test, and the lines it prints.
@safe final class Child {
  let process: pid_t
  /// CLOCK_MONOTONIC right before it was started.
  let startedAt: Int64
  private(set) var lines: [String] = []
  private let output: Int32
  private var rest: [UInt8] = []
  private var status: Int32?

  /// Starts a program by its path, in the current directory.
  init(_ arguments: [String]) throws(WorkloadError) {
    var pair: [Int32] = [-1, -1]
    guard unsafe pipe(&pair) == 0 else { throw WorkloadError("pipe", code: errno) }
    // Whole runs fit into the pipe, so nobody waits for its reader in the middle of one.
    _ = fcntl(pair[0], 1031, 1 << 20)  // F_SETPIPE_SZ
    _ = fcntl(pair[0], F_SETFD, FD_CLOEXEC)
    output = pair[0]
    defer { close(pair[1]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, pair[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, pair[1])
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    let words = unsafe cStrings(arguments)
    let environment = unsafe cStrings(["PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
    defer { unsafe (words + environment).forEach { unsafe free($0) } }
    var process: pid_t = 0
    startedAt = nanoseconds()
    let code = unsafe posix_spawn(&process, arguments[0], &actions, nil, words, environment)
    self.process = process
    guard code == 0 else {
      close(pair[0])
      throw WorkloadError("start \(arguments[0])", code: code)
    }
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      _ = wait()
    }
    close(output)
  }

  /// One of this program's own hidden parts.
  static func part(_ words: String...) throws(WorkloadError) -> Child {
    try Child([ownPath, Part.flag] + words)
  }

  /// Runs lines of shell to their end.
  static func shell(_ script: String) throws(WorkloadError) {
    let child = try Child(["/bin/sh", "-c", "exec 2>&1; set -e; \(script)"])
    child.readAll()
    guard child.wait() == 0 else {
      throw WorkloadError(message: "\(child.lines.last ?? "a command failed") in: \(script)")
    }
  }

  /// Reads until a line is as wanted. The time when it was there; nil when there was none in time.
  @discardableResult
  func await(milliseconds: Int, from first: Int = 0, _ isWanted: (String) -> Bool) -> Int64? {
    let end = nanoseconds() + Int64(milliseconds) * 1_000_000
    var seen = first
    while true {
      let now = nanoseconds()
      while seen < lines.count {
        if isWanted(lines[seen]) { return now }
        seen += 1
      }
      guard now < end, read(milliseconds: Int((end - now) / 1_000_000) + 1) else { return nil }
    }
  }

  /// Takes what has been printed so far.
  func drain() { while read(milliseconds: 0) {} }

  /// Takes what is printed until the output is closed.
  func readAll() { while read(milliseconds: 600_000) {} }

  /// SIGTERM, then the end; the exit code, or the number of the signal and 128.
  @discardableResult
  func end() -> Int32 {
    kill(process, SIGTERM)
    readAll()
    return wait()
  }

  private func wait() -> Int32 {
    if let status { return status }
    var result: Int32 = 0
    while unsafe waitpid(process, &result, 0) < 0, errno == EINTR {}
    let code = result & 0x7F == 0 ? result >> 8 & 0xFF : 128 + result & 0x7F
    status = code
    return code
  }

  /// Reads once; false when nothing came in time or ever will.
  private func read(milliseconds: Int) -> Bool {
    var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, Int32(clamping: milliseconds)) > 0 else { return false }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe Glibc.read(output, &piece, piece.count)
    guard count > 0 else { return false }
    rest += piece.prefix(count)
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
    return true
  }
}
