import CLinux
import Glibc
import PathCore
import PathPolicy

/// Writes every fact as one line of JSON when the engine gets it: a trace. Names of networks and
/// addresses are replaced by stand-ins, the same one each time, unless that is switched off.
///
/// A disk that is full or gone ends the recording, not the daemon.
final class Recorder {
  private var descriptor: Int32
  private var redactor: Redactor?
  /// Why the recording ended early.
  private(set) var failure: String?

  /// Opens or makes the file, readable by its owner alone, and writes the header. A pipe nobody
  /// reads is refused rather than waited for.
  init(path: String, redacts: Bool, header: TraceHeader) throws(LoopError) {
    descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw LoopError(call: "open \(path)", code: errno) }
    redactor = redacts ? Redactor() : nil
    var writer = JSONWriter()
    header.writeJSON(into: &writer)
    write(writer.bytes)
  }

  deinit { close() }

  /// Knows the names in it from now on.
  func learn(_ snapshot: Snapshot) { redactor?.learn(snapshot) }

  func record(_ fact: Fact, at now: Moment) {
    guard descriptor >= 0 else { return }
    let shown = redactor?.redact(fact) ?? fact
    var writer = JSONWriter(capacity: 1024)
    shown.writeJSON(into: &writer, at: now)
    write(writer.bytes)
  }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  private func write(_ line: [UInt8]) {
    let bytes = line + [UInt8(ascii: "\n")]
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        failure = unsafe String(cString: strerror(errno))
        return close()
      }
      done += count
    }
  }
}

extension TraceHeader {
  /// What a replay needs to know of this run.
  init(_ settings: DaemonSettings, seed: UInt64) {
    self.init(
      version: settings.version, lua: PolicyRuntime.luaRelease, isRedacted: settings.redacts,
      seed: seed,
      policies: settings.scripts.sorted { $0.name < $1.name }.map {
        Policy(name: $0.name, hash: $0.hash)
      },
      config: settings.configuration.hash)
  }
}
