import CCurl
import Glibc
import PathActions
import PathCore
import PathDaemon

/// Asks a daemon over its control socket: HTTP by libcurl, which is opened when there is a socket.
struct ControlClient {
  /// What came of asking.
  enum Outcome {
    case answered(Reply)
    /// No daemon is at any of these places.
    case nobody([String])
    /// There may be one, but not for this user.
    case barred(String)
    /// One is there and gives no answer, or libcurl is not: a sentence.
    case trouble(String)
  }

  struct Reply {
    var status: Int
    /// What the command should exit with; nil when the answer does not say.
    var exitCode: Int32?
    var body: String
    /// Whether the body is of a form that was asked for: the library's own refusals are pages.
    var isOurs = true

    /// What stands in the way, in a sentence.
    var refusal: String {
      let prefix = #"{"error":""#
      guard isOurs, let line = body.split(separator: "\n").first, !line.isEmpty else {
        return "the daemon refused the request (HTTP \(status))"
      }
      guard line.hasPrefix(prefix), line.hasSuffix(#""}"#) else { return String(line) }
      return String(line.dropFirst(prefix.count).dropLast(2)).replacing(#"\""#, with: "\"")
    }
  }

  let places: [String]
  var isJSON = false
  /// How long an answer may take.
  var patience = Duration.seconds(5)

  static let libraries = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  private static let answerMost = 8 << 20

  /// The first that answers; where none does, what stood in the way of the first that is there.
  func ask(_ call: ControlCall) -> Outcome {
    var obstacle: Outcome?
    for place in places {
      let outcome = ask(call, at: place)
      switch outcome {
      case .answered: return outcome
      case .nobody: break
      case .barred, .trouble: obstacle = obstacle ?? outcome
      }
    }
    return obstacle ?? .nobody(places)
  }

  private func ask(_ call: ControlCall, at place: String) -> Outcome {
    if place.utf8.count > ControlSocket.pathMost {
      return .trouble(
        "the name \(place) is longer than a socket's can be (\(ControlSocket.pathMost) bytes)")
    }
    var status = stat()
    guard unsafe lstat(place, &status) == 0 else {
      return errno == EACCES ? .barred(place) : .nobody([place])
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      return .trouble("\(place) is no socket")
    }
    return CurlCall(call, isJSON: isJSON, patience: patience, most: Self.answerMost).perform(place)
  }
}

/// One request, waited for.
@safe private final class CurlCall {
  private let call: ControlCall
  private let isJSON: Bool
  private let patience: Duration
  private let most: Int
  private var body: [UInt8] = []
  private var header: [UInt8] = []

  init(_ call: ControlCall, isJSON: Bool, patience: Duration, most: Int) {
    self.call = call
    self.isJSON = isJSON
    self.patience = patience
    self.most = most
  }

  func perform(_ place: String) -> ControlClient.Outcome {
    var host = unsafe ccurl_host()
    unsafe host.owner = Unmanaged.passUnretained(self).toOpaque()
    unsafe host.watch = { _, _, _ in }
    unsafe host.wake = { _, _ in }
    unsafe host.ended = { _, _, _ in }
    unsafe host.take = { owner, _, isBody, bytes, count in
      // It is called within `perform` alone.
      let call = unsafe Unmanaged<CurlCall>.fromOpaque(owner!).takeUnretainedValue()
      let piece = unsafe UnsafeBufferPointer(start: bytes, count: count)
      return unsafe call.take(piece, isBody: isBody != 0) ? 0 : 1
    }
    var problem: UnsafePointer<CChar>?
    let library = unsafe withVector(ControlClient.libraries) {
      unsafe ccurl_open($0, &host, &problem)
    }
    guard let library = unsafe library else {
      let why = unsafe problem.map { unsafe String(cString: $0) } ?? ""
      return .trouble(
        "asking the daemon needs the library libcurl, but \(why); on Debian the package is libcurl4"
      )
    }
    defer { unsafe ccurl_close(library) }
    var end = ccurl_end()
    guard unsafe begin(library, place, &end) else {
      return .trouble("libcurl does not take the request")
    }
    return outcome(end, place)
  }

  private func begin(
    _ library: OpaquePointer, _ place: String, _ end: inout ccurl_end
  ) -> Bool {
    let accept = "Accept: " + (isJSON ? "application/json" : "text/plain")
    let isPost = call.method == "POST"
    return unsafe withVector([call.url, call.method, "netvane/\(netvaneVersion)", place, accept]) {
      texts in
      var wish = unsafe ccurl_request()
      unsafe wish.url = UnsafePointer(texts[0])
      unsafe wish.method = UnsafePointer(texts[1])
      unsafe wish.user_agent = UnsafePointer(texts[2])
      unsafe wish.unix_socket = UnsafePointer(texts[3])
      unsafe wish.headers = texts + 4
      unsafe wish.has_body = isPost ? 1 : 0
      unsafe wish.timeout_ms = Int(patience.components.seconds * 1000)
      return unsafe ccurl_perform(library, &wish, &end) != 0
    }
  }

  private func take(_ piece: UnsafeBufferPointer<UInt8>, isBody: Bool) -> Bool {
    if isBody { unsafe body.append(contentsOf: piece) } else { unsafe header += Array(piece) }
    return body.count <= most && header.count <= 65_536
  }

  private func outcome(_ end: ccurl_end, _ place: String) -> ControlClient.Outcome {
    switch end.code {
    case 0:
      return .answered(
        ControlClient.Reply(
          status: end.status, exitCode: exitCode, body: String(decoding: body, as: UTF8.self),
          isOurs: !(field("content-type")?.contains("html") ?? false)
        ))
    case Int32(CCURL_NO_CONNECTION):
      switch end.system_error {
      case ECONNREFUSED, ENOENT: return .nobody([place])
      case EACCES, EPERM: return .barred(place)
      case EAGAIN:
        return .trouble("so many wait for the daemon at \(place) that no more fit; try again")
      // It was closed as soon as it stood.
      case 0: return .trouble(Self.unanswered(place))
      case let code:
        return .trouble(
          "the daemon at \(place) cannot be reached: \(unsafe String(cString: strerror(code)))")
      }
    case Int32(CCURL_TIMEOUT):
      return .trouble("the daemon at \(place) did not answer within \(patience.wholeSeconds)")
    case Int32(CCURL_TAKE_REFUSED):
      return .trouble("the answer of \(place) is longer than \(most) bytes")
    case Int32(CCURL_EMPTY_ANSWER), Int32(CCURL_SEND_FAILED), Int32(CCURL_RECEIVE_FAILED):
      return .trouble(Self.unanswered(place))
    default: break
    }
    let why = unsafe withUnsafeBytes(of: end.problem) {
      unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return .trouble("the daemon at \(place) cannot be asked: \(why)")
  }

  private static func unanswered(_ place: String) -> String {
    "the daemon at \(place) closed the connection without an answer; its own output says why"
  }

  /// `Netvane-Exit` of the answer's header.
  private var exitCode: Int32? {
    guard let text = field("netvane-exit"), let code = Int32(text) else { return nil }
    return (0...3).contains(code) ? code : 1
  }

  /// A field of the answer's header, in small letters and without spaces.
  private func field(_ name: String) -> String? {
    for line in header.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self).lowercased()
      guard text.hasPrefix(name + ":") else { continue }
      return String(text.dropFirst(name.count + 1).filter { !$0.isWhitespace })
    }
    return nil
  }
}

extension ControlCall {
  fileprivate var method: String {
    switch self {
    case .status, .alerts: "GET"
    case .press, .dismiss, .reload: "POST"
    }
  }

  fileprivate var url: String {
    let base = "http://netvane/v1"
    return switch self {
    case .status: "\(base)/status"
    case .alerts: "\(base)/alerts"
    case .press(let key, let button):
      "\(base)/press?key=\(escaped(key))&button=\(escaped(button))"
    case .dismiss(let key): "\(base)/dismiss?key=\(escaped(key))"
    case .reload: "\(base)/reload"
    }
  }

  /// All but letters, digits and a few signs as `%XX`, RFC 3986.
  private func escaped(_ text: String) -> String {
    var shown = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        shown.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        shown += digits.count < 2 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return shown
  }
}
