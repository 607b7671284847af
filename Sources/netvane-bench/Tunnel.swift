import Glibc

/// A tun device that lives as long as it is held open.
struct Tunnel {
  static let name = "tun0"
  private let descriptor: Int32

  init() throws(WorkloadError) {
    descriptor = unsafe open("/dev/net/tun", O_RDWR | O_CLOEXEC)
    if descriptor < 0 { throw WorkloadError("open /dev/net/tun", code: errno) }
    // struct ifreq: sixteen bytes of name, then IFF_TUN and IFF_NO_PI.
    var request = [UInt8](repeating: 0, count: 40)
    for (offset, byte) in Self.name.utf8.enumerated() { request[offset] = byte }
    request[16] = 0x01
    request[17] = 0x10
    // TUNSETIFF
    if unsafe ioctl(descriptor, 0x4004_54CA, &request) != 0 {
      let code = errno
      close(descriptor)
      throw WorkloadError("make a tun device", code: code)
    }
  }

  func detach() { close(descriptor) }
}
