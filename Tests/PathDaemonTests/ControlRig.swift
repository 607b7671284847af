import Foundation
import Glibc
import PathCore
import PathTestKit
import Synchronization
import Testing

@testable import PathDaemon

/// A control server in a loop of its own, and clients beside it in a thread.
final class ControlRig {
  let folder: Folder
  let loop: EventLoop
  private(set) var server: ControlServer?
  /// What was asked, and what was said of trouble.
  private(set) var calls: [ControlCall] = []
  private(set) var said: [String] = []

  var path: String { folder.at("run/control") }

  /// `answer` is what every call gets; with `reloadsWait` a reload gets none.
  init(
    libraries: [String] = ControlServer.libraries, patience: ControlServer.Patience = .init(),
    answer: Result<ControlAnswer, ControlRefusal> = .success(.alerts([])), reloadsWait: Bool = false
  ) throws {
    folder = try Folder()
    loop = try EventLoop()
    server = try ControlServer(
      ControlSocket(path), loop: loop, libraries: libraries, patience: patience,
      tell: { [unowned self] in said.append($0) }, text: { _ in "in words\n" },
      answer: { [unowned self] call in
        calls.append(call)
        return LateAnswer(reloadsWait && call == .reload ? nil : answer)
      })
  }

  func close() { server?.close() }

  /// The loop runs for as long as the clients' part takes, in a thread.
  func run<Value: Sendable>(
    _ clients: @escaping @Sendable (String) throws -> Value
  ) throws -> Value {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    defer {
      Glibc.close(reader)
      Glibc.close(writer)
    }
    let watch = try loop.watch(descriptor: reader) { [unowned self] in loop.stop(0) }
    defer { watch.remove() }
    let kept = Kept<Value>()
    let path = path
    let thread = Thread {
      let result = Result { try clients(path) }
      kept.result.withLock { $0 = result }
      _ = write(writer, "x", 1)
    }
    thread.start()
    #expect(try loop.run() == 0)
    return try #require(kept.result.withLock { $0 }).get()
  }

  /// Guarded by its own lock.
  private final class Kept<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  /// Sockets of this name that the kernel knows: the listening one and each connection that was
  /// taken.
  var sockets: Int { Self.sockets(path) }

  static func sockets(_ path: String) -> Int {
    // It has no size, and comes in pieces.
    let handle = FileHandle(forReadingAtPath: "/proc/net/unix")
    var bytes = Data()
    while let piece = try? handle?.read(upToCount: 65_536), !piece.isEmpty { bytes += piece }
    let table = String(decoding: bytes, as: UTF8.self)
    return table.split(separator: "\n").count { $0.hasSuffix(" " + path) }
  }
}

/// A client of bare bytes.
final class RawClient {
  struct Failure: Error {
    var call: String
    var code: Int32
  }

  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let connected = withUnixAddress(path) { connect(descriptor, $0, $1) }
    if connected != 0 { throw Failure(call: "connect", code: errno) }
    var time = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// How much of it was taken before the other end hung up.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress! + done, $0.count - done, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { break }
      done += count
    }
    return done
  }

  @discardableResult
  func send(_ text: String) -> Int { send(Array(text.utf8)) }

  /// All until the other end closes.
  func readAll() -> String {
    var bytes: [UInt8] = []
    while let more = read(65_536) { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Nil at the end.
  func read(_ most: Int) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: most)
    let count = recv(descriptor, &piece, most, 0)
    return count > 0 ? Array(piece[..<count]) : nil
  }

  /// The whole answer to one request.
  static func ask(
    _ path: String, _ method: String, _ target: String, _ fields: String = ""
  ) throws -> String {
    let client = try RawClient(path)
    client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
    return client.readAll()
  }
}

extension String {
  /// Of an answer over HTTP.
  var statusLine: String { String(prefix { $0 != "\r\n" && $0 != "\r" && $0 != "\n" }) }
  var payload: String { range(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? "" }
}
