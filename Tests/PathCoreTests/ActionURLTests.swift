import PathCore
import Testing

/// Web addresses: what is taken, what is refused and with which words; and lists of hosts.
@Suite struct ActionURLTests {
  private func refusal(_ text: String) -> String? {
    do throws(ActionRefusal) {
      _ = try ActionURL(text)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(
    arguments: [
      ("http://example.com", "example.com", false, nil),
      ("HTTPS://Example.COM/A?b=c#D", "example.com", true, nil),
      ("https://example.com:8443/", "example.com", true, 8443),
      ("https://a-b.xn--bcher-kva.example/%20%C3%BC", "a-b.xn--bcher-kva.example", true, nil),
      ("http://192.0.2.1:80/?q=a@b:c", "192.0.2.1", false, 80),
      ("http://[2001:DB8::0:1]:1/", "2001:db8::1", false, 1),
      ("http://[::ffff:192.0.2.1]?x", "::ffff:c000:201", false, nil),
      ("http://localhost#a/b", "localhost", false, nil),
      ("https://example.com/?a=1;b='$(id)'*!", "example.com", true, nil),
    ] as [(String, String, Bool, UInt16?)]) func `an address is taken`(
      _ text: String, _ host: String, _ isSecure: Bool, _ port: UInt16?
    ) throws
  {
    let url = try ActionURL(text)
    #expect(url.host == host)
    #expect(url.isSecure == isSecure && url.port == port)
  }

  @Test(arguments: [
    ("HTTPS://EXAMPLE.ORG", "https://example.org"),
    ("HtTp://Example.ORG:8080/Path?Query=A#Part", "http://example.org:8080/Path?Query=A#Part"),
    ("http://[2001:DB8::0:1]:1/A", "http://[2001:db8::0:1]:1/A"),
    ("https://EXAMPLE.org?A@B", "https://example.org?A@B"),
    ("https://example.org/%C3%BC", "https://example.org/%C3%BC"),
  ]) func `it is handed on with scheme and host in lower case, and the rest as it is`(
    _ given: String, _ text: String
  ) throws {
    #expect(try ActionURL(given).text == text)
  }

  static let wrong: [(String, String)] = [
    ("", "must begin with http:// or https://"), ("example.com", "begins with \"example.com\""),
    ("javascript:alert(1)", "begins with \"javascript\""), ("file:///etc/passwd", "\"file\""),
    ("http:/example.com", "begins with \"http\""), ("http:example.com", "begins with \"http\""),
    ("//example.com/", "must begin"), (" http://example.com", "a space"),
    ("http://exa mple.com/", "write %20"), ("http://example.com/a\tb", "control character"),
    ("http://example.com/\r\nX: y", "a line break"), ("http://example.com/\0", "control character"),
    ("http://example.com\\@evil.net/", "'\\'; write %5C"),
    ("http://example.com/\"a\"", "write %22"), ("http://example.com/{a}", "write %7B"),
    ("http://example.com/`id`", "write %60"), ("http://example.com/a|b", "write %7C"),
    ("http://bücher.example/", "in its xn-- form"), ("http://example.com/ü", "percent-encoded"),
    ("http://ex\u{200B}ample.com/", "beyond ASCII"), ("http://example。com/", "beyond ASCII"),
    ("http://example.com/%", "write %25"), ("http://example.com/%2", "write %25"),
    ("http://example.com/%zz", "write %25"), ("http://exa%6dple.com/", "is no host"),
    ("http://user@example.com/", "user name or password"),
    ("http://user:pass@example.com/", "user name or password"),
    ("http://example.com:80@evil.net/", "user name or password"), ("http://", "there is no host"),
    ("http:///path", "there is no host"), ("http://:80/", "there is no host"),
    ("http://?x", "there is no host"), ("http://example.com:/", "port is \"\""),
    ("http://example.com:0/", "port is \"0\""), ("http://example.com:65536/", "port is"),
    ("http://example.com:+80/", "port is"), ("http://example.com:80:80/", "port is"),
    ("http://example.com:000080/", "port is"), ("http://example.com./", "is no host"),
    ("http://.example.com/", "is no host"), ("http://a..b/", "is no host"),
    ("http://-a.com/", "is no host"), ("http://a-/", "is no host"), ("http://a_b/", "is no host"),
    ("http://a,b/", "is no host"), ("http://127.1/", "write all four numbers"),
    ("http://2130706433/", "write all four"), ("http://0x7f000001/", "write all four"),
    ("http://0177.0.0.1/", "write all four"), ("http://1.2.3.4.5/", "write all four"),
    ("http://256.0.0.1/", "write all four"), ("http://a.1/", "write all four"),
    ("http://[::1/", "is no host"), ("http://[::1]x/", "other than a port"),
    ("http://[fe80::1%25eth0]/", "is no host"), ("http://[127.0.0.1]/", "is no host"),
    ("http://[::g]/", "is no host"), ("http://::1/", "there is no host"),
    ("http://[]/", "is no host"), ("http://example.com/[a]", "written %5B or %5D"),
    ("http://" + String(repeating: "a", count: 64) + ".com/", "is no host"),
    ("http://" + String(repeating: "a.", count: 130) + "com/", "more than 253"),
    ("http://example.com/" + String(repeating: "a", count: 2048), "more than 2048 bytes"),
  ]

  @Test func `an address that not everybody reads alike is refused, and says what to write`() {
    for (text, part) in Self.wrong {
      let said = refusal(text)
      #expect(said?.contains(part) == true, "\(text.prefix(60)): \(said ?? "taken")")
    }
  }

  @Test func `a host is granted by itself, by its domain, or with all others`() throws {
    func grants(_ pattern: String, _ url: String) throws -> Bool {
      try HostPattern(pattern).matches(ActionURL(url).host)
    }
    #expect(try grants("Example.com", "http://EXAMPLE.com/"))
    #expect(try !grants("example.com", "http://www.example.com/"))
    #expect(try !grants("example.com", "http://example.com.evil.net/"))
    #expect(try grants("*.example.com", "http://a.b.example.com/"))
    #expect(try !grants("*.example.com", "http://example.com/"))
    #expect(try !grants("*.example.com", "http://evilexample.com/"))
    #expect(try grants("*", "http://[::1]/"))
    #expect(try grants("2001:DB8::1", "http://[2001:db8:0::1]/"))
    #expect(try grants("[2001:db8::1]", "http://[2001:db8::1]/"))
    #expect(try !grants("127.0.0.1", "http://[::ffff:127.0.0.1]/"))
    #expect(try HostPattern("*.Example.com").description == "*.example.com")
  }

  @Test(arguments: ["", "*.", "**", "*.1.2.3.4", "a.*.b", "*a.com", "a:80", "http://a", "a/b", "ü"])
  func `what is no pattern is refused`(_ text: String) {
    #expect(throws: ActionRefusal.self) { try HostPattern(text) }
  }
}
