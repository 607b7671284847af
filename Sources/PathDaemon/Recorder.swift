import CLinux
import Glibc
import PathCore
import PathPolicy

/// Writes every fact as one line of JSON when the engine gets it: a trace. Names of networks and
/// addresses are replaced by stand-ins, the same one each time, unless that is switched off.
///
/// A disk that is full or gone ends the recording, not the daemon.
final class Recorder {
  let path: String
  private var descriptor: Int32
  private var redactor: Redactor?
  /// Why the recording ended early.
  private(set) var failure: String?

  /// Opens or makes the file that the settings name, and writes the header.
  init(_ settings: DaemonSettings, seed: UInt64) throws(DaemonError) {
    path = settings.record ?? ""
    descriptor = try Self.open(path, overwrites: settings.overwritesRecord)
    redactor = settings.redacts ? Redactor() : nil
    var writer = JSONWriter()
    TraceHeader(settings, seed: seed).writeJSON(into: &writer)
    write(writer.bytes)
  }

  /// A file that it makes is readable by its owner alone; one that is there stays as it is, unless
  /// told otherwise. Pipes and devices hold nothing that could be lost, and a pipe that nobody
  /// reads is refused rather than waited for.
  private static func open(_ path: String, overwrites: Bool) throws(DaemonError) -> Int32 {
    let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let creation = O_CREAT | (overwrites ? O_TRUNC : O_EXCL)
    var descriptor = unsafe Glibc.open(path, flags | creation, 0o600)
    if descriptor < 0, errno == EEXIST {
      descriptor = unsafe Glibc.open(path, flags)
      var status = stat()
      if descriptor >= 0, unsafe fstat(descriptor, &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      {
        Glibc.close(descriptor)
        throw .record(
          "--record: \(path) is there already and was left as it is; take another name, or "
            + "overwrite it with --force")
      }
    }
    guard descriptor >= 0 else { throw .loop(LoopError(call: "open \(path)", code: errno)) }
    return descriptor
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
