import CLinux
import CMnl

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Owns one rtnetlink socket, opened close-on-exec and closed with its owner.
@safe
struct NetlinkSocket: ~Copyable {
  private let handle: OpaquePointer
  let descriptor: Int32
  let port: UInt32

  /// mnl_socket_open2(), mnl_socket_bind().
  init(nonBlocking: Bool) throws(KernelError) {
    let flags = Int32(SOCK_CLOEXEC.rawValue) | (nonBlocking ? Int32(SOCK_NONBLOCK.rawValue) : 0)
    guard let handle = unsafe mnl_socket_open2(NETLINK_ROUTE, flags) else {
      throw KernelError("open a netlink socket")
    }
    guard unsafe mnl_socket_bind(handle, 0, 0) == 0 else {
      let error = KernelError("bind a netlink socket")
      unsafe mnl_socket_close(handle)
      throw error
    }
    unsafe self.handle = handle
    descriptor = unsafe mnl_socket_get_fd(handle)
    port = unsafe mnl_socket_get_portid(handle)
  }

  deinit { unsafe mnl_socket_close(handle) }

  /// NETLINK_ADD_MEMBERSHIP.
  func join(_ group: rtnetlink_groups) -> Bool {
    setNetlinkOption(NETLINK_ADD_MEMBERSHIP, Int32(group.rawValue))
  }

  func setNetlinkOption(_ option: Int32, _ value: Int32) -> Bool {
    set(level: SOL_NETLINK, option: option, value: value)
  }

  /// SO_RCVBUFFORCE passes by the system's limit when we are privileged; SO_RCVBUF is cut to it.
  func setReceiveBuffer(_ bytes: Int32) {
    if !set(level: SOL_SOCKET, option: SO_RCVBUFFORCE, value: bytes) {
      _ = set(level: SOL_SOCKET, option: SO_RCVBUF, value: bytes)
    }
  }

  /// SO_RCVTIMEO and SO_SNDTIMEO.
  func setTimeout(seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, length)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, length)
  }

  /// SO_ATTACH_FILTER: replaces the filter in one step.
  func attach(_ program: [sock_filter]) throws(KernelError) {
    var program = program
    let result = unsafe program.withUnsafeMutableBufferPointer { instructions in
      var header = unsafe sock_fprog(
        len: UInt16(instructions.count), filter: instructions.baseAddress)
      return unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &header,
        socklen_t(MemoryLayout<sock_fprog>.size))
    }
    if result != 0 { throw KernelError("attach the socket filter") }
  }

  private func set(level: Int32, option: Int32, value: Int32) -> Bool {
    var value = value
    return unsafe setsockopt(
      descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
  }

  /// connect(2) to the kernel: `send` needs no address, and other processes cannot send to us.
  func connectToKernel() throws(KernelError) {
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, length)
      }
    }
    if result != 0 { throw KernelError("connect a netlink socket") }
  }

  /// send(2) to the kernel, which works through the whole batch before it returns.
  func send(_ request: borrowing RequestBuffer) throws(KernelError) {
    let bytes = unsafe request.bytes
    while true {
      let sent = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, 0)
      if sent >= 0 { return }
      if errno != EINTR { throw KernelError("ask the kernel") }
    }
  }

  /// The size of the next datagram, which stays in the queue (MSG_PEEK | MSG_TRUNC), or -errno.
  func peekLength() -> Int {
    let flags = Int32(MSG_PEEK) | Int32(MSG_TRUNC)
    let length = recv(descriptor, nil, 0, flags)
    return length >= 0 ? length : -Int(errno)
  }
}
