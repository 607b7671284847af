/// A web address that can be handed on: everybody who reads it finds the same host in it.
///
/// It takes less than browsers do, on purpose. Where readers differ (backslashes, spaces, user
/// info, hosts such as `127.1` or `0x7f000001`, letters beyond ASCII), it refuses and says what to
/// write instead. RFC 3986, with http and https only.
package struct ActionURL: Hashable, Sendable {
  /// As it is handed on: as it was given, with scheme and host in lower case (RFC 3986, 6.2.2.1).
  package let text: String
  package let isSecure: Bool
  /// In lower case; an IPv6 address in its short form, without brackets.
  package let host: String
  /// Nil: the scheme's own.
  package let port: UInt16?

  package init(_ text: String) throws(ActionRefusal) {
    guard text.utf8.count <= ActionLimits.urlBytes else {
      throw ActionRefusal("the URL has more than \(ActionLimits.urlBytes) bytes")
    }
    let bytes = Array(text.utf8)
    try Self.checkBytes(bytes)
    let secure = try Self.scheme(of: bytes)
    let start = secure ? 8 : 7
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    let authority = String(decoding: bytes[start..<end], as: UTF8.self)
    if authority.contains("@") {
      throw ActionRefusal("the URL holds a user name or password before '@', which is not allowed")
    }
    if bytes[end...].contains(where: { "[]".utf8.contains($0) }) {
      throw ActionRefusal("a '[' or ']' after the host is written %5B or %5D")
    }
    let (host, port) = try Self.split(authority)
    self.text = Self.lowercased(bytes, before: end)
    self.isSecure = secure
    self.host = try HostPattern.canonical(host)
    self.port = try Self.number(port)
  }

  /// The text with all before `end`, where the path begins, in lower case.
  private static func lowercased(_ bytes: [UInt8], before end: Int) -> String {
    let head = bytes[..<end].map { (65...90).contains($0) ? $0 + 32 : $0 }
    return String(decoding: head + bytes[end...], as: UTF8.self)
  }

  private static func checkBytes(_ bytes: [UInt8]) throws(ActionRefusal) {
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x20: throw ActionRefusal("the URL holds a space; write %20")
      case 0..<0x20, 0x7F:
        throw ActionRefusal("the URL holds a line break or another control character")
      case 0x80...:
        throw ActionRefusal(
          "the URL holds a letter beyond ASCII; write it percent-encoded, a host in its xn-- form")
      case _ where "\"<>\\^`{|}".utf8.contains(byte):
        let code = String(byte, radix: 16, uppercase: true)
        throw ActionRefusal("the URL holds a '\(UnicodeScalar(byte))'; write %\(code)")
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else {
          throw ActionRefusal("the URL holds a '%' without two hexadecimal digits; write %25")
        }
      default: break
      }
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...70, 97...102: true
    default: false
    }
  }

  /// True for https.
  private static func scheme(of bytes: [UInt8]) throws(ActionRefusal) -> Bool {
    let head = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
    if head.hasPrefix("https://") { return true }
    if head.hasPrefix("http://") { return false }
    let word = String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }.prefix(40), as: UTF8.self)
    throw ActionRefusal(
      "the URL begins with \(LineText.quoted(word)); it must begin with http:// or https://")
  }

  private static func split(_ authority: String) throws(ActionRefusal) -> (String, String?) {
    var host = authority[...]
    var rest = authority[authority.endIndex...]
    if authority.hasPrefix("["), let close = authority.firstIndex(of: "]") {
      host = authority[...close]
      rest = authority[authority.index(after: close)...]
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      rest = authority[colon...]
    }
    if rest.isEmpty { return (String(host), nil) }
    guard rest.hasPrefix(":") else {
      throw ActionRefusal("the URL holds something other than a port after its host")
    }
    return (String(host), String(rest.dropFirst()))
  }

  private static func number(_ port: String?) throws(ActionRefusal) -> UInt16? {
    guard let port else { return nil }
    guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = UInt16(port), number > 0
    else {
      throw ActionRefusal("the URL's port is \(LineText.quoted(port)); it is a number up to 65535")
    }
    return number
  }
}
