internal import PathCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Reads resolv.conf as the C library does (resolv.conf(5), glibc's res_init).
///
/// A keyword counts only at the start of a line, in small letters and before a blank; what follows
/// the address on its line is ignored; lines that cannot be read are skipped and the first three
/// servers that can be are taken. More generous than glibc in one thing: a carriage return ends an
/// address too, since an editor's line ends are no reason to be without names.
enum ResolverFile {
  static let sizeLimit = 64 * 1024
  /// MAXNS.
  static let serverLimit = 3

  static func parse(_ bytes: some Sequence<UInt8>) -> [NameServer] {
    var servers: [NameServer] = []
    var line: [UInt8] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if let server = server(line), servers.count < serverLimit { servers.append(server) }
      line.removeAll(keepingCapacity: true)
    }
    if let server = server(line), servers.count < serverLimit { servers.append(server) }
    return servers
  }

  private static func server(_ line: [UInt8]) -> NameServer? {
    let keyword = "nameserver".utf8
    guard line.count > keyword.count, line.starts(with: keyword), isBlank(line[keyword.count])
    else { return nil }
    // To the C library a NUL ends the line.
    let word = line[keyword.count...].prefix { $0 != 0 }.drop(while: isBlank)
      .prefix { !isBlank($0) && $0 != UInt8(ascii: "\r") }
    let parts = word.split(
      separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(decoding: first, as: UTF8.self))
    else { return nil }
    guard parts.count == 2 else { return NameServer(address) }
    // A zone belongs to an address that means something in it.
    guard address.family == .ipv6, !address.isUnspecified, !address.isLoopback, !parts[1].isEmpty
    else { return nil }
    return NameServer(address, zone: String(decoding: parts[1], as: UTF8.self))
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Empty for what is absent, unreadable or no regular file: a FIFO would wait for ever.
  static func read(_ path: String) -> [NameServer] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return []
    }
    var bytes = [UInt8](repeating: 0, count: sizeLimit)
    var used = 0
    while used < bytes.count {
      let length = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress! + used, buffer.count - used)
      }
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { break }
      used += length
    }
    return parse(bytes[..<used])
  }
}
