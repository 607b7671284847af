internal import CLinux

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Hears that some route has changed, and not which: for verdicts that rest on routes elsewhere
/// than to the lookup address, which the filter of the event socket drops.
///
/// No filter would help: what a tunnel needs and what a full table of BGP brings differ in nothing
/// that a filter sees. So its queue is the smallest there is, whatever comes or overflows means the
/// same, and after each look it rests, longer while there is more.
final class HintSocket {
  private let socket: NetlinkSocket
  /// What comes in a rest is told at its end, so a second has room for the longest and a look.
  private var rests = Backoff(from: .milliseconds(25), by: 4, to: .milliseconds(800))
  /// More than the queue holds.
  private static let drainLimit = 64

  init() throws(KernelError) {
    socket = try NetlinkSocket(nonBlocking: true)
    // The kernel makes it the least that it allows.
    socket.setReceiveBuffer(0)
    for group in [RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE] where !socket.join(group) {
      throw KernelError("join netlink group \(group.rawValue)")
    }
  }

  var descriptor: Int32 { socket.descriptor }

  /// Takes what came away; whether that was anything. An error is: better one look too many.
  func drain() -> Bool {
    var hasNews = false
    for _ in 0..<Self.drainLimit {
      let length = recv(socket.descriptor, nil, 0, Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC))
      if length < 0, errno == EAGAIN { break }
      hasNews = true
      if length < 0, errno != ENOBUFS, errno != EINTR { break }
    }
    return hasNews
  }

  /// How long to rest after a look that something called for.
  func nextRest() -> Duration { rests.next() }

  /// Nothing came in the last rest: the next news is told at once again.
  func endRests() { rests.reset() }
}
