import Glibc
import PathCore
import PathKernel

/// Looks when it is told to, as the daemon does, and at no other time.
final class Follower {
  let reader: KernelReader
  private(set) var last: Snapshot
  private(set) var looks = 0
  private(set) var losses: [String] = []
  private let clock = ContinuousClock()

  init(_ reader: KernelReader) {
    self.reader = reader
    last = reader.snapshot()
    settle(.milliseconds(300))
  }

  var path: Path { path(.none) }

  func path(_ filter: PathFilter) -> Path { PathEvaluator.path(of: last, filter: filter) }

  /// How long until it is so; nil when it never was.
  func time(within limit: Duration, _ isSo: () -> Bool) -> Duration? {
    let start = clock.now
    while !isSo() {
      let left = limit - (clock.now - start)
      guard left > .zero else { return nil }
      turn(left)
    }
    return clock.now - start
  }

  func settle(_ time: Duration) { _ = self.time(within: time) { false } }

  private func turn(_ time: Duration) {
    var entry = pollfd(fd: reader.eventDescriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = time / .milliseconds(1)
    guard poll(&entry, 1, Int32(milliseconds) + 1) > 0 else { return }
    let news = reader.drain()
    if case .lost(let detail) = news { losses.append(detail) }
    guard news != .nothing else { return }
    last = reader.snapshot()
    looks += 1
    // The kernel tells of some changes before it has made them.
    if case .changed(let hints) = news, hints.isPaced { return }
    poll(nil, 0, 1)
    last = reader.snapshot()
  }
}

extension Lab {
  /// A wireless link without a default, and a tunnel that has it: its verdict rests on a route to
  /// its server. Detach it in the end.
  func vpn() throws -> TunDevice {
    try wire("wlan0", ["192.0.2.10/24", "2001:db8::10/64"])
    let tun = try TunDevice("tun0")
    try ip(
      """
      address add 10.8.0.2/24 dev tun0
      -6 address add 2001:db8:8::2/64 dev tun0 nodad
      link set tun0 up
      route add default dev tun0
      """)
    return tun
  }
}
