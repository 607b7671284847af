import CSystemd
import Foundation
import PathActions
import PathCore
import Testing

@testable import PathDaemon

extension KernelTests {
  /// Requests while the name server says nothing.
  @Suite struct SlowNames {}
}

extension KernelTests.SlowNames {
  @Test func `a name server that does not answer holds up neither the loop nor the end`() throws {
    let server = try SilentNameServer()
    defer { server.end() }
    let loop = try EventLoop()
    let settings = ActionSettings(
      grants: Grants(http: [.any]), version: "1", environment: [:])
    var results: [String: ActionResult] = [:]
    let runner = ActionRunner(loop: loop, settings: settings) { id, _, result in
      results[id.key] = result
    }
    var longestTurn = Duration.zero
    var isDone = false
    func turn(until isSo: () -> Bool) {
      let end = loop.awakeTime + .seconds(20)
      while !isSo(), loop.awakeTime < end {
        sd_event_run(loop.event, 10_000)
        let start = loop.awakeTime
        while sd_event_run(loop.event, 0) > 0 {}
        longestTurn = max(longestTurn, loop.awakeTime - start)
      }
    }
    let start = loop.awakeTime
    for (serial, key) in ["late", "cancelled", "stopped"].enumerated() {
      let timeout = Duration.milliseconds(key == "late" ? 400 : 60_000)
      runner.start(
        ActionID(policy: "p", key: key, serial: UInt64(serial)),
        .http(HTTPRequest(url: "http://slow.example/", timeout: timeout)))
    }
    turn { results["late"] != nil }
    #expect(loop.awakeTime - start < .seconds(2))
    #expect(results["late"]?.error == "no whole answer from slow.example within 400ms")
    runner.cancel(ActionID(policy: "p", key: "cancelled", serial: 1))
    turn { results["cancelled"] != nil }
    runner.stopAll { isDone = true }
    turn { isDone }
    #expect(loop.awakeTime - start < .seconds(3) && results["stopped"]?.wasDropped == true)
    #expect(longestTurn < .milliseconds(200), "\(longestTurn)")
  }
}

/// A name server on the loopback address that hears, says nothing, and is the only one.
private final class SilentNameServer {
  private let descriptor: Int32
  private let file = NSTemporaryDirectory() + "resolv-\(UUID().uuidString)"

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(53).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isBound)
    try "nameserver 127.0.0.1\n".write(toFile: file, atomically: false, encoding: .utf8)
    try #require(run("mount", "--bind", file, "/etc/resolv.conf") == 0)
  }

  func end() {
    _ = run("umount", "/etc/resolv.conf")
    close(descriptor)
    unlink(file)
  }

  private func run(_ arguments: String...) -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    try? process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
