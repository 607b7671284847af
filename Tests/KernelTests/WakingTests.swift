import Foundation
import Glibc
import PathCore
import PathKernel
import Testing

extension KernelTests {
  /// What tells the reader to look, and that it looks in time. Nothing here looks unasked.
  @Suite struct Waking {}
}

extension KernelTests.Waking {
  @Test("A tunnel's verdict follows the route to its server at once, of either family")
  func serverRoute() throws {
    let lab = try Lab()
    let tun = try lab.vpn()
    defer { tun.detach() }
    let follower = Follower(try lab.reader())
    #expect(follower.path.reason == .noUnderlay)
    for (add, del) in [
      ("route add 203.0.113.7 via 192.0.2.1", "route del 203.0.113.7 via 192.0.2.1"),
      (
        "-6 route add 2606:4700::1 via 2001:db8::1 dev wlan0",
        "-6 route del 2606:4700::1 via 2001:db8::1 dev wlan0"
      ),
    ] {
      try lab.ip(add)
      let came = follower.time(within: .seconds(2)) { follower.path.status == .satisfied }
      #expect(came.map { $0 < .milliseconds(100) } == true, "\(add): \(came as Any)")
      follower.settle(.milliseconds(200))
      try lab.ip(del)
      let went = follower.time(within: .seconds(2)) { follower.path.reason == .noUnderlay }
      #expect(went.map { $0 < .milliseconds(100) } == true, "\(del): \(went as Any)")
      follower.settle(.milliseconds(200))
    }
    #expect(!follower.reader.reconcile())
  }

  @Test("Foreign routes by the thousand call for a few looks, and the last state is right")
  func foreignStorm() throws {
    let lab = try Lab()
    let tun = try lab.vpn()
    defer { tun.detach() }
    let follower = Follower(try lab.reader())
    #expect(follower.reader.hearsFarRoutes)
    let before = follower.looks
    var lines = (0..<20_000).map { "route add 10.\(64 + $0 / 250).\($0 % 250).0/24 via 192.0.2.1" }
    lines.append("route add 203.0.113.7 via 192.0.2.1")
    try lab.batch(lines)
    let came = follower.time(within: .seconds(2)) { follower.path.status == .satisfied }
    #expect(came.map { $0 < .seconds(1) } == true)
    follower.settle(.seconds(1))
    #expect(follower.looks - before <= 10)
    #expect(follower.losses.isEmpty)
    try lab.ip("route add default via 192.0.2.1 dev wlan0 metric 600")
    _ = follower.time(within: .seconds(2)) { !follower.reader.hearsFarRoutes }
    #expect(!follower.reader.hearsFarRoutes)
  }

  @Test("A radio that is switched is seen by its device, and by its link where there is none")
  func radio() throws {
    let lab = try Lab()
    try lab.wire("wlan0", ["192.0.2.10/24"])
    let root = "/run/netvane-radio"
    try? FileManager.default.removeItem(atPath: root)
    let folder = "\(root)/class/rfkill/rfkill0"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func put(_ name: String, _ text: String) throws {
      try "\(text)\n".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
    try put("type", "wlan")
    try put("hard", "0")
    try put("soft", "0")
    #expect(mkfifo("\(root)/device", 0o600) == 0)
    let device = open("\(root)/device", O_RDWR | O_CLOEXEC)
    defer { close(device) }
    for path in ["\(root)/device", "\(root)/none"] {
      try lab.ip("link set wlan0 up")
      let follower = Follower(
        try lab.reader {
          $0.sysfsRoot = root
          $0.radioDevicePath = path
        })
      try put("soft", "1")
      try lab.ip("link set wlan0 down")
      let off = follower.time(within: .seconds(2)) { follower.path.reason == .radioOff }
      #expect(off.map { $0 < .milliseconds(100) } == true, "\(off as Any)")
      #expect(follower.path.unsatisfiedReason == .wifiDenied)
      try put("soft", "0")
      if path.hasSuffix("device") {
        let event = [UInt8](repeating: 0, count: 9)
        #expect(write(device, event, event.count) == event.count)
      } else {
        try lab.setCarrier("wlan0", false)
        try lab.ip("link set wlan0 up")
      }
      let on = follower.time(within: .seconds(2)) { follower.path.reason != .radioOff }
      #expect(on.map { $0 < .milliseconds(100) } == true, "\(on as Any)")
      #expect(!follower.reader.reconcile())
      try lab.setCarrier("wlan0", true)
    }
  }

  @Test("A read that fails once is read again, and no verdict is lost over it")
  func failedRead() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1")
    for code in [ENOBUFS, EAGAIN, ENOMEM, EINTR] {
      for call in [KernelCall.send, .receive] {
        var failures = 0
        let reader = try KernelReader(settings: lab.settings) { asked in
          guard asked == call, failures > 0 else { return nil }
          failures -= 1
          return code
        }
        let follower = Follower(reader)
        #expect(follower.path.status == .satisfied)
        // More than what is repeated on the spot.
        for count in [1, 12] {
          failures = count
          _ = reader.reconcile()
          try lab.ip("address add 198.51.100.1/32 dev lo\naddress del 198.51.100.1/32 dev lo")
          let right = follower.time(within: .seconds(3)) {
            failures == 0 && follower.path.status == .satisfied
          }
          #expect(right.map { $0 < .seconds(1) } == true, "\(code) \(call) \(count)")
        }
      }
    }
  }

  @Test("Netlink that is refused is tried again, and told of when it can be had")
  func refused() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1")
    var isRefused = true
    let reader = try KernelReader(settings: lab.settings) { call in
      call == .open && isRefused ? EAFNOSUPPORT : nil
    }
    let follower = Follower(reader)
    #expect(reader.refusal != nil)
    #expect(follower.path.reason == .unknown)
    isRefused = false
    #expect(follower.time(within: .seconds(3)) { follower.path.status == .satisfied } != nil)
    #expect(follower.losses.count == 1)
    #expect(reader.refusal == nil)
  }

  @Test("An event socket that is closed under the reader is opened anew, and told as a loss")
  func closedSocket() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1")
    let follower = Follower(try lab.reader())
    #expect(follower.path.status == .satisfied)
    let sockets = (3..<200 as Range<Int32>).filter(hearsLinks)
    // The socket, and the second descriptor that is waited for.
    #expect(sockets.count == 2)
    for socket in sockets.prefix(1) { close(socket) }
    try lab.ip("route del default")
    let seen = follower.time(within: .seconds(2)) { follower.path.status == .unsatisfied }
    #expect(seen.map { $0 < .milliseconds(200) } == true)
    #expect(follower.losses.count == 1)
    try lab.ip("route add default via 192.0.2.1")
    #expect(follower.time(within: .seconds(2)) { follower.path.status == .satisfied } != nil)
    #expect(follower.losses.count == 1)
  }

  /// Whether it is a netlink socket that is a member of the group of links.
  private func hearsLinks(_ descriptor: Int32) -> Bool {
    var groups: UInt32 = 0
    var length = socklen_t(4)
    // SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS
    return getsockopt(descriptor, 270, 9, &groups, &length) == 0 && groups & 1 != 0
  }

  @Test("The end of the second-best default is seen when it comes")
  func secondBestExpires() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["2001:db8::10/64"])
    try lab.wire("wlan0", ["2001:db8:1::10/64"])
    try lab.ip(
      """
      -6 route add default via fe80::1 dev eth0 metric 100
      -6 route add default via fe80::2 dev wlan0 metric 600 expires 3
      """)
    let follower = Follower(try lab.reader())
    let wifi = PathFilter(required: .wifi)
    func status() -> PathStatus { PathEvaluator.path(of: follower.last, filter: wifi).status }
    #expect(status() == .satisfied)
    let ended = follower.time(within: .seconds(10)) { status() == .unsatisfied }
    #expect(ended.map { $0 < .seconds(4) } == true, "\(ended as Any)")
  }

  @Test("The end of the route to a tunnel's server is seen when it comes")
  func serverRouteExpires() throws {
    let lab = try Lab()
    let tun = try lab.vpn()
    defer { tun.detach() }
    let follower = Follower(try lab.reader())
    #expect(follower.path.reason == .noUnderlay)
    try lab.ip("-6 route add 2606:4700::1 via 2001:db8::1 dev wlan0 expires 3")
    let start = ContinuousClock.now
    #expect(follower.time(within: .seconds(2)) { follower.path.status == .satisfied } != nil)
    let ended = follower.time(within: .seconds(10)) { follower.path.reason == .noUnderlay }
    let time = ContinuousClock.now - start
    #expect(ended != nil && time > .seconds(2) && time < .seconds(4), "\(time)")
  }

  @Test("Foreign routes by the thousand wake nobody while no verdict rests on them")
  func foreignSilence() throws {
    let lab = try Lab()
    try lab.wire("eth0", ["192.0.2.10/24"])
    try lab.ip("route add default via 192.0.2.1")
    let follower = Follower(try lab.reader())
    #expect(!follower.reader.hearsFarRoutes)
    let (looks, messages) = (follower.looks, follower.reader.counters.messages)
    let routes = (0..<5000).map { "203.\($0 / 62_500).\($0 / 250 % 250).\($0 % 250 + 1)/32" }
    try lab.batch(routes.map { "route add \($0) via 192.0.2.1" })
    try lab.batch(routes.map { "route del \($0) via 192.0.2.1" })
    follower.settle(.milliseconds(300))
    #expect(follower.looks == looks)
    #expect(follower.reader.counters.messages == messages)
    try lab.ip("route del default")
    #expect(follower.time(within: .seconds(2)) { follower.path.status == .unsatisfied } != nil)
  }

  @Test("A resolv.conf that is mounted, rewritten in place and unmounted is followed")
  func mountedResolver() throws {
    let lab = try Lab()
    let folder = "/run/netvane-names"
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(
      atPath: "\(folder)/etc", withIntermediateDirectories: true)
    let file = "\(folder)/etc/resolv.conf"
    let other = "\(folder)/mounted"
    func put(_ path: String, _ server: Int) throws {
      try "nameserver 192.0.2.\(server)\n".write(toFile: path, atomically: false, encoding: .utf8)
    }
    try put(file, 1)
    try put(other, 2)
    let follower = Follower(try lab.reader { $0.resolverPath = file })
    func follows(_ server: Int) -> Bool {
      let time = follower.time(within: .seconds(2)) {
        follower.last.nameServers.map { "\($0.address)" } == ["192.0.2.\(server)"]
      }
      return time.map { $0 < .seconds(1) } ?? false
    }
    #expect(follows(1))
    #expect(mount(other, file, nil, UInt(MS_BIND), nil) == 0)
    #expect(follows(2))
    try put(other, 3)
    #expect(follows(3))
    // By one that keeps it open.
    let writer = open(other, O_WRONLY | O_TRUNC | O_CLOEXEC)
    #expect(write(writer, "nameserver 192.0.2.4\n", 21) == 21)
    #expect(follows(4))
    close(writer)
    #expect(umount2(file, 0) == 0)
    #expect(follows(1))
    #expect(!follower.reader.reconcile())
  }
}
