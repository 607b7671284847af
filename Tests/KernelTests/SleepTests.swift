import CSystemd
import Foundation
import Glibc
import Testing

extension KernelTests {
  /// The program beside a login manager that announces sleep: a system bus of our own, and a
  /// stand-in that owns logind's name on it.
  @Suite struct Sleep {}
}

extension KernelTests.Sleep {
  /// Tells of what the system does, as its only handler.
  private static let diary = """
    return { api = 1, every = { tick = "1h" }, on_timer = function() end,
      on_system = function(ctx, ev) ctx.log(ev.what) end }
    """

  @Test func `logind's word for sleep and waking reaches the policies`() throws {
    let bus = try SystemBus()
    let site = try Site()
    try site.write("diary", Self.diary)
    let program = try site.run(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    _ = try program.event("path")
    let logind = try LoginManager(bus)
    // The program asks the bus for the signal without waiting, and might not have by the first one;
    // two words for one sleep are one sleep.
    for _ in 0..<5 {
      try logind.prepareForSleep(true)
      usleep(50_000)
    }
    #expect(try program.event("action").text("detail") == "asleep")
    // A loss during the sleep is judged when the machine is back, and not believed at once.
    try site.lab.setCarrier("eth0", false)
    try logind.prepareForSleep(false)
    #expect(try program.event("action").text("detail") == "resumed")
    try site.lab.setCarrier("eth0", true)
    try program.end()
    #expect(!program.lines.contains { $0.contains("unsatisfied") })
  }

  @Test func `a bus that goes away does not end the program`() throws {
    let bus = try SystemBus()
    let site = try Site(policies: ["status-border"])
    let program = try site.run(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    _ = try program.event("path")
    bus.end()
    try site.lab.setCarrier("eth0", false)
    #expect(try program.event("path").text("status") == "unsatisfied")
    try program.end()
  }
}

/// A message bus in a folder of its own.
private final class SystemBus {
  let address: String
  private let folder: String
  private var process: pid_t = 0

  init() throws {
    folder = NSTemporaryDirectory() + "bus-\(UUID().uuidString)"
    address = "unix:path=\(folder)/socket"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = folder + "/bus.conf"
    try """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig><listen>\(address)</listen><auth>EXTERNAL</auth><policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/>
    <allow receive_sender="*"/></policy></busconfig>
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let words = ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile"]
    var argv = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    try #require(posix_spawnp(&process, words[0], nil, nil, &argv, environ) == 0)
    let end = Date(timeIntervalSinceNow: 10)
    while access(folder + "/socket", F_OK) != 0, Date() < end { poll(nil, 0, 10) }
  }

  func end() {
    guard process > 0 else { return }
    kill(process, SIGKILL)
    _ = waitpid(process, nil, 0)
    process = 0
  }

  deinit {
    end()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Owns logind's name and sends its signal.
private final class LoginManager {
  private var bus: OpaquePointer?

  init(_ system: SystemBus) throws {
    try #require(sd_bus_new(&bus) >= 0)
    try #require(sd_bus_set_address(bus, system.address) >= 0)
    try #require(sd_bus_set_bus_client(bus, 1) >= 0)
    try #require(sd_bus_start(bus) >= 0)
    try #require(sd_bus_request_name(bus, "org.freedesktop.login1", 0) >= 0)
  }

  func prepareForSleep(_ isGoing: Bool) throws {
    var message: OpaquePointer?
    try #require(
      sd_bus_message_new_signal(
        bus, &message, "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
        "PrepareForSleep") >= 0)
    var flag: Int32 = isGoing ? 1 : 0
    try #require(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &flag) >= 0)
    try #require(sd_bus_send(bus, message, nil) >= 0)
    sd_bus_flush(bus)
    sd_bus_message_unref(message)
  }

  deinit { sd_bus_flush_close_unref(bus) }
}
