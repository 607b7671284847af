import PathCore
import PathKernel
import Testing

@Suite struct VerdictInputTests {
  private func fields(_ value: Any) -> [String] {
    Mirror(reflecting: value).children.compactMap { child in
      child.label.map { "\(type(of: value)).\($0)" }
    }
  }

  @Test("Every field of a snapshot is in the table of what tells that it changed")
  func whole() throws {
    let address = try #require(IPAddress("192.0.2.1"))
    let known =
      fields(Snapshot())
      + fields(Interface(index: 1, name: "eth0", type: .wired, flags: []))
      + fields(InterfaceAddress(address, prefixLength: 24)) + fields(RouteAnswer(hops: []))
      + fields(NextHop(interface: 1)) + fields(NameServer(address))
      + fields(GatewayHardware(interface: 1, gateway: address, address: ""))
    let listed = VerdictInput.allCases.flatMap(\.fields)
    #expect(Set(known) == Set(listed))
    #expect(Set(listed).count == listed.count)
  }
}
