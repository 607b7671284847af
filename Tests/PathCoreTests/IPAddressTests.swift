import PathCore
import PathTestKit
import Testing

/// Addresses: their text, their kinds and the prefixes that hold them.
@Suite struct IPAddressTests {
  @Test(arguments: [
    "0.0.0.0", "127.0.0.1", "192.0.2.10", "255.255.255.255", "::", "::1", "fe80::1", "2001:db8::",
    "2001:db8::10", "2001:db8:1:2:3:4:5:6", "2001:db8:0:1:1:1:1:1", "2001:0:0:1::1",
    "2001:503:ba3e::2:30", "1::8",
  ])
  func `canonical text reads back the same`(_ text: String) throws {
    #expect(try #require(IPAddress(text)).description == text)
  }

  @Test(arguments: [
    ("2001:DB8::A", "2001:db8::a"), ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
    ("::ffff:192.0.2.1", "::ffff:c000:201"), ("0:0:0:0:0:0:0:0", "::"),
    ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
  ])
  func `usual text is written canonically`(_ text: String, _ canonical: String) throws {
    #expect(try #require(IPAddress(text)).description == canonical)
  }

  @Test(arguments: [
    "", " ", ".", ":", ":::", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.-4", "+1.2.3.4",
    "1.2.3.4 ", "1..2.3", "0x1.2.3.4", "::1::", "1::2::3", "12345::", "g::", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "fe80::1%eth0", "::1.2.3", "1.2.3.4::",
    "::1.2.3.4:5", "1:2:3:4:5:6:7::8", "１.2.3.4", "::\u{0}", "-1::", "::+1",
  ])
  func `what is no address is refused`(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `random addresses read back the same`() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<5000 {
      let mask = generator.pick([UInt64.max, 0xFFFF, 0xFFFF_0000_0000_FFFF, 0])
      let address =
        generator.chance(50)
        ? IPAddress(ipv4: UInt32(truncatingIfNeeded: generator.next()))
        : IPAddress(ipv6High: generator.next() & mask, low: generator.next() & ~mask)
      #expect(IPAddress(address.description) == address)
    }
  }

  @Test func `random text never traps`() {
    var generator = SplitMix64(seed: 2)
    let letters = Array("0123456789abcdefF:.%g- ")
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...20, using: &generator)
      let text = String((0..<length).map { _ in generator.pick(letters) })
      if let address = IPAddress(text) { #expect(IPAddress(address.description) == address) }
    }
  }

  @Test(arguments: [
    ("192.0.2.10", "192.0.2.0", 24, true), ("192.0.3.10", "192.0.2.0", 24, false),
    ("192.0.2.10", "0.0.0.0", 0, true), ("192.0.2.10", "192.0.2.10", 32, true),
    ("192.0.2.11", "192.0.2.10", 32, false), ("198.41.0.4", "128.0.0.0", 1, true),
    ("198.41.0.4", "0.0.0.0", 1, false), ("192.0.2.10", "192.0.2.0", 33, false),
    ("192.0.2.10", "192.0.2.0", -1, false), ("192.0.2.10", "::", 0, false),
    ("2001:db8::1", "2001:db8::", 64, true), ("2001:db8:0:1::1", "2001:db8::", 64, false),
    ("2001:db8:0:1::1", "2001:db8::", 63, true), ("2001:db8::1", "2001:db8::", 127, true),
    ("2001:db8::2", "2001:db8::", 127, false), ("2001:db8::1", "2001:db8::1", 128, true),
    ("2001:db8::1", "::", 0, true), ("2001:db8::1", "2001:db8::", 65, true),
    ("2001:db8:0:0:8000::", "2001:db8::", 65, false), ("::1", "::", 129, false),
  ])
  func `a prefix holds what shares its bits`(
    _ text: String, _ prefix: String, _ length: Int, _ holds: Bool
  ) throws {
    let address = try #require(IPAddress(text))
    #expect(try address.isWithin(#require(IPAddress(prefix)), length: length) == holds)
  }

  @Test func `kinds are told apart`() throws {
    #expect(try #require(IPAddress("169.254.1.1")).isLinkLocal)
    #expect(try #require(IPAddress("febf::1")).isLinkLocal)
    #expect(try !#require(IPAddress("fec0::1")).isLinkLocal)
    #expect(try #require(IPAddress("fd00::1")).isUniqueLocal)
    #expect(try !#require(IPAddress("fe00::1")).isUniqueLocal)
    #expect(try #require(IPAddress("127.9.9.9")).isLoopback)
    #expect(try #require(IPAddress("::1")).isLoopback)
    #expect(try #require(IPAddress("::")).isUnspecified)
  }
}
