import Glibc

/// A directory that goes with its owner.
final class Scratch {
  let path: String

  init() throws(WorkloadError) {
    var template = Array("/tmp/netvane-bench-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw WorkloadError("mkdtemp", code: errno) }
    path = unsafe String(cString: made)
  }

  deinit { try? Child.shell("rm -rf \(path)") }
}
