#if os(Linux)
#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// Ports, by number and by name.
extension NWEndpoint {
  /// A port of TCP or UDP.
  public struct Port: RawRepresentable, Hashable, Sendable, CustomDebugStringConvertible,
    ExpressibleByIntegerLiteral
  {
    /// The port's number.
    public let rawValue: UInt16

    /// From a number; it is never nil.
    public init?(rawValue: UInt16) { self.rawValue = rawValue }

    /// From a number in text, or the name of a service such as `http`; nil for what is neither.
    ///
    /// Names are those that the system knows (services(5)), and those of the constants here, which
    /// a small container may not have in its table.
    public init?(_ service: String) {
      let isNumber = !service.isEmpty && service.utf8.allSatisfy { (48...57).contains($0) }
      let port = isNumber ? UInt16(service) : Self.lookUp(service) ?? Self.known[service]
      guard let port else { return nil }
      rawValue = port
    }

    /// From a number in code.
    public init(integerLiteral value: UInt16) { rawValue = value }

    /// The number.
    public var debugDescription: String { "\(rawValue)" }

    /// Whichever is free, or unknown.
    public static let any: Port = 0
    /// 22.
    public static let ssh: Port = 22
    /// 25.
    public static let smtp: Port = 25
    /// 80.
    public static let http: Port = 80
    /// 110, POP3.
    public static let pop: Port = 110
    /// 143.
    public static let imap: Port = 143
    /// 443.
    public static let https: Port = 443
    /// 993.
    public static let imaps: Port = 993
    /// 1080.
    public static let socks: Port = 1080

    private static let known: [String: UInt16] = [
      "ssh": 22, "smtp": 25, "http": 80, "pop3": 110, "imap": 143, "https": 443, "imaps": 993,
      "socks": 1080,
    ]

    /// getservbyname_r(3), of any protocol. A name that no table could hold is none.
    private static func lookUp(_ name: String) -> UInt16? {
      guard !name.isEmpty, name.utf8.count <= 256, !name.utf8.contains(0) else { return nil }
      var entry = unsafe servent()
      var found: UnsafeMutablePointer<servent>?
      // Holds the names of one service, and those are short.
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = buffer.count
      let result = unsafe getservbyname_r(name, nil, &entry, &buffer, count, &found)
      guard result == 0, unsafe found != nil else { return nil }
      return unsafe UInt16(bigEndian: UInt16(truncatingIfNeeded: entry.s_port))
    }
  }
}
#endif
