import Glibc

/// Holds a tun device open, which gives it a carrier.
struct TunDevice {
  private let descriptor: Int32

  init(_ name: String, isTap: Bool = false) throws {
    descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Lab.Failure(description: "cannot open /dev/net/tun") }
    // struct ifreq: sixteen bytes of name, then the flags: IFF_TUN or IFF_TAP, and IFF_NO_PI.
    var request = [UInt8](repeating: 0, count: 40)
    for (offset, byte) in name.utf8.enumerated() { request[offset] = byte }
    request[16] = isTap ? 0x02 : 0x01
    request[17] = 0x10
    guard ioctl(descriptor, 0x4004_54CA, &request) == 0 else {
      throw Lab.Failure(description: "cannot attach to \(name)")
    }
  }

  /// TUNSETCARRIER.
  func setCarrier(_ hasCarrier: Bool) throws {
    var value: Int32 = hasCarrier ? 1 : 0
    guard ioctl(descriptor, 0x4004_54E2, &value) == 0 else {
      throw Lab.Failure(description: "cannot set the carrier")
    }
  }

  func detach() { close(descriptor) }
}
