import CLinux
import Glibc

/// Changes links, addresses and routes of one network namespace: with its own requests, so that the
/// time right before each is known and no process has to be started for it.
final class ChangeSocket {
  private let descriptor: Int32
  private var sequence: UInt32 = 0
  private var answer = [UInt8](repeating: 0, count: 8192)

  /// A socket stays in the namespace it was opened in. Nil means this process's own.
  init(namespace: String? = nil) throws(WorkloadError) {
    let own = unsafe open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)
    defer { close(own) }
    if let namespace {
      let other = unsafe open("/run/netns/\(namespace)", O_RDONLY | O_CLOEXEC)
      defer { close(other) }
      let result = clinux_enter_network(other)
      if result < 0 { throw WorkloadError("enter the namespace \(namespace)", code: -result) }
    }
    descriptor = socket(
      AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
    let code = errno
    if namespace != nil {
      let result = clinux_enter_network(own)
      if result < 0 { throw WorkloadError("return from the namespace", code: -result) }
    }
    if descriptor < 0 { throw WorkloadError("open a netlink socket", code: code) }
  }

  deinit { close(descriptor) }

  /// Sends what `write` builds and waits until the kernel has done it. Returns the time right
  /// before.
  @discardableResult
  private func make(
    _ what: String, _ write: (inout ChangeRequest, UInt32) -> Void
  ) throws(WorkloadError) -> Int64 {
    sequence += 1
    var request = ChangeRequest()
    write(&request, sequence)
    let bytes = request.bytes
    let time = nanoseconds()
    if unsafe send(descriptor, bytes, bytes.count, 0) < 0 { throw WorkloadError(what, code: errno) }
    while true {
      let count = unsafe recv(descriptor, &answer, answer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 20 else { throw WorkloadError(what, code: errno) }
      // struct nlmsghdr, then the code of struct nlmsgerr.
      let (type, number, code) = unsafe answer.withUnsafeBytes {
        unsafe (
          $0.load(fromByteOffset: 4, as: UInt16.self), $0.load(fromByteOffset: 8, as: UInt32.self),
          $0.load(fromByteOffset: 16, as: Int32.self)
        )
      }
      guard type == UInt16(NLMSG_ERROR), number == sequence else { continue }
      if code != 0 { throw WorkloadError(what, code: -code) }
      return time
    }
  }

  // MARK: Links

  @discardableResult
  func setLink(_ index: Int32, isUp: Bool) throws(WorkloadError) -> Int64 {
    try make("switch a link") { request, sequence in
      var header = ifinfomsg()
      header.ifi_index = index
      header.ifi_change = UInt32(IFF_UP.rawValue)
      header.ifi_flags = isUp ? UInt32(IFF_UP.rawValue) : 0
      request.message(Int(RTM_NEWLINK), flags: NLM_F_ACK, sequence: sequence, header)
    }
  }

  /// A pair of links in this namespace.
  func addPair(_ name: String, _ peer: String) throws(WorkloadError) {
    try make("add a pair") { request, sequence in
      request.message(
        Int(RTM_NEWLINK), flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, sequence: sequence,
        ifinfomsg()
      ) {
        $0.put(Int(IFLA_IFNAME), text: name)
        $0.attribute(Int(IFLA_LINKINFO)) {
          $0.put(Int(IFLA_INFO_KIND), text: "veth")
          $0.attribute(Int(IFLA_INFO_DATA)) {
            $0.attribute(1) {  // VETH_INFO_PEER
              $0.append(ifinfomsg())
              $0.put(Int(IFLA_IFNAME), text: peer)
            }
          }
        }
      }
    }
  }

  func removeLink(_ name: String) throws(WorkloadError) {
    try make("remove a link") { request, sequence in
      request.message(Int(RTM_DELLINK), flags: NLM_F_ACK, sequence: sequence, ifinfomsg()) {
        $0.put(Int(IFLA_IFNAME), text: name)
      }
    }
  }

  // MARK: Addresses and routes

  /// An IPv4 address of a link.
  @discardableResult
  func setAddress(
    _ address: UInt32, _ length: UInt8, of index: Int32, exists: Bool
  ) throws(WorkloadError) -> Int64 {
    try make("change an address") { request, sequence in
      var header = ifaddrmsg()
      header.ifa_family = UInt8(AF_INET)
      header.ifa_prefixlen = length
      header.ifa_index = UInt32(index)
      request.message(
        exists ? Int(RTM_NEWADDR) : Int(RTM_DELADDR),
        flags: NLM_F_ACK | (exists ? NLM_F_CREATE | NLM_F_EXCL : 0), sequence: sequence, header
      ) {
        $0.put(Int(IFA_LOCAL), address.bigEndian)
        $0.put(Int(IFA_ADDRESS), address.bigEndian)
      }
    }
  }

  /// The IPv4 default through a gateway.
  @discardableResult
  func setDefault(_ gateway: UInt32, exists: Bool) throws(WorkloadError) -> Int64 {
    try make("change the default route") { request, sequence in
      request.message(
        exists ? Int(RTM_NEWROUTE) : Int(RTM_DELROUTE),
        flags: NLM_F_ACK | (exists ? NLM_F_CREATE | NLM_F_EXCL : 0), sequence: sequence,
        Self.route(length: 0, scope: RT_SCOPE_UNIVERSE)
      ) {
        $0.put(Int(RTA_GATEWAY.rawValue), gateway.bigEndian)
      }
    }
  }

  /// Host routes of 198.18.0.0/15 through the loopback: nobody's way out.
  func setHostRoutes(_ numbers: Range<Int>, exist: Bool) throws(WorkloadError) {
    var next = numbers.lowerBound
    while next < numbers.upperBound {
      let batch = next..<min(next + 64, numbers.upperBound)
      next = batch.upperBound
      try make("change host routes") { request, sequence in
        for number in batch {
          let isLast = number + 1 == batch.upperBound
          request.message(
            exist ? Int(RTM_NEWROUTE) : Int(RTM_DELROUTE),
            flags: (exist ? NLM_F_CREATE : 0) | (isLast ? NLM_F_ACK : 0), sequence: sequence,
            Self.route(length: 32, scope: RT_SCOPE_LINK)
          ) {
            $0.put(Int(RTA_DST.rawValue), (0xC612_0000 + UInt32(number)).bigEndian)
            $0.put(Int(RTA_OIF.rawValue), UInt32(1))
          }
        }
      }
    }
  }

  private static func route(length: UInt8, scope: rt_scope_t) -> rtmsg {
    var header = rtmsg()
    header.rtm_family = UInt8(AF_INET)
    header.rtm_dst_len = length
    header.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
    header.rtm_protocol = UInt8(RTPROT_STATIC)
    header.rtm_type = UInt8(RTN_UNICAST)
    header.rtm_scope = UInt8(scope.rawValue)
    return header
  }
}
