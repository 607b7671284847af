import NetworkPath
import Testing

/// Addresses, hosts, ports and endpoints, read as Apple's framework reads them.
struct AddressTests {
  @Test func `IPv4 addresses are read and written`() throws {
    let address = try #require(IPv4Address("192.0.2.1"))
    #expect(address.bytes == [192, 0, 2, 1])
    #expect(IPv4Address(bytes: [192, 0, 2, 1]) == address)
    #expect(IPv4Address(bytes: [1, 2, 3]) == nil)
    #expect(IPv4Address(bytes: [1, 1, 1, 1, 1]) == nil)
    #expect(address.debugDescription == "192.0.2.1" && address.interface == nil)
    #expect(IPv4Address.loopback.isLoopback && !address.isLoopback)
    #expect(IPv4Address("169.254.1.1")?.isLinkLocal == true)
    #expect(IPv4Address("224.0.0.251")?.isMulticast == true && !address.isMulticast)
  }

  @Test(arguments: [
    ("127.1", "127.0.0.1"), ("192.0.513", "192.0.2.1"), ("3221225985", "192.0.2.1"),
    ("0xC0000201", "192.0.2.1"), ("0300.0.02.0X1", "192.0.2.1"), ("0", "0.0.0.0"),
    ("1.16777215", "1.255.255.255"), ("4294967295", "255.255.255.255"),
  ])
  func `the short forms of IPv4 addresses are read`(_ text: String, _ full: String) {
    #expect(IPv4Address(text)?.debugDescription == full)
    #expect(NWEndpoint.Host(text) == .ipv4(IPv4Address(full)!))
  }

  @Test(arguments: [
    "", ".", "1.", ".1", "1..2", "1.2.3.4.5", "256.0.0.1", "1.16777216", "4294967296", "1.2.65536",
    "08", "0x", "0xg", "+1", "-1", "1.2.3.+4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4%", "::1", "x",
    "1.2.3.4%nosuch", "99999999999999999999999999999999999999999999999", "1.2.3.4\u{0}",
  ])
  func `what is no IPv4 address is none`(_ text: String) {
    #expect(IPv4Address(text) == nil)
  }

  @Test func `IPv6 addresses are read and written`() throws {
    let address = try #require(IPv6Address("2001:db8::A"))
    #expect(address.debugDescription == "2001:db8::a")
    #expect(IPv6Address(bytes: address.bytes) == address && address.bytes.count == 16)
    #expect(address.bytes.last == 10 && address.bytes.first == 0x20)
    #expect(IPv6Address(bytes: [1]) == nil && IPv6Address("1.2.3.4") == nil)
    #expect(IPv6Address("fe80::1%") == nil && IPv6Address("%lo") == nil)
    #expect(IPv6Address("ff02::1")?.isMulticast == true && IPv6Address.loopback.isLoopback)
    #expect(IPv6Address("fd00::1")?.isUniqueLocal == true)
  }

  @Test func `a zone is an interface of this machine, by name or number`() throws {
    let local = try #require(IPv6Address("fe80::1%lo"))
    let loopback = try #require(local.interface)
    #expect(local.isLinkLocal && loopback.name == "lo" && loopback.index == 1)
    #expect(loopback.type == .loopback)
    #expect(local.debugDescription == "fe80::1%lo")
    #expect(IPv6Address("fe80::1%1") == local)
    #expect(IPv4Address("169.254.8.8%lo")?.interface == loopback)
    #expect(NWEndpoint.Host("fe80::1%lo") == .ipv6(local))
    #expect(NWEndpoint.Host("printer%lo") == .name("printer", loopback))
    #expect(NWEndpoint.Host("printer%lo").debugDescription == "printer%lo")
    let endpoint = NWEndpoint.hostPort(host: "fe80::1%lo", port: .any)
    #expect(endpoint.interface == loopback && endpoint.debugDescription == "fe80::1%lo.0")
  }

  @Test func `a zone that no interface is called is refused, not made up`() {
    let long = String(repeating: "x", count: 5000)
    for zone in ["nosuch", "4294967295", "99999999999", "-1", "lo\u{0}", "lo ", long] {
      #expect(IPv6Address("fe80::1%\(zone)") == nil, "\(zone)")
    }
    #expect(NWEndpoint.Host("fe80::1%nosuch") == .name("fe80::1%nosuch", nil))
  }

  @Test func `the named addresses are those of the standards`() {
    let ipv4: [(IPv4Address, String)] = [
      (.any, "0.0.0.0"), (.broadcast, "255.255.255.255"), (.loopback, "127.0.0.1"),
      (.allHostsGroup, "224.0.0.1"), (.allRoutersGroup, "224.0.0.2"),
      (.allReportsGroup, "224.0.0.22"), (.mdnsGroup, "224.0.0.251"),
    ]
    for (address, text) in ipv4 { #expect(address.debugDescription == text) }
    let ipv6: [(IPv6Address, String)] = [
      (.any, "::"), (.broadcast, "::"), (.loopback, "::1"), (.nodeLocalNodes, "ff01::1"),
      (.linkLocalNodes, "ff02::1"), (.linkLocalRouters, "ff02::2"),
    ]
    for (address, text) in ipv6 { #expect(address.debugDescription == text) }
  }

  @Test func `an IPv6 address says what it is`() {
    #expect(IPv6Address.any.isAny && !IPv6Address.loopback.isAny)
    #expect(IPv6Address("2002:c000:201::1")?.is6to4 == true)
    #expect(IPv6Address("2001:db8::1")?.is6to4 == false)
    let scopes: [(String, IPv6Address.Scope?)] = [
      ("ff01::1", .nodeLocal), ("ff02::1", .linkLocal), ("ff15::1", .siteLocal),
      ("ff08::1", .organizationLocal), ("ff0e::1", .global), ("ff03::1", nil), ("fe80::1", nil),
    ]
    for (text, scope) in scopes { #expect(IPv6Address(text)?.multicastScope == scope, "\(text)") }
  }

  @Test func `an IPv4 address inside an IPv6 one is found`() {
    let mapped = IPv6Address("::ffff:192.0.2.1")
    #expect(mapped?.isIPv4Mapped == true && mapped?.isIPv4Compatabile == false)
    #expect(mapped?.asIPv4 == IPv4Address("192.0.2.1"))
    let compatible = IPv6Address("::192.0.2.1")
    #expect(compatible?.isIPv4Compatabile == true && compatible?.isIPv4Mapped == false)
    #expect(compatible?.asIPv4 == IPv4Address("192.0.2.1"))
    for text in ["::", "::1", "2001:db8::1", "::fffe:1.2.3.4"] {
      #expect(IPv6Address(text)?.asIPv4 == nil, "\(text)")
    }
    #expect(NWEndpoint.Host("::ffff:192.0.2.1") == .ipv4(IPv4Address("192.0.2.1")!))
    #expect(NWEndpoint.Host("::192.0.2.1") == .ipv6(IPv6Address("::c000:201")!))
  }

  @Test func `addresses of both kinds fit one list`() {
    let all: [any IPAddress] = [IPv4Address.loopback, IPv6Address.loopback, IPv6Address.any]
    #expect(all.map(\.isLoopback) == [true, true, false])
    #expect(all.map(\.bytes.count) == [4, 16, 16])
  }

  // MARK: Endpoints

  @Test func `a port is a number or the name of a service`() {
    let names: [(String, UInt16)] = [
      ("http", 80), ("https", 443), ("ssh", 22), ("smtp", 25), ("imap", 143), ("imaps", 993),
      ("pop3", 110), ("socks", 1080), ("80", 80), ("0", 0), ("0080", 80), ("65535", 65535),
    ]
    for (name, number) in names { #expect(NWEndpoint.Port(name)?.rawValue == number, "\(name)") }
    let long = String(repeating: "a", count: 5000)
    for wrong in ["", "65536", "-1", "+80", " 80", "80 ", "nosuchservice", "ht\u{0}tp", long] {
      #expect(NWEndpoint.Port(wrong) == nil, "\(wrong)")
    }
    let port: NWEndpoint.Port = 8080
    #expect(port.rawValue == 8080 && NWEndpoint.Port("443") == .https)
  }

  @Test func `hosts and endpoints are written as they are read`() {
    #expect(NWEndpoint.Host("192.0.2.1") == .ipv4(IPv4Address("192.0.2.1")!))
    #expect(NWEndpoint.Host("::1") == .ipv6(.loopback))
    let name: NWEndpoint.Host = "www.example.com"
    #expect(name == .name("www.example.com", nil) && name.interface == nil)
    #expect(NWEndpoint.hostPort(host: name, port: .http).debugDescription == "www.example.com:80")
    #expect(NWEndpoint.hostPort(host: "::1", port: .ssh).debugDescription == "::1.22")
    #expect(NWEndpoint.unix(path: "/run/x").debugDescription == "/run/x")
    let lo = NWInterface(type: .loopback, name: "lo", index: 1)
    let service = NWEndpoint.service(
      name: "Door", type: "_http._tcp", domain: "local", interface: lo)
    #expect(service.debugDescription == "Door._http._tcplocal%lo" && service.interface == lo)
  }

  @Test func `each kind of endpoint and of radio can be named in a switch`() {
    func kind(_ endpoint: NWEndpoint) -> String {
      switch endpoint {
      case .hostPort: "host"
      case .service: "service"
      case .unix: "unix"
      case .opaque: "opaque"
      @unknown default: "other"
      }
    }
    func kind(_ radio: NWInterface.RadioType) -> String {
      switch radio {
      case .cell(.standalone5G(.mmWave)): "fast"
      case .cell(.lte), .wifi(.ax): "good"
      default: "other"
      }
    }
    #expect(kind(.unix(path: "x")) == "unix" && kind(.hostPort(host: "x", port: 1)) == "host")
    #expect(kind(.cell(.standalone5G(.mmWave))) == "fast" && kind(.wifi(.n)) == "other")
  }
}
