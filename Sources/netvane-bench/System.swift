import Glibc

/// clock_gettime(2).
func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int64 {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Lets time pass. poll(2) waits as well as anything.
func pass(milliseconds: Int) { _ = poll(nil, 0, Int32(clamping: milliseconds)) }

/// Lets a time pass that polling programs cannot fall into step with.
func passAbout(milliseconds: Int) {
  let micros = milliseconds * 1000 + Int.random(in: 0..<(milliseconds * 333 + 1))
  var time = timespec(tv_sec: micros / 1_000_000, tv_nsec: micros % 1_000_000 * 1000)
  _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
}

/// strerror(3).
func errorText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

/// The whole of a small file; nil when it cannot be read.
func fileText(_ path: String) -> String? {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var text: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return count < 0 ? nil : String(decoding: text, as: UTF8.self) }
    text += piece.prefix(count)
  }
}

/// Writes all of it; false when nobody takes it.
@discardableResult
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress! + done, $0.count - done)
    }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    done += count
  }
  return true
}

/// Copies for a call that wants an array of C strings with a null at its end; free(3) them.
@unsafe func cStrings(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
  var copies = unsafe [UnsafeMutablePointer<CChar>?]()
  for word in words { unsafe copies.append(strdup(word)) }
  unsafe copies.append(nil)
  return unsafe copies
}

/// This program's own file.
let ownPath: String = {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let length = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
}()

/// What the kernel has counted for a process, all its threads together.
struct ProcessFigures {
  var cpuNanoseconds = 0
  var voluntarySwitches = 0
  var residentKiB = 0
  var privateDirtyKiB = 0

  init(_ process: pid_t) {
    for name in threads(of: process) {
      let path = "/proc/\(process)/task/\(name)"
      cpuNanoseconds += number((fileText("\(path)/schedstat") ?? "").prefix { $0 != " " })
      voluntarySwitches += field("voluntary_ctxt_switches", of: fileText("\(path)/status") ?? "")
    }
    let memory = fileText("/proc/\(process)/smaps_rollup") ?? ""
    residentKiB = field("Rss", of: memory)
    privateDirtyKiB = field("Private_Dirty", of: memory)
  }
}

private func threads(of process: pid_t) -> [String] {
  guard let directory = unsafe opendir("/proc/\(process)/task") else { return [] }
  defer { unsafe closedir(directory) }
  var names: [String] = []
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// The number in the line `NAME: 12 kB`.
private func field(_ name: String, of text: String) -> Int {
  for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
    return number(line.dropFirst(name.count + 1).drop { $0 == " " || $0 == "\t" })
  }
  return 0
}

private func number(_ text: Substring) -> Int { Int(text.prefix { $0.isNumber }) ?? 0 }
