import Glibc
import PathTrust

// Looks at a file as whoever runs it, and prints its text or why it is not trusted.

var bytes = [UInt8](repeating: 0, count: 4096)
do throws(Distrust) {
  let place = try TrustedPlace.find(CommandLine.arguments[1])
  try place.check()
  let count = try place.open().read(into: bytes)
  print("taken \(place.path): \(count)")
} catch {
  print("refused: \(error.message())")
}

extension Descriptor {
  /// The text of a short file.
  func read(into bytes: [UInt8]) -> String {
    var bytes = bytes
    let count = bytes.withUnsafeMutableBytes { read(into: $0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
