import Glibc
import PathPolicy

/// Writes files into a directory, and never over what somebody else wrote.
struct Scaffold {
  let directory: String

  struct Failure: Error { var message: String }

  func path(_ name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  /// Links that lead nowhere count, too.
  func exists(_ name: String) -> Bool {
    var status = stat()
    return unsafe lstat(path(name), &status) == 0
  }

  /// Makes the directory, and those it lies in, where they are missing; whether it did.
  func makeDirectory() throws(Failure) -> Bool {
    var status = stat()
    if unsafe stat(directory, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw Failure(message: "\(directory) is a file; name a directory for policies")
      }
      return false
    }
    try makeFolders(directory)
    return true
  }

  private func makeFolders(_ path: String) throws(Failure) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += made.isEmpty || made == "/" ? String(part) : "/" + String(part)
      if unsafe mkdir(made, 0o755) != 0, errno != EEXIST { throw failure(made, "made") }
    }
  }

  /// What became of a file that was to be as it is now.
  enum Update { case written, same, kept }

  /// Brings a file that Netvane makes up to date; one that it did not make is kept.
  func update(_ name: String, _ text: String) throws(Failure) -> Update {
    guard exists(name) else {
      try create(name, text)
      return .written
    }
    guard let old = try? ScriptFile.read(path(name)) else { return .kept }
    if old.elementsEqual(text.utf8) { return .same }
    let isOurs = String(decoding: old.prefix(256), as: UTF8.self).contains(PolicyAPI.Files.mark)
    guard isOurs else { return .kept }
    // Made beside it and put in its place, so that it is whole at any time.
    let fresh = name + ".netvane-new"
    unsafe unlink(path(fresh))
    try create(fresh, text)
    guard unsafe rename(path(fresh), path(name)) == 0 else {
      let failure = failure(path(name), "written")
      unsafe unlink(path(fresh))
      throw failure
    }
    return .written
  }

  func remove(_ name: String) { unsafe unlink(path(name)) }

  /// A file that was not there before.
  func create(_ name: String, _ text: String) throws(Failure) {
    if let slash = name.lastIndex(of: "/") { try makeFolders(path(String(name[..<slash]))) }
    let file = unsafe open(
      path(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw failure(path(name), "written") }
    do throws(WriteFailure) {
      try Writing.file(text, to: file)
    } catch {
      // Half a policy would be loaded.
      unsafe unlink(path(name))
      throw Failure(message: "\(path(name)) cannot be written: \(error.message)")
    }
  }

  private func failure(_ path: String, _ verb: String) -> Failure {
    Failure(message: "\(path) cannot be \(verb): \(unsafe String(cString: strerror(errno)))")
  }

  /// As one word of a shell's command line.
  static func shellWord(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 43...58, 64...90, 95, 97...122: true
      default: false
      }
    }
    if isPlain, !text.isEmpty { return text }
    return "'"
      + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
