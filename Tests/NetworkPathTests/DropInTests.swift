import Network
import Testing

/// The opt-in module of Apple's name has the same things.
struct DropInTests {
  @Test func `code that imports Network finds the monitor`() {
    let monitor = NWPathMonitor(network: ScriptedNetwork([.wifi("wlan0")]))
    #expect(monitor.currentPath.usesInterfaceType(.wifi))
  }
}
