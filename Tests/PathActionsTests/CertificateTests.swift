import Foundation
import PathActions
import PathCore
import PathTestKit
import Testing

/// In CI it is not asked: what is missing there is a failure, not a reason to skip.
private let canMake = getenv("CI") != nil || access("/usr/bin/openssl", X_OK) == 0

extension ActionTests {
  /// A server whose certificate nobody vouches for.
  @Suite(.enabled(if: canMake, "needs the command openssl"))
  struct CertificateTests {
    @Test func `a certificate that nobody vouches for ends the request`() throws {
      let port = WebServer.deadPort()
      let script = """
        cd "$1" && openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 2 \
        -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 && echo ready >ready &&
        exec openssl s_server -accept 127.0.0.1:\(port) -key k -cert c -www
        """
      let rig = try Rig(
        Grants(
          commands: ["server": ["/bin/sh", "-c", script, "it"]], http: [.host("127.0.0.1")]))
      rig.exec([rig.folder.path], command: "server")
      try rig.wait("the certificate") { rig.folder.exists("ready") }
      var result = ActionResult(.dropped)
      for _ in 0..<200 {
        result = try rig.result(
          rig.start(.http(HTTPRequest(url: "https://127.0.0.1:\(port)/")), key: "page"))
        if !result.error.hasPrefix("no connection") { break }
      }
      #expect(result.ending == .failed && result.statusCode == nil)
      #expect(
        result.error.hasPrefix("the certificate of 127.0.0.1 is not to be trusted: "),
        "\(result.error)")
      var isDone = false
      rig.runner.stopAll { isDone = true }
      try rig.wait { isDone }
    }
  }
}
