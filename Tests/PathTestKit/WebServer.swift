import Foundation
import Glibc

/// A web server on 127.0.0.1, in threads of its own, that answers as a test wants it to.
// Guarded by `lock`.
package final class WebServer: @unchecked Sendable {
  package enum Answer: Sendable {
    /// These bytes, then the end.
    case text(String)
    /// This, then nothing more, until the other side goes.
    case silence(String)
    /// This, then the same line for ever.
    case endless(String, String)
  }

  package let port: UInt16
  private let listener: Int32
  private let lock = NSLock()
  private var heard: [String] = []
  private let answer: @Sendable (String) -> Answer

  package var url: String { "http://127.0.0.1:\(port)/" }

  /// The requests so far, each as it came.
  package var requests: [String] { lock.withLock { heard } }

  /// `answer` is given the path.
  package init(_ answer: @escaping @Sendable (String) -> Answer) {
    self.answer = answer
    (listener, port) = Self.listen()
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while case let peer = accept(listener, nil, nil), peer >= 0 {
        Thread.detachNewThread { [weak self] in
          self?.serve(peer)
          close(peer)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  package static func ok(_ body: String, _ status: String = "200 OK", _ headers: String = "")
    -> String
  {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }

  /// A port that nobody listens on.
  package static func deadPort() -> UInt16 {
    let (listener, port) = listen()
    close(listener)
    return port
  }

  private static func listen() -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    precondition(isBound && Glibc.listen(listener, 64) == 0, "no server")
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private func serve(_ peer: Int32) {
    var request = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !Self.isWhole(request) {
      let count = recv(peer, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    lock.withLock { heard.append(request) }
    let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    switch answer(path) {
    case .text(let text): _ = write(peer, text)
    case .silence(let text):
      guard write(peer, text) else { return }
      while recv(peer, &buffer, buffer.count, 0) > 0 {}
    case .endless(let text, let line):
      guard write(peer, text) else { return }
      while write(peer, line) {}
    }
  }

  private func write(_ peer: Int32, _ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(peer, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private static func isWhole(_ request: String) -> Bool {
    let parts = request.components(separatedBy: "\r\n\r\n")
    guard parts.count > 1 else { return false }
    let length =
      parts[0].lowercased().components(separatedBy: "content-length: ").dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    return parts.dropFirst().joined(separator: "\r\n\r\n").utf8.count >= length
  }
}
