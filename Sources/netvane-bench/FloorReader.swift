import CLinux
import Glibc

/// The least that a monitor can do: waits in recv(2) for the kernel's events and stamps those that
/// say what the workloads change. It judges nothing, asks nothing and drops nothing. Given a file, it
/// starts the program that stamps into it instead, with posix_spawn(3) and nothing around it.
enum FloorReader {
  static func run(spawning file: String? = nil) -> Int32 {
    let say: (String) -> Void = if let file { { spawn(file, $0) } } else { { stamp($0) } }
    // Nobody asks how it ended, so the kernel need not keep it.
    if file != nil { signal(SIGCHLD, SIG_IGN) }
    let descriptor = socket(
      AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    for group in [RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE] {
      address.nl_groups |= 1 << (group.rawValue - 1)
    }
    let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size)
      }
    }
    guard result == 0 else { return 1 }
    let watched = Int32(unsafe if_nametoindex(BenchNetwork.link))
    stamp("ready")
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      // Its events are lost then, and it does not care.
      if count < 0, errno == ENOBUFS {
        stamp("gap")
        continue
      }
      guard count > 0 else { return 1 }
      unsafe buffer.withUnsafeBytes {
        unsafe walk(UnsafeRawBufferPointer(rebasing: $0.prefix(count)), watched, say)
      }
    }
  }

  private static func spawn(_ file: String, _ word: String) {
    let words = unsafe cStrings([ownPath, Part.flag, Part.now.rawValue, file, word])
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    _ = unsafe posix_spawn(&process, ownPath, nil, nil, words, environ)
  }

  private static func walk(
    _ bytes: UnsafeRawBufferPointer, _ watched: Int32, _ say: (String) -> Void
  ) {
    var offset = 0
    while offset + 16 <= bytes.count {
      let header = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: nlmsghdr.self)
      let length = Int(header.nlmsg_len)
      guard length >= 16, offset + length <= bytes.count else { return }
      if let word = unsafe word(header.nlmsg_type, bytes, offset + 16, watched) { say(word) }
      offset += (length + 3) & ~3
    }
  }

  private static func word(
    _ type: UInt16, _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ watched: Int32
  ) -> String? {
    switch Int(type) {
    case Int(RTM_NEWLINK):
      let link = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: ifinfomsg.self)
      guard link.ifi_index == watched else { return nil }
      return link.ifi_flags & UInt32(IFF_RUNNING.rawValue) == 0 ? "down" : "up"
    case Int(RTM_NEWADDR), Int(RTM_DELADDR):
      return Int(type) == Int(RTM_NEWADDR) ? "addressBack" : "addressGone"
    case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
      let route = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: rtmsg.self)
      guard route.rtm_dst_len == 0, Int(route.rtm_table) == Int(RT_TABLE_MAIN.rawValue) else {
        return nil
      }
      return Int(type) == Int(RTM_NEWROUTE) ? "routeBack" : "routeGone"
    default: return nil
    }
  }
}
